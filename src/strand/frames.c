/* The frames of new strands, and their shape at rest, from the seeds. Per variant. */
#include "strand/passage.h"

#include <math.h>
#include <string.h>

/* Seeds as they lie at rest, X = F^-1 x, and as they are, m. */
static void places_of(const ct_seeds *seeds, double (*now)[3], double (*rest)[3])
{
    const double *F = seeds->motion.deformation;
    double J = F[0] * (F[4] * F[8] - F[5] * F[7]) + F[1] * (F[5] * F[6] - F[3] * F[8]) +
               F[2] * (F[3] * F[7] - F[4] * F[6]);
    for (size_t k = 0; k < seeds->count; k++) {
        ct_seed_position(seeds, k, now[k]);
        if (CT_DIM == 2) now[k][2] = 0;
        CT_FOR(i, 3) {
            rest[k][i] = 0;
            CT_FOR(j, 3) {
                int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
                rest[k][i] += (F[3 * a + c] * F[3 * b + d] - F[3 * a + d] * F[3 * b + c]) / J * now[k][j];
            }
        }
    }
}

/* Frames of one line of seeds, first to first + edges. */
static void frame_line(const ct_seeds *seeds, size_t first, size_t edges, const double (*now)[3],
                       const double (*rest)[3], double (*m1)[3], double (*curve)[2])
{
    memset(m1[first], 0, sizeof *m1);
    if (CT_DIM == 2) m1[first][2] = 1;
    ct_rod_untwist(edges, rest + first, m1 + first);
    ct_rod_curvature(edges, rest + first, (const double(*)[3])m1 + first, curve + first);
    const double *F = seeds->motion.deformation;
    for (size_t j = first; j < first + edges; j++) { /* carried by the deformation */
        double u[3] = {0}, t[3], along = 0, square = 0;
        CT_FOR(a, 3)
            CT_FOR(b, 3) u[a] += F[3 * a + b] * m1[j][b];
        CT_FOR(a, 3) t[a] = now[j + 1][a] - now[j][a], square += t[a] * t[a];
        CT_FOR(a, 3) along += u[a] * t[a] / square;
        CT_FOR(a, 3) u[a] -= along * t[a];
        double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        CT_FOR(a, 3) m1[j][a] = u[a] / length;
    }
}

void CT_FN(ct_rods_frame_seeds)(const ct_seeds *seeds, double (*memory)[12])
{
    size_t count = seeds->count, first = 0;
    double(*now)[3] = (double(*)[3])memory, (*rest)[3] = now + count, (*m1)[3] = rest + count;
    double(*curve)[2] = (double(*)[2])(m1 + count);
    places_of(seeds, now, rest);
    memset(m1, 0, count * sizeof *m1);
    memset(curve, 0, count * sizeof *curve);
    for (size_t l = 0; l < seeds->links.line_count; first = seeds->links.lines[l - 1][1] + 1) {
        size_t edges = 0;
        first = seeds->links.lines[l][0];
        while (l < seeds->links.line_count && seeds->links.lines[l][0] == first + edges) l++, edges++;
        frame_line(seeds, first, edges, (const double(*)[3])now, (const double(*)[3])rest, m1, curve);
    }
}

void CT_FN(ct_rods_write_frames)(ct_rods *s, const ct_seeds *seeds, uint32_t first_id, double (*memory)[12],
                                 const double (*root)[CT_ROOT])
{
    ct_passage g = CT_FN(ct_rods_open)(s);
    size_t count = seeds->count;
    const double(*rest)[3] = (const double(*)[3])memory + count, (*m1)[3] = rest + count;
    const double(*curve)[2] = (const double(*)[2])(m1 + count);
    for (size_t p = s->at->particles.count - count; p < s->at->particles.count; p++) {
        size_t k = g.planes.id[p] - first_id;
        double square = 0;
        CT_FOR(a, k + 1 < count ? 3 : 0)
            square += (rest[k + 1][a] - rest[k][a]) * (rest[k + 1][a] - rest[k][a]);
        CT_FOR(a, 3) g.frame[CT_FRAME_DIRECTOR + a][p] = (ct_real)m1[k][a];
        const double *of = ct_rods_material(s, g.planes.material[p])->coefficients;
        CT_FOR(a, 2) g.frame[CT_FRAME_CURVE + a][p] = (ct_real)(of[CT_STRAND_REST_CURVATURE] * curve[k][a]);
        CT_FOR(a, s->bulk.is_on ? CT_MATRIX : 0) g.planes.deformation[a][p] = a % (CT_DIM + 1) == 0;
        g.frame[CT_FRAME_TWIST][p] = 0;
        CT_FOR(a, 3) g.frame[CT_FRAME_LOAD + a][p] = 0;
        g.frame[CT_FRAME_LENGTH][p] = (ct_real)sqrt(square);
        CT_FOR(a, root ? CT_ROOT : 0) g.frame[CT_FRAME_ROOT + a][p] = (ct_real)root[k][a];
        if (root && root[k][CT_ROOT_IS] > 0) g.planes.hold[p] = CT_HOLD_HELD;
    }
}
