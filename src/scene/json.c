#include "scene/json.h"

#include "scene/number.h"
#include "scene/print.h"
#include <string.h>

static void begin_item(ct_json *json, const char *key)
{
    if (json->has_before) ct_text_print(json->text, ",");
    if (json->depth) ct_text_print(json->text, "\n%*s", 2 * json->depth, "");
    json->has_before = true;
    if (!key) return;
    ct_print_quoted(json->text, key);
    ct_text_print(json->text, ": ");
}

void ct_json_begin(ct_json *json, const char *key, char bracket)
{
    begin_item(json, key);
    ct_text_print(json->text, "%c", bracket);
    json->depth++;
    json->has_before = false;
}

void ct_json_end(ct_json *json, char bracket)
{
    json->depth--;
    if (json->has_before) ct_text_print(json->text, "\n%*s", 2 * json->depth, "");
    ct_text_print(json->text, "%c", bracket);
    json->has_before = true;
}

void ct_json_text(ct_json *json, const char *key, const char *value)
{
    begin_item(json, key);
    ct_print_quoted(json->text, value);
}

void ct_json_number(ct_json *json, const char *key, double value)
{
    char number[CT_NUMBER_SIZE];
    begin_item(json, key);
    ct_number_print(value, number);
    ct_text_print(json->text, "%s", number);
}

void ct_json_bool(ct_json *json, const char *key, bool value)
{
    begin_item(json, key);
    ct_text_print(json->text, value ? "true" : "false");
}

void ct_json_raw(ct_json *json, const char *key, const char *value)
{
    begin_item(json, key);
    ct_text_append(json->text, value, strlen(value));
}
