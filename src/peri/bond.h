/* A bond and the force in it, from the frames of both ends, for CT_LANES bonds of one particle at once: what
 * the direct solver and the stress share. */
#ifndef CT_PERI_BOND_H
#define CT_PERI_BOND_H

#include "peri/numbers.h"

typedef struct ct_bond_end {
    ct_real rest[CT_DIM], place[CT_DIM], volume;
    ct_real F[CT_DIM][CT_DIM], stiff;
    ct_real two_mu, lambda; /* Pa, of the body */
} ct_bond_end;

CT_INLINE ct_bond_end ct_bond_end_of(const ct_solving *s, size_t p)
{
    const ct_real *frame = s->frame + CT_FRAME_NUMBERS * p;
    const ct_peri_body *body = ct_body_of(s, p);
    ct_bond_end end = {.volume = s->place[CT_QUAD * p + 3],
                       .stiff = frame[CT_FRAME_STIFF],
                       .two_mu = (ct_real)body->two_mu,
                       .lambda = (ct_real)body->lambda};
    CT_UNROLL(a, CT_DIM) {
        end.rest[a] = frame[ct_frame_rest(a)];
        end.place[a] = frame[ct_frame_place(a)];
        CT_UNROLL(b, CT_DIM) end.F[a][b] = frame[ct_frame_at(a, b)];
    }
    return end;
}

typedef struct ct_bond {
    ct_lane Y[CT_DIM];
    ct_lane a;             /* V_i V_j w/L^2 (e_i + e_j), N/m; 0 where there is no bond */
    ct_lane force[CT_DIM]; /* a Y - p, on the particle itself, N */
} ct_bond;

CT_INLINE ct_lane ct_bond_square(const ct_lane v[CT_DIM])
{
    ct_lane square = v[0] * v[0];
    for (int a = 1; a < CT_DIM; a++) square += v[a] * v[a];
    return square;
}

/* |v|, never 0: a direction shorter than 10^-6 of the horizon is none. */
CT_INLINE ct_lane ct_bond_length(const ct_solving *s, const ct_lane v[CT_DIM])
{
    return ct_lane_sqrt(ct_bond_square(v) + (ct_real)1e-8 * s->least * s->least);
}

CT_INLINE void ct_bond_read(const ct_solving *s, const ct_bond_end *own, const uint32_t *index, ct_bond *bond)
{
    ct_lane frame[CT_FRAME_NUMBERS], X[CT_DIM], mine[CT_DIM], theirs[CT_DIM];
    ct_lane quad[4];
    CT_UNROLL(q, CT_FRAME_QUADS) ct_quads_gather(s->frame + 4 * q, CT_FRAME_NUMBERS, index, frame + 4 * q);
    ct_quads_gather(s->place, CT_QUAD, index, quad);
    CT_UNROLL(a, CT_DIM) {
        X[a] = frame[ct_frame_rest(a)] - own->rest[a];
        bond->Y[a] = frame[ct_frame_place(a)] - own->place[a];
    }
    CT_UNROLL(a, CT_DIM) {
        mine[a] = own->F[a][0] * X[0];
        theirs[a] = frame[ct_frame_at(a, 0)] * X[0];
        for (int b = 1; b < CT_DIM; b++) {
            mine[a] += own->F[a][b] * X[b];
            theirs[a] += frame[ct_frame_at(a, b)] * X[b];
        }
    }
    const ct_real least = s->least * s->least;
    ct_lane square = ct_bond_square(X), w = ct_weight(s, square) * (own->volume * quad[3]);
    ct_lane inverse = 1 / ct_lane_sqrt(ct_lane_max(square, ct_lane_all(least)));
    w = ct_lane_select(square > least, w, ct_lane_all(0)) * inverse; /* V_i V_j w/L */
    const ct_lane stiff = frame[CT_FRAME_STIFF], both = w * (stiff + own->stiff);
    bond->a = both * (own->two_mu + own->lambda) * inverse;
    /* dividing by each length, the divider works beside the multipliers; one division for all would not */
    ct_lane pull_mine = w * (own->two_mu * own->stiff) / ct_bond_length(s, mine);
    ct_lane pull_theirs = w * own->two_mu * stiff / ct_bond_length(s, theirs);
    ct_lane stretch = bond->a - both * own->lambda / ct_bond_length(s, bond->Y);
    CT_UNROLL(a, CT_DIM)
        bond->force[a] = stretch * bond->Y[a] - pull_mine * mine[a] - pull_theirs * theirs[a];
}

#endif
