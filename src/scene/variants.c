#include "scene/keys.h"

#include <math.h>
#include <string.h>

bool ct_variant_find(const ct_variants *variants, const char *name, ct_variant *variant)
{
    for (int i = 0; variants->at(i, variant); i++)
        if (!strcmp(variant->name, name)) return true;
    return false;
}

bool ct_variant_of(const ct_variants *variants, const void *definition, ct_variant *variant)
{
    const char *at = (const char *)definition + variants->type_offset;
    if (variants->type_is_name) return ct_variant_find(variants, *(const char *const *)at, variant);
    for (int i = 0; variants->at(i, variant); i++)
        if (!variant->is_later && variant->value == *(const int *)at) return true;
    return false;
}

void ct_variant_begin(ct_variant *variant, const char *name, const char *title, const char *doc, int value)
{
    static const ct_key type = {"type", CT_KEY_TYPE, .doc = "Which one it is."};
    *variant = (ct_variant){.name = name, .title = title, .doc = doc, .value = value};
    variant->section.keys = variant->keys;
    ct_variant_add(variant, &type, 1);
}

void ct_variant_add(ct_variant *variant, const ct_key *keys, int count)
{
    for (int i = 0; i < count && variant->section.count < CT_MOST_VARIANT_KEYS; i++)
        variant->keys[variant->section.count++] = keys[i];
}

void ct_variant_add_parameters(ct_variant *variant, const ct_parameter_info *parameters, int count,
                               size_t offset, size_t count_offset, bool are_choices)
{
    for (int i = 0; i < count; i++) {
        const ct_parameter_info *info = &parameters[i];
        bool is_required = isnan(info->fallback) && !are_choices;
        ct_key key = {info->name,
                      CT_KEY_PARAMETER,
                      info->doc,
                      offset,
                      count_offset,
                      .dimension = info->dimension,
                      .least = info->least,
                      .most = info->most,
                      .flags = is_required ? CT_REQUIRED : 0,
                      .parameter = info};
        ct_variant_add(variant, &key, 1);
    }
}

void ct_variant_add_option(ct_variant *variant, const ct_option_info *option)
{
    for (int i = 0; option->parameter && i < variant->section.count; i++) {
        ct_key *key = &variant->keys[i];
        if (strcmp(key->name, option->parameter)) continue;
        key->kind = CT_KEY_OPTION;
        key->option = option;
    }
}

bool ct_choice_has(const char *choice, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = choice; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (!strncmp(at, name, length) && (at[length] == ' ' || !at[length])) return true;
    }
    return false;
}
