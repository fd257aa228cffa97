#include "scene/presets.h"

#include <stdio.h>
#include <string.h>

static const ct_preset presets[] = {
    {"water",
     "Water that splashes. Softer than real water for longer time steps: `bulk` is chosen so that sound is "
     "ten times as fast as anything in the scene, which keeps the density within 1%.",
     "type: fluid, density: 998 kg/m^3, bulk: 2 MPa, gamma: 7, viscosity: 1.0e-3 Pa s, look: water",
     "20 C: CRC Handbook of Chemistry and Physics (density, viscosity); gamma: Cole 1948; bulk: 2.2 GPa in "
     "reality",
     CT_METHOD_MPM, true},
    {"oil", "Olive oil: about 80 times as viscous as water.",
     "type: fluid, density: 910 kg/m^3, bulk: 2 MPa, gamma: 7, viscosity: 84 mPa s, look: oil",
     "20 C: CRC Handbook of Chemistry and Physics (viscosity of olive oil); bulk softened as for water",
     CT_METHOD_MPM, true},
    {"honey", "Honey: falls in a thick thread, coils and spreads.",
     "type: fluid, density: 1420 kg/m^3, bulk: 1 MPa, gamma: 7, viscosity: 10 Pa s, look: honey",
     "20 C, 18% water, between Munro 1943 (in Krell 1996, FAO) 4.8 Pa s at 25 C with 18.2% and 19 Pa s at "
     "20.6 C with 16.1%; bulk softened as for water",
     CT_METHOD_MPM, true},
    {"jelly", "Dessert jelly: wobbles and does not break.",
     "type: fixed_corotated, density: 1010 kg/m^3, young: 10 kPa, poisson: 0.45, look: jelly",
     "Bonavia 2025, arXiv 2512.20502: 277 kPa to 4.3 kPa for 2 to 20 parts of water to one of gelatin; 12 by "
     "the power law between; compressible so that time steps are long",
     CT_METHOD_MPM, false},
    {"rubber", "Soft rubber, as of an eraser or a bouncing ball.",
     "type: neo_hookean, density: 1100 kg/m^3, young: 1.5 MPa, poisson: 0.48, look: rubber",
     "Ashby 2011, natural rubber: 1.5 to 2.5 MPa, poisson 0.499; softened in volume", CT_METHOD_MPM, false},
    {"steel", "Mild steel: elastic until it yields, then stays bent.",
     "type: von_mises, density: 7850 kg/m^3, young: 200 GPa, poisson: 0.3, yield_stress: 250 MPa, "
     "hardening: 1 GPa, look: steel",
     "Ashby 2011, low-carbon steel: 200 to 215 GPa, yield 250 to 395 MPa; hardening: order of magnitude",
     CT_METHOD_MPM, false},
    {"dry_sand", "Dry sand: collapses to a heap.",
     "type: drucker_prager, density: 1600 kg/m^3, young: 1 MPa, poisson: 0.3, friction_angle: 33 deg, "
     "cone: plane_strain, look: sand",
     "Lambe and Whitman 1969 (loose quartz sand: density, angle); young softened, for heaps up to a metre",
     CT_METHOD_MPM, false},
    {"wet_sand", "Damp sand: stands in steep walls, crumbles when struck or overloaded.",
     "type: drucker_prager_hardening, density: 1800 kg/m^3, young: 1 MPa, poisson: 0.3, "
     "friction_angle: 35 deg, cone: plane_strain, h1: 0, h3: 0, cohesion: 1 kPa, crumbling: 20, crumbles_at: "
     "0.3, look: "
     "wet_sand",
     "Mitarai and Nori 2006 (cohesion of damp sand: some 1 kPa); crumbling: "
     "chosen, so that a face as high as cohesion allows survives sudden gravity; the rest as dry sand",
     CT_METHOD_MPM, false},
    {"snow", "Snow to make balls of.",
     "type: snow, density: 400 kg/m^3, young: 140 kPa, poisson: 0.2, critical_compression: 0.025, "
     "critical_stretch: 0.0075, hardening: 10, look: snow",
     "Stomakhin et al. 2013, Table 2", CT_METHOD_MPM, false},
    {"clay", "Moist clay: dents, cracks and crumbles.",
     "type: nacc, density: 1800 kg/m^3, young: 1 MPa, poisson: 0.3, friction_angle: 30 deg, beta: 0.5, "
     "xi: 3, consolidation: -0.02, look: clay",
     "Wood 1990 (density, angle of soft clays); beta and xi as in Wolper et al. 2019; the rest chosen by eye",
     CT_METHOD_MPM, false},
    {"ketchup", "Tomato ketchup: stands, then runs once it moves.",
     "type: herschel_bulkley, density: 1100 kg/m^3, bulk: 50 kPa, shear: 5 kPa, yield_stress: 32 Pa, "
     "viscosity: 18.7 Pa s, power: 0.27, look: ketchup",
     "Steffe 1996, 25 C: yield stress, consistency, power; elastic constants chosen for time steps",
     CT_METHOD_MPM, false},
    {"mud", "Wet mud: flows in lobes and stops.",
     "type: herschel_bulkley, density: 1500 kg/m^3, bulk: 500 kPa, shear: 50 kPa, yield_stress: 100 Pa, "
     "viscosity: 10 Pa s, power: 0.5, look: mud",
     "orders of magnitude of Coussot 1997; elastic constants chosen for time steps", CT_METHOD_MPM, false},
    {"lava",
     "Basalt lava at 1100 C: creeps as a thick tongue, stiffens as it cools and is rock below 900 C. It "
     "cools "
     "where `air`, walls or colliders let it.",
     "type: herschel_bulkley, density: 2600 kg/m^3, bulk: 5 MPa, shear: 500 kPa, yield_stress: 500 Pa, "
     "viscosity: 1000 Pa s, power: 1, temperature: 1100 degC, reference_temperature: 1100 degC, "
     "softening: 0.02 1/K, thinning: 0.04 1/K, solidus: 900 degC, heat_capacity: 1150 J/(kg K), "
     "conductivity: 2 W/(m K), look: lava",
     "orders of magnitude of Griffiths 2000 (basalt flows: stress, viscosity, heat); Pinkerton and Norton "
     "1995 "
     "and Dragoni 1989 (change with temperature); elastic constants chosen for time steps",
     CT_METHOD_MPM, false},
    {"rubber", "Soft rubber, as of an eraser or a bouncing ball.",
     "type: elastic, density: 1100 kg/m^3, young: 1.5 MPa, poisson: 0.25, look: rubber",
     "Ashby 2011, natural rubber: 1.5 to 2.5 MPa; bonds make Poisson's ratio 1/4", CT_METHOD_PERIDYNAMICS,
     false},
    {"dry_sand", "Dry sand: collapses to a heap.",
     "type: granular, density: 1600 kg/m^3, friction_angle: 33 deg, look: sand",
     "Lambe and Whitman 1969 (loose quartz sand: density, angle); moduli chosen for heaps up to half a metre",
     CT_METHOD_PERIDYNAMICS, false},
    {"wet_sand", "Damp sand: stands in steep walls, cracks and clumps.",
     "type: granular, density: 1800 kg/m^3, friction_angle: 35 deg, saturation: 0.4, cohesion: 1 kPa, look: "
     "wet_sand",
     "Mitarai and Nori 2006 (cohesion of damp sand: some 1 kPa); the rest as dry sand",
     CT_METHOD_PERIDYNAMICS, false},
    {"honey", "Honey: falls in a thick thread, piles up and spreads.",
     "type: viscous, density: 1420 kg/m^3, viscosity: 10 Pa s, look: honey",
     "20 C, 18% water, between Munro 1943 (in Krell 1996, FAO) 4.8 Pa s at 25 C with 18.2% and 19 Pa s at "
     "20.6 C with 16.1%",
     CT_METHOD_PERIDYNAMICS, false},
    {"clay", "Moist clay: dents and stays dented.",
     "type: plastic, density: 1800 kg/m^3, bulk: 500 kPa, shear: 200 kPa, cohesion: 3 kPa, look: clay",
     "Wood 1990 (density of soft clays); strength of a soft modelling clay, moduli chosen for time steps",
     CT_METHOD_PERIDYNAMICS, false},
    {"water", "Incompressible water: steps of about one cell.",
     "type: liquid, density: 998 kg/m^3, look: water",
     "20 C: CRC Handbook of Chemistry and Physics (density)", CT_METHOD_FLUID, false},
    {"oil", "Olive oil: about 80 times as viscous as water.",
     "type: liquid, density: 910 kg/m^3, viscosity: 84 mPa s, look: oil",
     "20 C: CRC Handbook of Chemistry and Physics (viscosity of olive oil)", CT_METHOD_FLUID, false},
    {"honey", "Incompressible honey: falls in a thick thread and spreads.",
     "type: liquid, density: 1420 kg/m^3, viscosity: 10 Pa s, look: honey",
     "20 C, 18% water, between Munro 1943 (in Krell 1996, FAO) 4.8 Pa s at 25 C with 18.2% and 19 Pa s at "
     "20.6 C with 16.1%",
     CT_METHOD_FLUID, false},
};

const ct_preset *ct_preset_at(int index)
{
    return index >= 0 && index < (int)(sizeof presets / sizeof *presets) ? &presets[index] : NULL;
}

const ct_preset *ct_preset_find(int method, const char *name)
{
    for (int i = 0; ct_preset_at(i); i++)
        if ((int)presets[i].method == method && !strcmp(name, presets[i].name)) return &presets[i];
    return NULL;
}

/* Of the material's method. */
static const ct_preset *find_preset(ct_decoder *decoder, const ct_yaml *name)
{
    const char *names[sizeof presets / sizeof *presets];
    int count = 0;
    const char *word = name->kind == CT_YAML_SCALAR ? name->text : "";
    bool is_elsewhere = false;
    for (int i = 0; ct_preset_at(i); i++) {
        bool is_own = decoder->methods >> presets[i].method & 1, is_it = !strcmp(word, presets[i].name);
        if (is_own && is_it) return &presets[i];
        if (is_own) names[count++] = presets[i].name;
        is_elsewhere |= is_it;
    }
    char what[200] = "there is no preset";
    if (is_elsewhere) snprintf(what, sizeof what, "%s has no preset", ct_methods_show(decoder->methods).text);
    ct_mistake_word(decoder, name->place, what, word, names, count);
    return NULL;
}

static ct_yaml *read_keys(ct_decoder *decoder, const ct_preset *preset)
{
    char text[600];
    ct_yaml *keys = NULL;
    int length = snprintf(text, sizeof text, "{%s}", preset->keys);
    ct_status status =
        ct_yaml_parse(decoder->arena, decoder->mistakes, preset->name, text, (size_t)length, &keys);
    if (status == CT_NO_MEMORY) decoder->out_of_memory = true;
    return status ? NULL : keys;
}

static bool is_elastic(const ct_section *section, const char *key)
{
    for (const char *const *choice = section->choices; choice && *choice; choice++)
        if (ct_choice_has(*choice, key)) return true;
    return false;
}

static bool has_key(const ct_section *section, const char *name)
{
    for (int i = 0; i < section->count; i++)
        if (!strcmp(section->keys[i].name, name)) return true;
    return false;
}

const ct_yaml *ct_preset_resolve(ct_decoder *decoder, const ct_variants *variants, const ct_yaml *node)
{
    const ct_yaml_entry *named = variants->has_presets ? ct_yaml_find(node, "preset") : NULL;
    if (!named) return node;
    const ct_preset *preset = find_preset(decoder, named->value);
    const ct_yaml *keys = preset ? read_keys(decoder, preset) : NULL;
    ct_yaml *merged = keys ? ct_decoder_allocate(decoder, sizeof *merged) : NULL;
    if (!merged) return NULL;
    *merged = (ct_yaml){.kind = CT_YAML_MAPPING, .place = node->place};

    /* Another type takes those of the preset's keys that it has; an unknown one is told of later. */
    const ct_yaml_entry *type = ct_yaml_find(node, "type"), *own = ct_yaml_find(keys, "type");
    const char *name = type && type->value->kind == CT_YAML_SCALAR ? type->value->text : own->value->text;
    ct_variant variant;
    bool is_known = ct_variant_find(variants, name, &variant), has_constants = false, is_whole = true;
    for (const ct_yaml_entry *entry = node->first; entry; entry = entry->next) {
        if (is_known && is_elastic(&variant.section, entry->key))
            has_constants = has_constants || !ct_yaml_find(keys, entry->key);
        if (entry != named)
            is_whole =
                is_whole && ct_yaml_append(decoder->arena, merged, entry->key, entry->place, entry->value);
    }
    for (const ct_yaml_entry *entry = keys->first; entry; entry = entry->next) {
        if (ct_yaml_find(node, entry->key) || (is_known && !has_key(&variant.section, entry->key))) continue;
        if (has_constants && is_elastic(&variant.section, entry->key)) continue;
        is_whole = is_whole && ct_yaml_append(decoder->arena, merged, entry->key, named->place, entry->value);
    }
    if (!is_whole) decoder->out_of_memory = true;
    return is_whole ? merged : NULL;
}

ct_preset_text ct_preset_mark(const ct_preset *preset)
{
    ct_preset_text mark = {""};
    if (preset->method != ct_default_world_def().method)
        snprintf(mark.text, sizeof mark.text, " (%s)", ct_method_info_at((int)preset->method)->name);
    return mark;
}

void ct_presets_write(ct_text *text)
{
    for (int i = 0; ct_preset_at(i); i++)
        ct_text_print(text, "%s%s%s: %s\n    {%s}\n    %s\n", i ? "\n" : "", presets[i].name,
                      ct_preset_mark(&presets[i]).text, presets[i].doc, presets[i].keys, presets[i].source);
}
