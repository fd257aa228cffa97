#include "mpm/split.h"

#include "particles/place.h"
#include "particles/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SPLIT_BEYOND = 0.75, STRETCHED_BEYOND = 1; /* cells */
static const double LEAST_APART = 0.01; /* of its length: how far the halves are from the whole */
enum { EVERY = 8 };                     /* steps: F changes by a few percent in one */

/* ---- how long a particle is ---- */

/* Eigenvalues and -vectors (columns) of a symmetric matrix, by Jacobi's rotations. */
static void diagonalize(double A[3][3], double vectors[3][3])
{
    CT_FOR(i, 3)
        CT_FOR(j, 3) vectors[i][j] = i == j;
    CT_FOR(sweep, 12)
        for (int p = 0; p < CT_DIM - 1; p++)
            for (int q = p + 1; q < CT_DIM; q++) {
                if (fabs(A[p][q]) <= 1e-15 * (fabs(A[p][p]) + fabs(A[q][q]))) continue;
                double half = 0.5 * (A[q][q] - A[p][p]) / A[p][q];
                double t = copysign(1, half) / (fabs(half) + sqrt(half * half + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                CT_FOR(k, 3) {
                    double a = A[k][p], b = A[k][q];
                    A[k][p] = c * a - s * b, A[k][q] = s * a + c * b;
                }
                CT_FOR(k, 3) {
                    double a = A[p][k], b = A[q][k];
                    A[p][k] = c * a - s * b, A[q][k] = s * a + c * b;
                    a = vectors[k][p], b = vectors[k][q];
                    vectors[k][p] = c * a - s * b, vectors[k][q] = s * a + c * b;
                }
            }
}

/* m, along the axis on which a particle is longest; `axis` is a unit vector. */
static double length_of(const ct_planes *planes, size_t p, const ct_whole *whole, double axis[3])
{
    double b[3][3] = {{0}}, vectors[3][3], length[3] = {0};
    CT_FOR(i, CT_DIM)
        CT_FOR(j, CT_DIM)
            CT_FOR(k, CT_DIM)
                b[i][j] += (double)planes->deformation[i * CT_DIM + k][p] *
                           (double)planes->deformation[j * CT_DIM + k][p];
    diagonalize(b, vectors);
    CT_FOR(a, CT_DIM) length[a] = sqrt(fmax(b[a][a], 0)) * whole->length;
    int longest = 0;
    long halvings = lround(log2(whole->volume / (double)planes->volume[p]));
    for (;; halvings--) {
        CT_FOR(a, CT_DIM)
            if (length[a] > length[longest]) longest = a;
        if (halvings <= 0) break;
        length[longest] *= 0.5;
    }
    CT_FOR(a, 3) axis[a] = vectors[a][longest];
    return length[longest];
}

/* The same, or 0 where it is certainly below `least`, or the particle is none of a solid. */
static double length_if_beyond(const ct_mpm *mpm, const ct_planes *planes, size_t p, double least,
                               double axis[3])
{
    const ct_material *material = &mpm->cloud.common->materials[planes->material[p]];
    if (!material->info->keeps_F || material->bears_no_tension) return 0;
    const ct_whole *whole = &mpm->wholes[planes->body[p]];
    double square = 0;
    CT_FOR(k, CT_MATRIX) square += (double)planes->deformation[k][p] * (double)planes->deformation[k][p];
    if (!(square * whole->length * whole->length > least * least)) return 0;
    double length = length_of(planes, p, whole, axis);
    return length > least ? length : 0;
}

size_t CT_FN(ct_mpm_stretched)(const ct_mpm *mpm, size_t first_block)
{
    const ct_blocks *blocks = &mpm->cloud.grid.blocks;
    const ct_planes planes = ct_planes_of(&mpm->cloud.particles);
    const double least = STRETCHED_BEYOND * mpm->cloud.grid.least_spacing;
    size_t count = 0;
    double axis[3];
    if (!planes.deformation[0] || !mpm->cloud.particles.count) return 0;
    for (size_t p = blocks->first[first_block]; p < mpm->cloud.particles.count; p++)
        count += length_if_beyond(mpm, &planes, p, least, axis) > 0;
    return count;
}

/* ---- which ones ---- */

static int compare_by_id(const void *a, const void *b)
{
    const ct_copy *first = a, *second = b;
    return (first->id > second->id) - (first->id < second->id);
}

static int compare_by_block(const void *a, const void *b)
{
    const ct_copy *first = a, *second = b;
    if (first->block != second->block) return first->block < second->block ? -1 : 1;
    return compare_by_id(a, b);
}

/* Whether a half of what is in the middle may be at x: in the domain, in no collider and not behind one. What
 * a collider has inside it (a grip, a clamp) stays free to split there. */
static bool is_free_place(const ct_mpm *mpm, const double middle[3], const double x[3])
{
    const ct_world_def *def = &mpm->cloud.common->def;
    const ct_boundary *boundary = mpm->border.all;
    CT_FOR(a, CT_DIM)
        if (def->has_domain && !ct_is_periodic(def, a) &&
            !(x[a] >= def->domain_min[a] && x[a] <= def->domain_max[a]))
            return false;
    for (size_t c = 0; c < boundary->collider_count; c++) {
        ct_collider now = boundary->colliders[c];
        ct_collider_prepare(&now, mpm->cloud.common->time, 0);
        if (ct_collider_distance(&now, middle, NULL) < 0) continue;
        if (ct_collider_distance(&now, x, NULL) < 0 || ct_collider_parts(&now, middle, x)) return false;
    }
    return true;
}

/* How far, in m, the halves of a particle are from it; false: it stays as it is. Beside a collider they are
 * less far, or it would stay long where it holds on to what the collider holds, and let go. */
static bool halves_of(const ct_mpm *mpm, const ct_planes *planes, size_t block, size_t p, double apart[3])
{
    const ct_grid *grid = &mpm->cloud.grid;
    if (!mpm->wholes[planes->body[p]].splits) return false;
    double axis[3], middle[3] = {0}, x[2][3] = {{0}};
    double length = length_if_beyond(mpm, planes, p, SPLIT_BEYOND * grid->least_spacing, axis);
    if (!(length > 0)) return false;
    CT_FOR(a, CT_DIM)
        middle[a] = ct_world_coordinate(grid, grid->blocks.coordinate[block], a, planes->position[a][p]);
    double share = 0.25;
    for (; share > LEAST_APART; share *= 0.5) {
        CT_FOR(a, CT_DIM) {
            apart[a] = share * length * axis[a];
            x[0][a] = middle[a] - apart[a], x[1][a] = middle[a] + apart[a];
        }
        if (is_free_place(mpm, middle, x[0]) && is_free_place(mpm, middle, x[1])) return true;
    }
    return false;
}

/* Lists those that are to be split, with the ids of their second halves, block by block. */
static ct_status list_splits(ct_mpm *mpm, size_t *count, ct_error *error)
{
    const ct_blocks *blocks = &mpm->cloud.grid.blocks;
    const ct_planes planes = ct_planes_of(&mpm->cloud.particles);
    ct_status status = CT_OK;
    double apart[3];
    *count = 0;
    for (size_t b = 0; b < blocks->occupied; b++)
        for (size_t p = blocks->first[b]; p < blocks->first[b + 1] && !status; p++) {
            if (!halves_of(mpm, &planes, b, p, apart)) continue;
            status = ct_array_grow(&mpm->cloud.common->heap, &mpm->copies, *count, &mpm->copy_room,
                                   *count + 1, sizeof *mpm->copies, error);
            if (!status)
                mpm->copies[(*count)++] =
                    (ct_copy){.id = planes.id[p], .particle = (uint32_t)p, .block = (uint32_t)b};
        }
    if (status || !*count) return status;
    qsort(mpm->copies, *count, sizeof *mpm->copies, compare_by_id);
    for (size_t k = 0; k < *count; k++) mpm->copies[k].id = mpm->cloud.common->next_id + (uint32_t)k;
    qsort(mpm->copies, *count, sizeof *mpm->copies, compare_by_block);
    return CT_OK;
}

/* ---- splitting ---- */

static void halve(ct_cloud *cloud, const ct_planes *planes, size_t p, const double apart[3], double sign)
{
    CT_FOR(a, CT_DIM) planes->position[a][p] += (ct_real)(sign * apart[a] / cloud->grid.spacing[a]);
    planes->mass[p] *= (ct_real)0.5;
    planes->volume[p] *= (ct_real)0.5;
    cloud->least_mass = fmin(cloud->least_mass, (double)planes->mass[p]);
}

static ct_status split(ct_mpm *mpm, ct_error *error)
{
    ct_cloud *cloud = &mpm->cloud;
    size_t count, first = cloud->particles.count;
    ct_status status = list_splits(mpm, &count, error);
    if (status || !count) return status;
    status = CT_FN(ct_add_copies)(cloud, mpm->copies, count, error);
    if (status) return status;
    const ct_planes planes = ct_planes_of(&cloud->particles);
    for (size_t k = 0; k < count; k++) {
        double apart[3] = {0};
        size_t p = mpm->copies[k].particle;
        halves_of(mpm, &planes, mpm->copies[k].block, p, apart);
        halve(cloud, &planes, p, apart, -1);
        halve(cloud, &planes, first + k, apart, 1);
    }
    return CT_OK;
}

/* Bodies that have a particle longer than `least`, and of which it has not been said. */
static void find_stretched(const ct_mpm *mpm, double least, bool *is_found)
{
    const ct_planes planes = ct_planes_of(&mpm->cloud.particles);
    double axis[3];
    for (size_t p = 0; p < mpm->cloud.particles.count; p++) {
        const uint16_t body = planes.body[p];
        if (mpm->wholes[body].splits || mpm->wholes[body].is_stretched || is_found[body]) continue;
        is_found[body] = length_if_beyond(mpm, &planes, p, least, axis) > 0;
    }
}

/* Says once of each body that it may come apart. */
static ct_status warn(ct_mpm *mpm, ct_error *error)
{
    ct_common *common = mpm->cloud.common;
    bool *is_found = ct_allocate_zero(&common->heap, common->body_count + 1);
    if (!is_found) return ct_fail_memory(error, common->body_count);
    find_stretched(mpm, STRETCHED_BEYOND * mpm->cloud.grid.least_spacing, is_found);
    ct_ranks_fold(ct_cloud_ranks(&mpm->cloud), is_found, common->body_count, ct_fold_or);
    for (size_t b = 0; b < common->body_count; b++) {
        if (!is_found[b]) continue;
        mpm->wholes[b].is_stretched = true;
        ct_log(common, CT_LOG_WARNING,
               "time %.6g s: body '%s' is stretched so far that its particles are longer than %g cell; "
               "neighbours lose touch, and it may tear though its material does not. Give it 'split: true', "
               "more particles per cell (sampling.per_cell), or a larger grid.spacing",
               common->time, common->bodies[b].name, STRETCHED_BEYOND);
    }
    ct_release(&common->heap, is_found);
    return CT_OK;
}

ct_status CT_FN(ct_mpm_split)(ct_mpm *mpm, ct_error *error)
{
    bool is_any = false;
    if (mpm->cloud.common->step % EVERY || !ct_field_components(&mpm->cloud.particles, CT_FIELD_DEFORMATION))
        return CT_OK;
    for (size_t b = 0; b < mpm->cloud.common->body_count; b++)
        if (ct_cloud_has(&mpm->cloud, b)) is_any |= mpm->wholes[b].splits;
    ct_status status = warn(mpm, error);
    return !status && is_any ? split(mpm, error) : status;
}
