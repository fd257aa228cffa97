#include "scene/looks.h"
#include "scene/look_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const ct_material_look looks[] = {
#define LOOK(name, models, doc, kind, color, ior, roughness, depth, haze, grains) \
    {#name, models, doc, CT_LOOK_##kind, color, ior, roughness, depth, haze, grains},
    CT_LOOKS(LOOK)
#undef LOOK
};

enum {
    LOOK_AUTO,
#define LOOK(name, ...) LOOK_##name,
    CT_LOOKS(LOOK)
#undef LOOK
};

const ct_word ct_look_words[] = {
    {"auto", LOOK_AUTO, "that of the model"},
#define LOOK(name, models, doc, ...) {#name, LOOK_##name, doc},
    CT_LOOKS(LOOK)
#undef LOOK
        {NULL, 0, NULL},
};

const ct_material_look *ct_look_at(int index)
{
    return index >= 0 && index < (int)(sizeof looks / sizeof *looks) ? &looks[index] : NULL;
}

int ct_look_number(const ct_material_look *look)
{
    return 1 + (int)(look - looks);
}

const ct_material_look *ct_look_of_material(const ct_material_def *material)
{
    const ct_material_look *named = ct_look_at(material->look - 1);
    char word[64];
    if (named || !material->type) return named ? named : &looks[0];
    snprintf(word, sizeof word, " %s ", material->type);
    for (int k = 0; ct_look_at(k); k++)
        if (strstr(looks[k].models, word)) return &looks[k];
    return &looks[0];
}

void ct_look_color(const ct_material_look *look, double linear[3])
{
    for (int a = 0; a < 3; a++) {
        double shown = (double)(look->color >> (16 - 8 * a) & 0xff) / 255;
        linear[a] = shown <= 0.04045 ? shown / 12.92 : pow((shown + 0.055) / 1.055, 2.4);
    }
}
