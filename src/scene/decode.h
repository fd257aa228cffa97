/* From the tree of a scene file to definitions, by the key table. decode.c walks sections, variants and named
 * things; values.c reads what is made of numbers and texts.c what is made of words. None stops at a mistake:
 * it is noted, the default stays, and reading goes on.
 */
#ifndef CT_SCENE_DECODE_H
#define CT_SCENE_DECODE_H

#include "scene/scene.h"
#include "scene/yaml.h"

struct ct_key;

typedef struct ct_decoder {
    ct_scene *scene;
    ct_arena *arena; /* of the scene: what is decoded lives here */
    ct_mistakes *mistakes;
    unsigned methods; /* of the thing that is being decoded, or of all (methods.h) */
    bool out_of_memory;
} ct_decoder;

/* Decodes the whole scene; what ct_default_*() says is there before. */
void ct_decode_scene(ct_decoder *decoder, const ct_yaml *root);

/* Decodes the value of one key into the definition: one function a kind. */
typedef void ct_decode_function(ct_decoder *decoder, const struct ct_key *key, const ct_yaml *node,
                                void *definition);

ct_decode_function ct_decode_bool, ct_decode_integer, ct_decode_seed, ct_decode_quantity, ct_decode_scale,
    ct_decode_vector, ct_decode_vectors, ct_decode_matrix, ct_decode_track,
    ct_decode_parameter; /* values.c */
ct_decode_function ct_decode_text, ct_decode_file, ct_decode_color, ct_decode_word, ct_decode_words,
    ct_decode_option, ct_decode_name, ct_decode_index, ct_decode_names, ct_decode_material,
    ct_decode_bodies; /* texts.c */

/* Adds a parameter to the list of them in the definition. */
void ct_add_parameter(ct_decoder *decoder, const struct ct_key *key, double value, void *definition);

/* Memory of the scene; NULL, and out_of_memory set, when there is none. */
void *ct_decoder_allocate(ct_decoder *decoder, size_t bytes);

/* Whether the node is a scalar with something in it; else a mistake. */
bool ct_decoder_is_scalar(ct_decoder *decoder, const struct ct_key *key, const ct_yaml *node);

/* "'key' expects ..., got a list". */
void ct_decoder_wrong_type(ct_decoder *decoder, const struct ct_key *key, const ct_yaml *node);

/* "WHAT 'word'; did you mean 'ward'?", or the list of the words [count] when none is near. */
void ct_mistake_word(ct_decoder *decoder, ct_place place, const char *what, const char *word,
                     const char *const *words, int count);

/* The place of a key's value in a mapping, else the place of the mapping. */
ct_place ct_place_of(const ct_yaml *mapping, const char *key);

#endif
