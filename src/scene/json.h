/* Writes JSON with commas and indentation in their places. */
#ifndef CT_SCENE_JSON_H
#define CT_SCENE_JSON_H

#include "core/text.h"

typedef struct ct_json {
    ct_text *text;
    int depth;
    bool has_before; /* something stands before in this object or array */
} ct_json;

/* Each takes the key it stands under, or NULL in an array and at the top. */
void ct_json_begin(ct_json *json, const char *key, char bracket); /* '{' or '[' */
void ct_json_end(ct_json *json, char bracket);                    /* '}' or ']' */
void ct_json_text(ct_json *json, const char *key, const char *value);
void ct_json_number(ct_json *json, const char *key, double value);
void ct_json_bool(ct_json *json, const char *key, bool value);
void ct_json_raw(ct_json *json, const char *key, const char *value); /* `value` is JSON already */

#endif
