#include "peri/peri.h"

#include "peri/cholesky.h"

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

void ct_peri_release(ct_heap *heap, ct_peri *peri)
{
    if (!peri) return;
    ct_peri_forget_factor(peri);
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
                           peri->surface.position,
                           peri->surface.velocity,
                           peri->surface.mass,
                           peri->surface.normal,
                           peri->surface.row,
                           peri->surface.body,
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
                           peri->sides};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) ct_release(heap, owned[i]);
    ct_release(heap, peri);
}
