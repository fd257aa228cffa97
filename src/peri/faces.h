/* Faces of sheets: their corners, normals, and what is near them. */
#ifndef CT_PERI_FACES_H
#define CT_PERI_FACES_H

#include "peri/numbers.h"

enum { CT_FACES_START, CT_FACES_NOW }; /* which normals */

/* All faces, after particles were sorted, came or went. */
ct_status CT_FN(ct_peri_find_faces)(ct_peri *peri, ct_error *error);
void CT_FN(ct_peri_face_normals)(const ct_solving *s, const ct_real *quads, int which);

/* The point of a face that is nearest to x: the shares of its corners, and the way d from there to x; returns
 * its square. */
ct_real CT_FN(ct_peri_nearest_on_face)(const ct_faces *f, const ct_real *quads, size_t face, const ct_real *x,
                                       ct_real share[CT_DIM], ct_real d[CT_DIM]);

/* 1 or -1, the side of the sheet that d leads to from there, or 0 beside its rim; and the normal there. */
ct_real CT_FN(ct_peri_side_of_face)(const ct_faces *f, int which, size_t face, const ct_real share[CT_DIM],
                                    const ct_real d[CT_DIM], ct_real n[CT_DIM]);

/* Whether a particle is part of a sheet. */
static inline bool ct_is_of_sheet(const ct_solving *s, size_t p)
{
    const ct_faces *f = &s->peri->faces;
    return f->count && f->first[p + 1] > f->first[p];
}

#endif
