/* How materials look in pictures: one list. A scene names a look (`look: honey`); presets name theirs; any
 * other material has the look of its model.
 *
 * Real optical constants are those of metres of water and millimetres of honey. Scenes are of any size, and a
 * picture should show what the stuff is. So lengths are shares of the size of what is shown, its longest
 * side: `depth` is how far light goes until white has become `color`, and `haze` how often it is scattered
 * over one such side.
 */
#ifndef CT_SCENE_LOOKS_H
#define CT_SCENE_LOOKS_H

#include "continua/continua.h"

typedef enum ct_look_kind {
    CT_LOOK_COATED, /* a surface of `color` under a thin clear coat */
    CT_LOOK_CLEAR,  /* refracts, absorbs, scatters */
    CT_LOOK_METAL,  /* reflects; `color` is that of the reflection */
    CT_LOOK_POWDER, /* a matte surface strewn with `grains` */
    CT_LOOK_GRAINS, /* `grains` spheres per particle, of varied size and shade */
    CT_LOOK_GLOWING /* coated, and incandescent by its temperature */
} ct_look_kind;

/* X(name, models, doc, kind, color, ior, roughness, depth, haze, grains). `models`: those that have this look
 * when none is named, between spaces. */
#define CT_LOOKS(X)                                                                                         \
    X(plain, "", "A smooth surface of the body's colour.", COATED, 0xb8bcc4, 1.5, 0.35, 0, 0, 0)            \
    X(water, " fluid fluid_linear fluid_log liquid ", "Clear and faintly blue.", CLEAR, 0x7cc4dc, 1.333, 0, \
      0.5, 0, 0)                                                                                            \
    X(oil, "", "Clear and yellow-green.", CLEAR, 0xc8b428, 1.47, 0, 0.3, 0.3, 0)                            \
    X(honey, " viscous ", "Amber, clear where it is thin.", CLEAR, 0xd8860a, 1.49, 0, 0.12, 3, 0)           \
    X(jelly, "", "Translucent, of the body's colour.", CLEAR, 0xd03040, 1.36, 0, 0.16, 9, 0)                \
    X(glass, "", "Clear and colourless.", CLEAR, 0xe4f0ec, 1.5, 0, 0.5, 0, 0)                               \
    X(rubber, "", "Dull, with a faint sheen.", COATED, 0x3a3c40, 1.5, 0.6, 0, 0, 0)                         \
    X(clay, " nacc plastic ", "Terracotta, dull.", COATED, 0xb4633e, 1.4, 0.7, 0, 0, 0)                     \
    X(mud, " herschel_bulkley ", "Brown and wet.", COATED, 0x5c4330, 1.4, 0.28, 0, 0, 0)                    \
    X(ketchup, "", "Red and glossy.", COATED, 0xa8140c, 1.45, 0.22, 0, 0, 0)                                \
    X(steel, " von_mises ", "Brushed grey metal.", METAL, 0xb4b8bc, 1, 0.3, 0, 0, 0)                        \
    X(sand, " drucker_prager drucker_prager_hardening drucker_prager_simo mu_i granular ", "Tan grains.",   \
      GRAINS, 0xd9b47c, 1.5, 0.8, 0, 0, 8)                                                                  \
    X(wet_sand, "", "Darker grains that stick.", GRAINS, 0x9c7748, 1.4, 0.45, 0, 0, 8)                      \
    X(snow, " snow ", "White powder.", POWDER, 0xf7fafd, 1.31, 0.9, 0, 0, 16)                               \
    X(lava, "", "Black rock that glows where it is hot.", GLOWING, 0x1c1816, 1.1, 0.8, 0, 0, 0)

typedef struct ct_material_look {
    const char *name, *models, *doc;
    ct_look_kind kind;
    unsigned color; /* 0xrrggbb, sRGB */
    double ior;     /* index of refraction */
    double roughness, depth, haze;
    int grains;
} ct_material_look;

/* The look of a material: the one it names (1: the first of the list), or 0: that of its model. */
const ct_material_look *ct_look_of_material(const ct_material_def *material);
const ct_material_look *ct_look_at(int index);    /* NULL past the end */
int ct_look_number(const ct_material_look *look); /* the `look` of a material that names it */

/* sRGB 0xrrggbb as linear light. */
void ct_look_color(const ct_material_look *look, double linear[3]);

#endif
