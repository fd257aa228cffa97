#include "material/vertex.h"
#include "strand/strand.h"

#include <float.h>
#include <math.h>

enum {
    ASPECT,
    STRETCH,
    BENDING,
    TWISTING,
    THICKNESS,
    COLLIDE,
    REST_CURVATURE,
    GRID,
    GRID_YOUNG,
    GRID_FRICTION,
    GRID_RADIUS,
    GRID_KEEP,
    PARAMETERS
};

static const ct_parameter_info parameters[PARAMETERS] = {
    [ASPECT] = {"aspect", CT_NUMBER, 1, 0.01, 100,
                "ratio of width to height of the section, an ellipse of the same area. Bending is stiffer "
                "along the width, which is perpendicular to the strand and to the coordinate axis most "
                "perpendicular to its root"},
    [STRETCH] = {"stretch_stiffness", CT_NUMBER, 0, 0, INFINITY,
                 "E A in N (2D: N/m); 0: from Young's modulus and the section"},
    [BENDING] = {"bending_stiffness", CT_NUMBER, 0, 0, INFINITY,
                 "E I in N m^2 (2D: N m); 0: from Young's modulus and the section"},
    [TWISTING] = {"twist_stiffness", CT_NUMBER, 0, 0, INFINITY,
                  "G J in N m^2; 0: from the shear modulus and the section"},
    [THICKNESS] =
        {"thickness", CT_NUMBER, 0, 0, INFINITY,
         "minimum distance of the centre line from those of other strands, in m, half of it for each of the "
         "two; larger than the diameter if a strand represents many hairs; 0: the diameter"},
    [COLLIDE] = {"collide", CT_SWITCH, 1, 0, 1, "contact with other strands"},
    [REST_CURVATURE] =
        {"rest_curvature", CT_NUMBER, 1, 0, 10,
         "ratio of rest curvature to initial curvature: 1: curls keep their shape; 0: straight at rest"},
    [GRID] = {"grid_contact", CT_SWITCH, 0, 0, 1,
              "pressure and friction between strands as a continuum, on a grid of the scene's spacing: dense "
              "hair keeps its volume"},
    [GRID_YOUNG] = {"grid_young", CT_PRESSURE, 0, 0, INFINITY,
                    "Young's modulus of grid_contact; 0: the maximum for the longest step"},
    [GRID_FRICTION] = {"grid_friction", CT_NUMBER, 0.4, 0, 10,
                       "friction coefficient of grid_contact, tangent of the friction angle"},
    [GRID_RADIUS] =
        {"grid_radius", CT_LENGTH, 0, 0, INFINITY,
         "radius of the tube that a strand represents in grid_contact; 0: a quarter of the grid's spacing"},
    [GRID_KEEP] = {"grid_keep", CT_NUMBER, 0.95, 0, 1,
                   "fraction of the velocity relative to its neighbours that a strand keeps per millisecond "
                   "in grid_contact (FLIP); the rest becomes their mean (PIC)"},
};

static const ct_material_info info = {
    .name = "strand",
    .title = "Elastic strand",
    .doc = "Hair, threads, wires and rods as discrete elastic rods, with stretch, bending and twist "
           "stiffness from their moduli and the radius of the line. The initial shape is the rest shape.",
    .paper = "hybrid-mpm-2019",
    .is_elastic = true,
    .parameters = parameters,
    .parameter_count = PARAMETERS};

const ct_material_info *ct_strand_material_at(int index)
{
    return index == 0 ? &info : NULL;
}

ct_status ct_strand_prepare_material(int model, double mu, double lambda, const double *given, double *k,
                                     ct_error *error)
{
    (void)model;
    double young = mu + lambda > 0 ? mu * (3 * lambda + 2 * mu) / (lambda + mu) : 0;
    if (!(young > 0 && mu > 0))
        return ct_fail(error, CT_BAD_USAGE, "a strand needs a Young's modulus above 0");
    k[CT_STRAND_YOUNG] = young;
    k[CT_STRAND_SHEAR] = mu;
    k[CT_STRAND_ASPECT] = given[ASPECT];
    k[CT_STRAND_EA] = given[STRETCH];
    k[CT_STRAND_EI] = given[BENDING];
    k[CT_STRAND_GJ] = given[TWISTING];
    k[CT_STRAND_THICKNESS] = given[THICKNESS];
    k[CT_STRAND_COLLIDES] = given[COLLIDE] > 0;
    k[CT_STRAND_REST_CURVATURE] = given[REST_CURVATURE];
    k[CT_STRAND_GRID] = given[GRID] > 0;
    k[CT_STRAND_GRID_YOUNG] = given[GRID_YOUNG];
    k[CT_STRAND_GRID_FRICTION] = given[GRID_FRICTION];
    k[CT_STRAND_GRID_RADIUS] = given[GRID_RADIUS];
    k[CT_STRAND_GRID_KEEP] = given[GRID_KEEP];
    return CT_OK;
}

ct_status ct_strand_check(const ct_world_def *def, ct_error *error)
{
    (void)def, (void)error;
    return CT_OK;
}

ct_status ct_strand_check_body(const ct_body_def *def, ct_error *error)
{
    if (def->shape.type != CT_SHAPE_POLYLINE)
        return ct_fail(error, CT_BAD_USAGE, "body '%s': strands are made of lines: shape polyline",
                       def->name);
    if (def->shape.is_closed)
        return ct_fail(error, CT_BAD_USAGE, "body '%s': a strand has two ends; it cannot be closed",
                       def->name);
    if (def->shape.has_twist)
        return ct_fail(error, CT_BAD_USAGE, "body '%s': strands resist twist as they are; remove 'twist'",
                       def->name);
    return CT_OK;
}

/* In the grid of a host each strand is a tube of grains: `grid_young` times what the tube is thicker, since a
 * vertex has the volume of the strand. */
ct_status ct_strand_vertex_stress(const ct_world_def *def, const ct_body_def *body, const double *k,
                                  ct_vertex_stress *stress, ct_error *error)
{
    if (!(k[CT_STRAND_GRID] > 0)) return CT_OK;
    if (!(k[CT_STRAND_GRID_YOUNG] > 0))
        return ct_fail(
            error, CT_BAD_USAGE,
            "body '%s': 'grid_contact' with 'coupling: grid' needs a 'grid_young' above 0: it bounds "
            "explicit steps",
            body->name);
    double radius = k[CT_STRAND_GRID_RADIUS] > 0 ? k[CT_STRAND_GRID_RADIUS] : 0.25 * def->spacing;
    double thicker = body->shape.radius > 0 ? radius / body->shape.radius : 1;
    *stress = (ct_vertex_stress){.is_there = true,
                                 .young = k[CT_STRAND_GRID_YOUNG] *
                                          (def->dimension == 3 ? thicker * thicker : thicker),
                                 .poisson = 0.3,
                                 .friction_angle = atan(k[CT_STRAND_GRID_FRICTION])};
    return CT_OK;
}

/* An ellipse of half axes a along m1 and b along m2, a/b = r, of area A = pi a b: I = A^2 r/(4 pi) against k1
 * and A^2/(4 pi r) against k2, J = A^2/(pi (r + 1/r)). A plane strand is a plate: I = h^3/12. */
void ct_strand_section(const ct_material *material, int dimension, double area, ct_rod *rod)
{
    static const double pi = 3.14159265358979323846;
    const double *k = material->coefficients, r = k[CT_STRAND_ASPECT], young = k[CT_STRAND_YOUNG];
    double square = area * area / (4 * pi);
    rod->stretch = k[CT_STRAND_EA] > 0 ? k[CT_STRAND_EA] : young * area;
    rod->bend[0] = k[CT_STRAND_EI] > 0 ? k[CT_STRAND_EI] * r : young * square * r;
    rod->bend[1] = k[CT_STRAND_EI] > 0 ? k[CT_STRAND_EI] / r : young * square / r;
    rod->twist = k[CT_STRAND_GJ] > 0 ? k[CT_STRAND_GJ] : k[CT_STRAND_SHEAR] * 4 * square / (r + 1 / r);
    if (dimension == 2)
        rod->bend[0] = rod->bend[1] = k[CT_STRAND_EI] > 0 ? k[CT_STRAND_EI] : young * area * area * area / 12;
}
