/* A bond and the force in it, for CT_LANES bonds of one particle at once: what the sweep, the direct solver
 * and the stress share. */
#ifndef CT_PERI_BOND_H
#define CT_PERI_BOND_H

#include "peri/numbers.h"

typedef struct ct_bond_end {
    ct_real rest[CT_DIM], place[CT_DIM], volume;
    ct_real F[CT_DIM][CT_DIM], c, d;
} ct_bond_end;

CT_INLINE ct_bond_end ct_bond_end_of(const ct_solving *s, size_t p)
{
    ct_bond_end end;
    const ct_real *frame = s->frame + CT_PERI_FRAME * p;
    CT_UNROLL(a, CT_DIM) {
        end.rest[a] = s->rest[CT_QUAD * p + (size_t)a];
        end.place[a] = s->place[CT_QUAD * p + (size_t)a];
        CT_UNROLL(b, CT_DIM) end.F[a][b] = frame[ct_frame_at(a, b)];
    }
    end.volume = s->place[CT_QUAD * p + 3];
    end.c = frame[CT_FRAME_C];
    end.d = frame[CT_FRAME_D];
    return end;
}

typedef struct ct_bond {
    ct_lane X[CT_DIM], Y[CT_DIM];
    ct_lane square;        /* L^2 */
    ct_lane a;             /* V_i V_j w/L^2 (e_i + e_j), N/m; 0 where there is no bond */
    ct_lane force[CT_DIM]; /* a Y - p, on the particle itself, N */
} ct_bond;

/* |v|, never 0: a direction shorter than 10^-6 of the horizon is none. */
CT_INLINE ct_lane ct_bond_length(const ct_solving *s, const ct_lane v[CT_DIM])
{
    ct_lane square = ct_lane_all((ct_real)1e-8 * s->least * s->least);
    CT_UNROLL(a, CT_DIM) square += v[a] * v[a];
    return ct_lane_sqrt(square);
}

CT_INLINE void ct_bond_read(const ct_solving *s, const ct_bond_end *own, const uint32_t *index, ct_bond *bond)
{
    ct_lane rest[4], place[4], frame[CT_PERI_FRAME], mine[CT_DIM], theirs[CT_DIM];
    ct_quads_gather(s->rest, CT_QUAD, index, rest);
    ct_quads_gather(s->place, CT_QUAD, index, place);
    CT_UNROLL(q, CT_FRAME_QUADS) ct_quads_gather(s->frame + 4 * q, CT_PERI_FRAME, index, frame + 4 * q);
    bond->square = ct_lane_all(0);
    CT_UNROLL(a, CT_DIM) {
        bond->X[a] = rest[a] - own->rest[a];
        bond->Y[a] = place[a] - own->place[a];
        bond->square += bond->X[a] * bond->X[a];
    }
    CT_UNROLL(a, CT_DIM) {
        mine[a] = own->F[a][0] * bond->X[0];
        theirs[a] = frame[ct_frame_at(a, 0)] * bond->X[0];
        for (int b = 1; b < CT_DIM; b++) {
            mine[a] += own->F[a][b] * bond->X[b];
            theirs[a] += frame[ct_frame_at(a, b)] * bond->X[b];
        }
    }
    ct_mask is_bond = bond->square > s->least * s->least;
    ct_lane inverse = 1 / ct_lane_sqrt(ct_lane_select(is_bond, bond->square, ct_lane_all(1)));
    ct_lane w = ct_weight(s, bond->square) * (own->volume * place[3]);
    w = ct_lane_select(is_bond, w, ct_lane_all(0)) * inverse; /* V_i V_j w/L */
    const ct_lane c = frame[CT_FRAME_C], d = frame[CT_FRAME_D] + own->d;
    bond->a = w * (c + d + own->c) * inverse;
    /* one division for three directions: it takes as long as forty multiplications */
    ct_lane one = ct_bond_length(s, mine), two = ct_bond_length(s, theirs),
            three = ct_bond_length(s, bond->Y);
    ct_lane product = w / (one * two * three);
    ct_lane pull_mine = own->c * product * (two * three), pull_theirs = c * product * (one * three);
    ct_lane stretch = bond->a - d * product * (one * two);
    CT_UNROLL(a, CT_DIM)
        bond->force[a] = stretch * bond->Y[a] - pull_mine * mine[a] - pull_theirs * theirs[a];
}

#endif
