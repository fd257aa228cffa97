/* Values as the scene language writes them: what decode reads, the other way round. For used.yaml, and for
 * the defaults in the reference.
 */
#ifndef CT_SCENE_PRINT_H
#define CT_SCENE_PRINT_H

#include "scene/keys.h"

/* The value of a key on one line: "0.01 m", "[0, -9.81, 0]". Units stand behind single numbers only. Numbers
 * read back exactly. False, and nothing printed, for values that were not chosen and for kinds that have no
 * line of their own. `materials` are those that names refer to. */
bool ct_value_print(ct_text *text, const ct_key *key, const void *definition, int dimension,
                    const ct_material_def *materials);

/* The default of a key, as a user would write it; `defaults` is a definition that ct_default_*() made. False:
 * it has none. */
bool ct_default_print(ct_text *text, const ct_key *key, const void *defaults);

/* Whether the key is part of what a definition says: not one of another dimension or of other methods than
 * the definition's, or that was not given. */
bool ct_key_is_written(const ct_key *key, const void *definition, int dimension, ct_methods methods);

/* What the key means, as sentences, and which of the methods of its thing it is for where not for all (0: of
 * any). */
void ct_print_doc(ct_text *text, const ct_key *key, ct_methods methods);

void ct_print_quoted(ct_text *text, const char *words);   /* with quotes and escapes, for YAML and JSON */
void ct_print_sentence(ct_text *text, const char *words); /* with a capital and a full stop */
void ct_print_vector(ct_text *text, const double *vector, int components);

#endif
