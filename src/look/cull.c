#include "look/cull.h"

#include <math.h>
#include <string.h>

enum {
    CELL = 2,             /* particle distances a side */
    REACH = 2,            /* cells on each side that are counted with one */
    CUBE = 2 * REACH + 1, /* so many a side */
    CHUNKS = 64,          /* pieces of the list of particles; a fixed number, so that threads do not matter */
    CELLS_A_PARTICLE = 4, /* where more are needed space is nearly empty, and there is nothing to gain */
    LEAST_PARTICLES = 4096 /* fewer are drawn faster than they are counted */
};

static const double FULL = 0.875; /* of the particles that fill the cube: a cube that lacks a side has 0.8 */

typedef struct job {
    const ct_frame *frame;
    double low[3], scale; /* m and 1/m: cell = (x - low) scale */
    int cells[3];
    uint32_t *counts, *sums; /* [cells], x slowest */
    int axis;                /* of the sums at hand */
    uint32_t limit;
    int32_t *particles;       /* [particles] those shown of each chunk, at its begin */
    size_t counts_of[CHUNKS]; /* how many they are */
} job;

/* The cell of a particle; -1: outside. */
static ptrdiff_t cell_of(const job *work, const double position[3])
{
    ptrdiff_t cell = 0;
    for (int a = 0; a < 3; a++) {
        double at = (position[a] - work->low[a]) * work->scale;
        if (!(at >= 0 && at < work->cells[a])) return -1;
        cell = cell * work->cells[a] + (ptrdiff_t)at;
    }
    return cell;
}

static size_t chunk_begin(const job *work, size_t chunk)
{
    return (size_t)work->frame->count / CHUNKS * chunk + (size_t)work->frame->count % CHUNKS * chunk / CHUNKS;
}

/* Any thread may add to any cell; a sum of whole numbers does not depend on the order. */
static void count_chunks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const job *work = context;
    for (size_t p = chunk_begin(work, begin); p < chunk_begin(work, end); p++) {
        ptrdiff_t cell = cell_of(work, work->frame->position[p]);
        if (cell >= 0) __atomic_fetch_add(&work->counts[cell], 1, __ATOMIC_RELAXED);
    }
}

/* Sums of CUBE neighbours along one axis, for lines of cells. Beyond the ends there is nothing. */
static void sum_lines(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const job *work = context;
    size_t stride = 1;
    for (int a = 2; a > work->axis; a--) stride *= (size_t)work->cells[a];
    int length = work->cells[work->axis];
    for (size_t line = begin; line < end; line++) {
        size_t first = line / stride * stride * (size_t)length + line % stride;
        const uint32_t *from = work->counts + first;
        uint32_t *to = work->sums + first, sum = 0;
        for (int k = 0; k < REACH && k < length; k++) sum += from[(size_t)k * stride];
        for (int k = 0; k < length; k++) {
            if (k + REACH < length) sum += from[(size_t)(k + REACH) * stride];
            if (k > REACH) sum -= from[(size_t)(k - REACH - 1) * stride];
            to[(size_t)k * stride] = sum;
        }
    }
}

static bool is_inside(const job *work, size_t particle)
{
    ptrdiff_t cell = cell_of(work, work->frame->position[particle]);
    return cell >= 0 && work->counts[cell] >= work->limit;
}

static void list_chunks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    job *work = context;
    for (size_t chunk = begin; chunk < end; chunk++) {
        size_t first = chunk_begin(work, chunk), next = first;
        for (size_t p = first; p < chunk_begin(work, chunk + 1); p++) {
            work->particles[next] = (int32_t)p;
            next += !is_inside(work, p);
        }
        work->counts_of[chunk] = next - first;
    }
}

/* Moves the lists of the chunks together; returns how long they are. */
static size_t join_chunks(const job *work)
{
    size_t sum = 0;
    for (size_t chunk = 0; chunk < CHUNKS; chunk++) {
        memmove(work->particles + sum, work->particles + chunk_begin(work, chunk),
                work->counts_of[chunk] * sizeof *work->particles);
        sum += work->counts_of[chunk];
    }
    return sum;
}

/* Lays the cells out; the number of them, 0 where counting brings nothing. */
static size_t lay_cells(job *work, const double bounds[2][3], double spacing)
{
    double cells = 1;
    if (work->frame->dimension != 3 || !(spacing > 0) || work->frame->count < LEAST_PARTICLES) return 0;
    work->scale = 1 / (CELL * spacing);
    for (int a = 0; a < 3; a++) {
        double size = floor((bounds[1][a] - bounds[0][a]) * work->scale) + 1;
        work->low[a] = bounds[0][a];
        cells *= size;
        if (!(cells <= CELLS_A_PARTICLE * (double)work->frame->count)) return 0;
        work->cells[a] = (int)size;
    }
    return (size_t)cells;
}

static void count_cubes(job *work, ct_pool *pool, size_t cells)
{
    ct_pool_for(pool, CHUNKS, 1, count_chunks, work);
    for (work->axis = 0; work->axis < 3; work->axis++) {
        ct_pool_for(pool, cells / (size_t)work->cells[work->axis], 256, sum_lines, work);
        uint32_t *swapped = work->counts;
        work->counts = work->sums;
        work->sums = swapped;
    }
    work->limit = (uint32_t)(FULL * CUBE * CUBE * CUBE * CELL * CELL * CELL);
}

ct_status ct_cull(ct_heap *heap, ct_pool *pool, const ct_frame *frame, const double bounds[2][3],
                  double spacing, ct_shown *shown, ct_error *error)
{
    *shown = (ct_shown){.count = 0};
    job work = {.frame = frame, .limit = UINT32_MAX};
    size_t cells = lay_cells(&work, bounds, spacing), bytes = cells * sizeof *work.counts;
    ct_status status = CT_OK;
    if (cells) {
        work.counts = ct_allocate_zero(heap, bytes);
        work.sums = ct_allocate(heap, bytes);
        if (work.counts && work.sums) count_cubes(&work, pool, cells);
        else status = ct_fail_memory(error, 2 * bytes);
    }
    if (!status) {
        work.cells[0] *= cells > 0; /* without cells, all particles are outside of them */
        size_t room = (size_t)frame->count * sizeof *shown->particles;
        work.particles = shown->particles = ct_allocate(heap, room);
        if (shown->particles) {
            ct_pool_for(pool, CHUNKS, 1, list_chunks, &work);
            shown->count = join_chunks(&work);
        } else {
            status = ct_fail_memory(error, room);
        }
    }
    ct_release(heap, work.counts);
    ct_release(heap, work.sums);
    return status;
}
