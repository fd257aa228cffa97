/* Presets: named sets of a material's keys, as a scene would write them; each method has its own, and some
 * names are in several: the material's `method` says which. `preset: water` in a material stands for its
 * keys; any key beside it overrides the preset's. Elastic constants are a pair: who gives one that the preset
 * does not have gives both, and the preset's go.
 */
#ifndef CT_SCENE_PRESETS_H
#define CT_SCENE_PRESETS_H

#include "scene/keys.h"

typedef struct ct_preset {
    const char *name, *doc;
    const char *keys;   /* "type: fluid, density: 998 kg/m^3" */
    const char *source; /* of the numbers */
    ct_method method;   /* of materials that may name it */
    bool is_softened;   /* its bulk modulus is for want of a better one: see softening.h */
} ct_preset;

const ct_preset *ct_preset_at(int index);                      /* NULL past the end */
const ct_preset *ct_preset_find(int method, const char *name); /* NULL: none */

/* " (peridynamics)": the method of a preset that is not of the usual one, for lists. */
typedef struct ct_preset_text {
    char text[40];
} ct_preset_text;
ct_preset_text ct_preset_mark(const ct_preset *preset);

/* The mapping with the keys of the preset that it names in place of that name; `node` itself where it names
 * none; NULL, and a mistake noted, where there is no such preset. */
const ct_yaml *ct_preset_resolve(ct_decoder *decoder, const ct_variants *variants, const ct_yaml *node);

/* The list for people: name, meaning, keys and source. */
void ct_presets_write(ct_text *text);

#endif
