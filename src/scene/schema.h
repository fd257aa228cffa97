/* The two halves of the JSON Schema: schema_kinds.c says what a value of each kind looks like, schema.c puts
 * keys and variants together. `defaults` is always a definition as the keys fill it, with every field at its
 * default.
 */
#ifndef CT_SCENE_SCHEMA_H
#define CT_SCENE_SCHEMA_H

#include "scene/json.h"
#include "scene/keys.h"

/* What a value of this key looks like, into the object that is open; false for kinds that a schema does not
 * show. */
bool ct_schema_has(const ct_key *key);
void ct_schema_value(ct_json *json, const ct_key *key, const void *defaults);

/* An object with the keys of a section, into the object that is open; of a variant, or NULL. */
void ct_schema_keys(ct_json *json, const ct_section *section, const ct_variant *variant,
                    const void *defaults);

/* {"$ref": ...} as an item of an array, and values of several forms as an array of alternatives. */
void ct_schema_refer_item(ct_json *json, const char *to);
void ct_schema_begin_choice(ct_json *json);

#endif
