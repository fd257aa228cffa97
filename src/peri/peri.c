#include "peri/peri.h"

#include "core/cholesky.h"

ct_status ct_peri_check(const ct_world_def *def, ct_error *error)
{
    const ct_peri_def *peri = &def->peri;
    if (!(peri->horizon == 0 || (peri->horizon >= CT_LEAST_HORIZON && peri->horizon <= 8)))
        return ct_fail(error, CT_BAD_USAGE, "peridynamics: a horizon of %g spacings; it must be %g to 8",
                       peri->horizon, CT_LEAST_HORIZON);
    if ((unsigned)peri->solver > CT_PERI_POSITIONS)
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
                           peri->is_put_back,
                           peri->number,
                           peri->sides,
                           peri->felt,
                           peri->marks,
                           peri->solving};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) ct_release(heap, owned[i]);
    ct_release(heap, peri);
}
