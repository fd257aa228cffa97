/* Sets of methods, a bit each: which use a key, and which there are in a scene. A key that no method of its
 * thing uses is a mistake:
 *
 *     in a body, source or material     by that thing's own method: its key `method`, else the scene's
 *     elsewhere                         by the methods of all of them together
 *
 * What methods can do is asked of the list in method_info.h; an ability is the offset of a bool in it.
 */
#ifndef CT_SCENE_METHODS_H
#define CT_SCENE_METHODS_H

#include "method_info.h"
#include "scene/yaml.h"
#include <stddef.h>

struct ct_key;
struct ct_named;

typedef unsigned ct_methods;
#define CT_ONLY(METHOD)  (1U << CT_METHOD_##METHOD)
#define CT_ABILITY(name) offsetof(ct_method_info, name)

/* Those that have the ability; 0: all. */
ct_methods ct_methods_with(size_t ability);

/* Those that use the key. */
ct_methods ct_key_methods(const struct ct_key *key);

/* The list, as names of a key: NULL past its end. */
const char *ct_method_names(int index, const char **doc);

/* "'method: mpm' or 'method: peridynamics'" */
typedef struct ct_methods_text {
    char text[160];
} ct_methods_text;
ct_methods_text ct_methods_show(ct_methods methods);

/* The method of a body, source or material as its text says it; `fallback` where it does not, but for
 * materials whose type is another method's. The second is of the scene, MPM where it does not say; the third
 * of all three kinds of things in it. */
int ct_method_of_item(const struct ct_named *named, const ct_yaml *item, int fallback);
/* And those whose keys it has. */
ct_methods ct_methods_of_item(const struct ct_named *named, const ct_yaml *item, int fallback);
int ct_method_of_scene(const ct_yaml *root);
ct_methods ct_methods_of_scene(const ct_yaml *root);

#endif
