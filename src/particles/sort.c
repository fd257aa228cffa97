#include "particles/sort.h"

#include "particles/place.h"

#include <math.h>
#include <string.h>

/* ---- adding ------------------------------------------------------------------------------------------- */

static ct_status place_seed(const ct_grid *grid, const double position[3], int32_t block[3], ct_real at[CT_DIM],
                            ct_error *error)
{
    const double farthest = (double)(1 << 28); /* blocks: leaves room for neighbours in 32 bits */
    block[2] = 0;
    CT_FOR(a, CT_DIM)
    {
        double cells = (position[a] - grid->origin[a]) / grid->spacing[a] - grid->shift;
        double b = floor(cells / CT_BLOCK);
        if (!(fabs(b) < farthest))
            return ct_fail(error, CT_BAD_USAGE, "a particle at (%g, %g, %g) m is too far away for a spacing of %g m",
                           position[0], position[1], position[2], grid->spacing[a]);
        block[a] = (int32_t)b;
        at[a] = (ct_real)(cells - CT_BLOCK * b);
    }
    return CT_OK;
}

/* New particles come as runs: pseudo-blocks, possibly several of one coordinate, that the next sort merges. */
static ct_status append_run(ct_blocks *blocks, const int32_t coordinate[3], uint32_t first, ct_error *error)
{
    size_t runs = blocks->occupied;
    if (runs && !memcmp(blocks->coordinate[runs - 1], coordinate, 3 * sizeof(int32_t))) return CT_OK;
    ct_status status = ct_blocks_append_run(blocks, coordinate, error);
    if (!status) blocks->first[runs] = first;
    return status;
}

ct_status CT_FN(ct_add_particles)(ct_world *world, const ct_seeds *seeds, int body, const double gradient[9],
                                  ct_error *error)
{
    ct_particles *particles = &world->particles;
    size_t old = particles->count;
    if (seeds->count > UINT32_MAX - world->next_id)
        return ct_fail(error, CT_NO_MEMORY, "more particles than a world can number");
    ct_status status = ct_particles_reserve(particles, old + seeds->count, error);
    if (status) return status;
    int material = world->bodies[body].material;
    double density = world->materials[material].density;
    ct_planes to = ct_planes_of(particles);
    size_t old_runs = world->grid.blocks.occupied;
    for (size_t k = 0; k < seeds->count && !status; k++) {
        size_t p = old + k;
        int32_t block[3];
        ct_real at[CT_DIM] = {0};
        status = place_seed(&world->grid, seeds->position[k], block, at, error);
        if (!status) status = append_run(&world->grid.blocks, block, (uint32_t)p, error);
        if (status) break;
        CT_FOR(a, CT_DIM)
        {
            to.position[a][p] = at[a];
            to.velocity[a][p] = (ct_real)seeds->velocity[k][a];
            CT_FOR(b, CT_DIM)
            {
                int here = a * CT_DIM + b, there = a * 3 + b;
                /* A scheme that keeps only part of C starts from that part, too. */
                double sym = (gradient[there] + gradient[b * 3 + a]) / 2;
                to.affine[here][p] = (ct_real)(world->symmetric * sym + world->skew * (gradient[there] - sym));
                to.deformation[here][p] = (ct_real)(seeds->deformation ? seeds->deformation[k][there] : a == b);
            }
        }
        to.volume[p] = (ct_real)seeds->volume[k];
        to.mass[p] = (ct_real)(seeds->volume[k] * density);
        if (!p || (double)to.mass[p] < world->least_mass) world->least_mass = (double)to.mass[p];
        to.material[p] = (uint16_t)material;
        to.body[p] = (uint16_t)body;
        to.id[p] = world->next_id + (uint32_t)k;
    }
    if (status) {
        world->grid.blocks.occupied = world->grid.blocks.count = old_runs;
        return status;
    }
    particles->count = old + seeds->count;
    world->grid.blocks.first[world->grid.blocks.occupied] = (uint32_t)particles->count;
    world->next_id += (uint32_t)seeds->count;
    world->bodies[body].particles += seeds->count;
    world->must_sort = world->must_measure = true;
    particles->generation++;
    return CT_OK;
}

/* ---- sorting ------------------------------------------------------------------------------------------ */

enum {
    REACH = 2, /* blocks that a particle may have moved since the last sort */
    SIDE = 2 * REACH + 1,
    GRAIN = 8 /* runs or blocks a piece */
};

typedef struct sorting {
    ct_world *world;
    ct_planes planes;
    size_t runs;               /* what the particles are in now */
    int32_t (*coordinate)[3];  /* [runs] */
    uint32_t *first;           /* [runs + 1] */
    int32_t (*target)[SIDE * SIDE * SIDE]; /* [runs] new block by offset (-2..2)^d, or -1 */
    uint32_t *new_number;
    uint32_t *cell_first;      /* [blocks x nodes + 1] */
    ct_error *error;
} sorting;

/* The offset, in blocks, of the block a position lies in; at most REACH + 1 is told. */
static int block_offset(ct_real position)
{
    double offset = floor((double)position / CT_BLOCK);
    return offset < -REACH ? -REACH - 1 : offset <= REACH ? (int)offset : REACH + 1;
}

/* The position seen from that block: in [0, 4). */
static ct_real within_block(ct_real position)
{
    const ct_real below = CT_BLOCK * (1 - CT_EPSILON / 2);
    position -= (ct_real)(CT_BLOCK * block_offset(position));
    return position < below ? position : below; /* -tiny + 4 rounds to 4 */
}

static int offset_index(const int offset[3])
{
    return ((offset[0] + REACH) * SIDE + offset[1] + REACH) * SIDE + offset[2] + REACH;
}

/* First pass over a run: notes which blocks its particles are in now. The offset goes into sort_key for the second
 * pass. Nothing is changed yet, so that a failure leaves the particles as they were. */
static void find_targets(void *context, size_t begin, size_t end, int worker)
{
    sorting *s = context;
    for (size_t run = begin; run < end; run++) {
        CT_FOR(k, SIDE * SIDE * SIDE) s->target[run][k] = -1;
        for (uint32_t p = s->first[run]; p < s->first[run + 1]; p++) {
            int offset[3] = {0}, is_far = 0;
            CT_FOR(a, CT_DIM)
            {
                offset[a] = block_offset(s->planes.position[a][p]);
                is_far |= offset[a] < -REACH || offset[a] > REACH;
            }
            if (is_far) {
                s->world->workers[worker].bad_block = run;
                continue;
            }
            int index = offset_index(offset);
            s->target[run][index] = 1;
            s->world->sort_key[p] = (uint32_t)index;
        }
    }
}

static ct_status collect_blocks(sorting *s, ct_blocks *blocks)
{
    for (size_t run = 0; run < s->runs; run++)
        for (int k = 0; k < SIDE * SIDE * SIDE; k++) {
            if (s->target[run][k] < 0) continue;
            int32_t at[3] = {s->coordinate[run][0] + k / (SIDE * SIDE) - REACH,
                             s->coordinate[run][1] + k / SIDE % SIDE - REACH,
                             s->coordinate[run][2] + k % SIDE - REACH};
            ct_status status = ct_blocks_add(blocks, at, &s->target[run][k], s->error);
            if (status) return status;
        }
    return CT_OK;
}

/* Second pass: every particle gets its position in the new block, and its key, block and cell. */
static void write_keys(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    sorting *s = context;
    for (size_t run = begin; run < end; run++)
        for (uint32_t p = s->first[run]; p < s->first[run + 1]; p++) {
            uint32_t block = s->new_number[s->target[run][s->world->sort_key[p]]], cell = 0;
            CT_FOR(a, CT_DIM)
            {
                ct_real *position = &s->planes.position[a][p];
                *position = within_block(*position);
                cell = cell * CT_BLOCK + (uint32_t)*position;
            }
            s->world->sort_key[p] = block * CT_BLOCK_NODES + cell;
        }
}

/* Counting sort of the places by key. */
static void count_and_place(sorting *s, size_t blocks)
{
    ct_world *world = s->world;
    size_t keys = blocks * CT_BLOCK_NODES, count = world->particles.count;
    memset(s->cell_first, 0, (keys + 1) * sizeof *s->cell_first);
    for (size_t p = 0; p < count; p++) s->cell_first[world->sort_key[p] + 1]++;
    for (size_t k = 0; k < keys; k++) s->cell_first[k + 1] += s->cell_first[k];
    for (size_t p = 0; p < count; p++) world->sort_order[s->cell_first[world->sort_key[p]]++] = (uint32_t)p;
    /* cell_first[k] is now the end of cell k. */
}

static void order_cells(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    sorting *s = context;
    uint32_t *order = s->world->sort_order;
    const uint32_t *id = s->planes.id;
    for (size_t key = begin * CT_BLOCK_NODES; key < end * CT_BLOCK_NODES; key++) {
        uint32_t first = key ? s->cell_first[key - 1] : 0, last = s->cell_first[key];
        for (uint32_t i = first + 1; i < last; i++) {
            uint32_t moving = order[i], j = i;
            for (; j > first && id[order[j - 1]] > id[moving]; j--) order[j] = order[j - 1];
            order[j] = moving;
        }
    }
}

static ct_status reserve_sort(ct_world *world, ct_error *error)
{
    size_t count = world->particles.count + CT_PLANE_PADDING;
    if (count <= world->sort_capacity) return CT_OK;
    ct_release(&world->heap, world->sort_key);
    ct_release(&world->heap, world->sort_order);
    ct_release(&world->heap, world->sort_scratch);
    world->sort_key = ct_allocate(&world->heap, count * sizeof *world->sort_key);
    world->sort_order = ct_allocate(&world->heap, count * sizeof *world->sort_order);
    size_t widest = sizeof(ct_real) > sizeof(uint32_t) ? sizeof(ct_real) : sizeof(uint32_t);
    world->sort_scratch = ct_allocate(&world->heap, count * widest);
    world->sort_capacity = world->sort_key && world->sort_order && world->sort_scratch ? count : 0;
    return world->sort_capacity ? CT_OK : ct_fail_memory(error, count * 3 * sizeof(uint32_t));
}

/* Finds the new blocks and all memory that is needed: what may fail. */
static ct_status prepare_sort(sorting *s, ct_blocks *sorted)
{
    ct_heap *heap = &s->world->heap;
    s->target = ct_allocate(heap, (s->runs + 1) * sizeof *s->target);
    if (!s->target) return ct_fail_memory(s->error, s->runs * sizeof *s->target);
    int workers = ct_pool_size(s->world->pool);
    CT_FOR(w, workers) s->world->workers[w].bad_block = SIZE_MAX;
    ct_pool_for(s->world->pool, s->runs, GRAIN, find_targets, s);
    CT_FOR(w, workers)
    if (s->world->workers[w].bad_block != SIZE_MAX)
        return ct_fail(s->error, CT_DIVERGED, "diverged: at step %llu a particle moved more than %d cells at once",
                       (unsigned long long)s->world->step, REACH * CT_BLOCK);
    ct_status status = collect_blocks(s, sorted);
    if (status) return status;
    size_t occupied = sorted->occupied;
    if (occupied > UINT32_MAX / CT_BLOCK_NODES) return ct_fail_memory(s->error, SIZE_MAX);
    s->new_number = ct_allocate(heap, (occupied + 1) * sizeof *s->new_number);
    s->cell_first = ct_allocate(heap, (occupied * CT_BLOCK_NODES + 2) * sizeof *s->cell_first);
    if (!s->new_number || !s->cell_first)
        return ct_fail_memory(s->error, occupied * CT_BLOCK_NODES * sizeof *s->cell_first);
    return ct_blocks_order(sorted, s->new_number, s->error);
}

/* Puts the particles in order: what cannot fail. */
static void carry_out_sort(sorting *s, ct_blocks *sorted)
{
    ct_world *world = s->world;
    size_t occupied = sorted->occupied;
    ct_pool_for(world->pool, s->runs, GRAIN, write_keys, s);
    count_and_place(s, occupied);
    ct_pool_for(world->pool, occupied, GRAIN, order_cells, s);
    ct_particles_permute(&world->particles, world->sort_order, world->sort_scratch, world->pool);
    for (size_t b = 0; b < occupied; b++) sorted->first[b] = b ? s->cell_first[b * CT_BLOCK_NODES - 1] : 0;
    sorted->first[occupied] = (uint32_t)world->particles.count;
}

ct_status CT_FN(ct_sort)(ct_world *world, ct_error *error)
{
    ct_status status = reserve_sort(world, error);
    if (status) return status;
    ct_blocks *blocks = &world->grid.blocks, sorted;
    ct_blocks_init(&sorted, &world->heap, CT_DIM);
    sorting s = {.world = world,
                 .planes = ct_planes_of(&world->particles),
                 .runs = blocks->occupied,
                 .coordinate = blocks->coordinate,
                 .first = blocks->first,
                 .error = error};
    status = prepare_sort(&s, &sorted);
    if (!status) {
        carry_out_sort(&s, &sorted);
        ct_blocks_release(blocks);
        *blocks = sorted;
        status = ct_blocks_finish(blocks, error); /* on failure the blocks stand as runs, to be sorted again */
        world->must_sort = status != CT_OK;
    } else {
        ct_blocks_release(&sorted);
    }
    ct_release(&world->heap, s.target);
    ct_release(&world->heap, s.new_number);
    ct_release(&world->heap, s.cell_first);
    return status;
}
