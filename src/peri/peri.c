#include "peri/peri.h"

#include "core/cholesky.h"

#include <math.h>

ct_status ct_peri_check(const ct_world_def *def, ct_error *error)
{
    const ct_peri_def *peri = &def->peri;
    if (!(peri->horizon == 0 || (peri->horizon >= CT_LEAST_HORIZON && peri->horizon <= 8)))
        return ct_fail(error, CT_BAD_USAGE, "peridynamics: a horizon of %g spacings; it must be %g to 8",
                       peri->horizon, CT_LEAST_HORIZON);
    if ((unsigned)peri->solver > CT_PERI_NEWTON)
        return ct_fail(error, CT_BAD_USAGE, "peridynamics: there is no solver %d", (int)peri->solver);
    if (peri->solver == CT_PERI_DIRECT && !ct_factor_is_built_in())
        return ct_fail(
            error, CT_BAD_USAGE,
            "peridynamics: the direct solver needs CHOLMOD, which this build does not have; install "
            "SuiteSparse and build again, or choose another solver");
    if (peri->iterations < 0 || !(peri->tolerance >= 0))
        return ct_fail(error, CT_BAD_USAGE, "peridynamics: iterations and tolerance must not be negative");
    if (!(peri->contact >= 0 && peri->contact <= 1.5) || !(peri->friction >= 0))
        return ct_fail(error, CT_BAD_USAGE,
                       "peridynamics: contact must be 0 to 1.5 spacings, and friction not negative");
    if (!(peri->spectral_radius >= 0 && peri->spectral_radius < 1))
        return ct_fail(error, CT_BAD_USAGE, "peridynamics: the spectral radius must be below 1");
    return CT_OK;
}

double ct_peri_share_of(const ct_peri *peri, size_t body, const ct_material *material)
{
    const double *k = material->coefficients;
    double spacings = peri->spacing > 0 && body < peri->slabs ? peri->slab[body] / peri->spacing : 0;
    if (!(k[CT_PERI_BY_SECTION] > 0) || !(spacings > 0)) return -1;
    double poisson = 0.5 * k[CT_PERI_LAMBDA] / (k[CT_PERI_LAMBDA] + k[CT_PERI_MU]);
    return ct_peri_bending_share(peri->common->bodies[body].rank, peri->horizon / peri->spacing, spacings,
                                 poisson);
}

/* sqrt(12 I / A) of a line's section, a disc or in 2D a slab, and of a sheet. */
static double slab_of(const ct_peri *peri, const ct_body_def *def)
{
    const ct_shape_def *shape = &def->shape;
    double radius = shape->radius > 0 ? shape->radius : 0.5 * peri->spacing;
    if (shape->type == CT_SHAPE_SHEET || shape->type == CT_SHAPE_SURFACE)
        return shape->thickness > 0 ? shape->thickness : peri->spacing;
    if (shape->type != CT_SHAPE_POLYLINE || shape->has_twist) return 0;
    return peri->common->def.dimension == 3 ? sqrt(3) * radius : 2 * radius;
}

ct_status ct_peri_note_section(ct_peri *peri, const ct_body_def *def, size_t body, ct_error *error)
{
    ct_status status = ct_array_grow(&peri->common->heap, &peri->slab, peri->slabs, &peri->slab_room,
                                     body + 1, sizeof *peri->slab, error);
    if (status) return status;
    for (; peri->slabs <= body; peri->slabs++) peri->slab[peri->slabs] = 0;
    peri->slab[body] = slab_of(peri, def);
    double share = ct_peri_share_of(peri, body, &peri->common->materials[def->material]);
    if (share <= 1) return CT_OK;
    return ct_fail(
        error, CT_BAD_USAGE,
        "body '%s': as thick as it is, it would have to be %.1f times stiffer in bending than bonds "
        "of this reach can be; use a larger spacing, or give the material's 'bending'",
        def->name, share);
}

void ct_peri_forget_factor(ct_peri *peri)
{
    ct_factor_destroy(peri->factor);
    peri->factor = NULL;
}

void ct_peri_forget_bonds(ct_peri *peri)
{
    peri->must_find = true;
    peri->is_settled = false;
}

static void release_surface(ct_heap *heap, ct_surface *surface)
{
    void *const owned[] = {surface->position, surface->velocity, surface->mass, surface->normal,
                           surface->impulse,  surface->row,      surface->body};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) ct_release(heap, owned[i]);
}

void ct_peri_release(ct_peri *peri)
{
    ct_heap *heap = &peri->common->heap;
    ct_peri_forget_factor(peri);
    ct_border_release(&peri->border);
    ct_cloud_release(&peri->cloud);
    release_surface(heap, &peri->surface);
    release_surface(heap, &peri->meeting);
    ct_immersed_release(&peri->immersed, heap);
    for (size_t b = 0; b < peri->stiff_room; b++) ct_stiff_release(heap, &peri->stiff[b]);
    void *const owned[] = {peri->bonds.count,
                           peri->bonds.index,
                           peri->near.count,
                           peri->near.index,
                           peri->near_push,
                           peri->faces.corner,
                           peri->faces.is_rim,
                           peri->faces.of,
                           peri->faces.first,
                           peri->faces.normal[0],
                           peri->faces.normal[1],
                           peri->faces.met,
                           peri->cells.bucket,
                           peri->cells.first,
                           peri->cells.order,
                           peri->cells.position,
                           peri->cells.pack,
                           peri->rest,
                           peri->start,
                           peri->place[0],
                           peri->place[1],
                           peri->move[0],
                           peri->move[1],
                           peri->goal,
                           peri->inverse,
                           peri->force,
                           peri->frame,
                           peri->kept,
                           peri->turns.piece,
                           peri->partial,
                           peri->workers,
                           peri->body,
                           peri->medium.rows.count,
                           peri->medium.rows.index,
                           peri->medium.length,
                           peri->medium.stiffness,
                           peri->medium.slip,
                           peri->medium.flows,
                           peri->medium.matter,
                           peri->medium.press,
                           peri->touched,
                           peri->stiff,
                           peri->stiff_number,
                           peri->slab,
                           peri->is_put_back,
                           peri->number,
                           peri->sides,
                           peri->felt,
                           peri->marks,
                           peri->solving};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) ct_release(heap, owned[i]);
    ct_release(heap, peri);
}
