#include "scene/methods.h"

#include "scene/keys.h"
#include <stdio.h>
#include <string.h>

ct_methods ct_methods_with(size_t ability)
{
    ct_methods methods = 0;
    const ct_method_info *info;
    for (int m = 0; (info = ct_method_info_at(m)); m++)
        if (!ability || *(const bool *)((const char *)info + ability)) methods |= 1U << m;
    return methods;
}

ct_methods ct_key_methods(const ct_key *key)
{
    ct_methods able = ct_methods_with(key->ability);
    return key->methods ? key->methods & able : able;
}

const char *ct_method_names(int index, const char **doc)
{
    const ct_method_info *info = ct_method_info_at(index);
    if (info) *doc = info->doc;
    return info ? info->name : NULL;
}

ct_methods_text ct_methods_show(ct_methods methods)
{
    ct_methods_text shown = {""};
    size_t used = 0;
    const ct_method_info *info;
    for (int m = 0; (info = ct_method_info_at(m)) && used < sizeof shown.text; m++)
        if (methods >> m & 1)
            used += (size_t)snprintf(shown.text + used, sizeof shown.text - used, "%s'method: %s'",
                                     used ? " or " : "", info->name);
    return shown;
}

/* ---- Of what is written ---------------------------------------------------------------------- */

/* The word that a key of a mapping holds; NULL: none. */
static const char *word_of(const ct_yaml *mapping, const char *key)
{
    const ct_yaml_entry *entry = ct_yaml_find(mapping, key);
    return entry && entry->value->kind == CT_YAML_SCALAR ? entry->value->text : NULL;
}

int ct_method_of_item(const ct_named *named, const ct_yaml *item, int fallback)
{
    const char *name = word_of(item, "method");
    int method = name ? ct_method_find(name) : -1;
    if (method >= 0) return method;
    const char *type = item->kind == CT_YAML_SCALAR ? item->text : word_of(item, "type");
    bool is_model = named->variants == &ct_material_variants && type;
    if (is_model && !ct_method_model(fallback, type)) method = ct_method_of_material(type);
    return method >= 0 ? method : fallback;
}

/* Guests, coupled through the grid, use what the material point method has, too. */
ct_methods ct_methods_of_item(const ct_named *named, const ct_yaml *item, int fallback)
{
    const int method = ct_method_of_item(named, item, fallback);
    const bool may_be = ct_method_info_at(method)->may_be_guest;
    const char *coupling = may_be ? word_of(item, "coupling") : NULL;
    return 1U << method | (coupling && !strcmp(coupling, "grid") ? 1U << CT_METHOD_MPM : 0);
}

int ct_method_of_scene(const ct_yaml *root)
{
    const char *name = word_of(root, "method");
    int method = name ? ct_method_find(name) : -1;
    return method >= 0 ? method : ct_default_world_def().method;
}

ct_methods ct_methods_of_scene(const ct_yaml *root)
{
    int fallback = ct_method_of_scene(root);
    ct_methods methods = 0;
    for (int i = 0; i < ct_scene_keys.count; i++) {
        const ct_key *key = &ct_scene_keys.keys[i];
        const ct_yaml_entry *things = ct_yaml_find(root, key->name);
        if (key->kind != CT_KEY_NAMED || !key->named->method_offset || !things) continue;
        if (things->value->kind != CT_YAML_MAPPING) continue;
        for (const ct_yaml_entry *item = things->value->first; item; item = item->next)
            methods |= ct_methods_of_item(key->named, item->value, fallback);
    }
    return methods ? methods : 1U << fallback;
}
