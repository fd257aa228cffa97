/* Random samples with a least distance r ("Poisson disk"), by throwing darts.
 *
 * Space is cut into small cells of side r / sqrt(dimension), so that each can hold one sample at most. In
 * every round each small cell that is still open is thrown one dart at; it stays if no sample is nearer than
 * r. After a few rounds hardly anything more fits, at a density that depends on r alone, but for the surface:
 * a small body holds more. So r is corrected until the count is right. The volume is measured, and each
 * sample gets an equal share of it.
 *
 * Darts land on whole quanta and are compared as whole quanta: the body is sampled alike wherever it is.
 */
#include "particles/seed_parts.h"

#include "core/random.h"
#include "core/stop.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 6, ATTEMPTS = 12, MOST_SMALL_CELLS = 1 << 29 };
enum { REACH = 2, NEIGHBOURS = 125 };    /* r < 2 sides of a small cell: only two cells to each side matter */
static const double close_enough = 0.02; /* of the wanted count */
static const uint32_t nobody = UINT32_MAX;

/* Samples per r^d in a large body after ROUNDS rounds, measured. It is nine tenths of what endless throwing
 * reaches: a cover of 0.547 of the plane by discs of diameter r, or of 0.384 of space by balls. */
double ct_poisson_density(int dimension)
{
    return dimension == 2 ? 0.63 : 0.65;
}

typedef struct dart_board {
    const ct_seeding *seeding;
    const ct_shape *shape;
    double radius;                  /* m */
    int64_t side[3];                /* quanta, of a small cell */
    int64_t count[3];               /* small cells along each axis, with a margin of empty ones */
    int64_t margin[3];              /* their number at each end: REACH, or 0 where there is no axis */
    size_t small_cells;             /* in all */
    int64_t neighbours[NEIGHBOURS]; /* [neighbour_count] steps of index to where a sample may be too near */
    int neighbour_count;
    uint32_t *occupant; /* [small_cells] its sample, or nobody */
    uint32_t *open;     /* [open_count] small cells that may still take one */
    size_t open_count;
    int64_t (*samples)[3]; /* [sample_count] quanta from the first cell's corner */
    size_t sample_count, sample_capacity;
} dart_board;

static void release_small_cells(dart_board *board)
{
    ct_release(board->seeding->heap, board->occupant);
    ct_release(board->seeding->heap, board->open);
    board->occupant = board->open = NULL;
}

static void release_board(dart_board *board)
{
    release_small_cells(board);
    ct_release(board->seeding->heap, board->samples);
    board->samples = NULL;
}

static void quanta_to_position(const int64_t quanta[3], double position[3])
{
    for (int a = 0; a < 3; a++) position[a] = (double)quanta[a] / CT_SEED_QUANTA;
}

/* The small cell of an index, counted without the margin. */
static void split_index(const dart_board *board, size_t index, int64_t cell[3])
{
    for (int a = 2; a >= 0; a--) {
        cell[a] = (int64_t)(index % (size_t)board->count[a]) - board->margin[a];
        index /= (size_t)board->count[a];
    }
}

/* ---- Volume ------------------------------------------------------------------------------------------- */

/* The share of a cell that is inside, by a fine lattice of points where the surface may pass. */
static double inside_share(const ct_seeding *seeding, const ct_shape *shape, const int64_t cell[3])
{
    static const double whole[3] = {1, 1, 1};
    double corner[3];
    for (int a = 0; a < 3; a++) corner[a] = (double)cell[a];
    int relation = ct_seed_compare_box(seeding, shape, corner, whole);
    if (relation) return relation < 0;
    int fine = seeding->lattice->dimension == 2 ? 32 : 10, inside = 0, total = 0;
    for (int i = 0; i < fine; i++)
        for (int j = 0; j < fine; j++)
            for (int k = 0; k < (seeding->lattice->dimension == 2 ? 1 : fine); k++, total++) {
                double point[3] = {corner[0] + (i + 0.5) / fine, corner[1] + (j + 0.5) / fine,
                                   seeding->lattice->dimension == 2 ? 0 : corner[2] + (k + 0.5) / fine};
                inside += ct_seed_is_inside(seeding, shape, point);
            }
    return (double)inside / total;
}

/* In cells. */
static double measure_volume(const ct_seeding *seeding, const ct_shape *shape)
{
    double volume = 0;
    int64_t cell[3];
    for (cell[0] = 0; cell[0] < seeding->cells[0]; cell[0]++)
        for (cell[1] = 0; cell[1] < seeding->cells[1] && !ct_stop_is_asked(); cell[1]++)
            for (cell[2] = 0; cell[2] < seeding->cells[2]; cell[2]++)
                volume += inside_share(seeding, shape, cell);
    return volume;
}

/* ---- Darts -------------------------------------------------------------------------------------------- */

static ct_status size_board(dart_board *board, ct_error *error)
{
    const ct_seeding *seeding = board->seeding;
    int dimension = seeding->lattice->dimension;
    double total = 1;
    for (int a = 0; a < 3; a++) {
        double side = board->radius / sqrt(dimension) / seeding->lattice->spacing[a];
        board->side[a] = (int64_t)fmin(fmax(floor(side * CT_SEED_QUANTA), 1), 0x1p52);
        int64_t whole = seeding->cells[a] * CT_SEED_QUANTA;
        board->margin[a] = a < dimension ? REACH : 0;
        board->count[a] = a < dimension ? (whole + board->side[a] - 1) / board->side[a] + 2 * REACH : 1;
        total *= (double)board->count[a];
    }
    if (total > MOST_SMALL_CELLS)
        return ct_fail(
            error, CT_BAD_USAGE,
            "%s: the pattern poisson would need %.3g small cells; at most %d. Use the pattern jittered",
            seeding->owner, total, MOST_SMALL_CELLS);
    board->small_cells = (size_t)total;
    return CT_OK;
}

/* Lists the neighbours, nearest first: the most likely culprits. */
static void list_neighbours(dart_board *board)
{
    int dimension = board->seeding->lattice->dimension;
    for (int ring = 0; ring <= 3 * REACH * REACH; ring++)
        for (int i = -REACH; i <= REACH; i++)
            for (int j = -REACH; j <= REACH; j++)
                for (int k = -REACH; k <= REACH; k++) {
                    if (i * i + j * j + k * k != ring || (dimension == 2 && k != 0)) continue;
                    board->neighbours[board->neighbour_count++] =
                        (i * board->count[1] + j) * board->count[2] + k;
                }
}

static bool is_in_margin(const dart_board *board, const int64_t cell[3])
{
    for (int a = 0; a < 3; a++)
        if (cell[a] < 0 || cell[a] >= board->count[a] - 2 * board->margin[a]) return true;
    return false;
}

/* Opens the small cells that the shape may reach into. */
static void open_cells(dart_board *board)
{
    double size[3] = {0}, corner[3] = {0};
    for (int a = 0; a < 3; a++) size[a] = (double)board->side[a] / CT_SEED_QUANTA;
    for (size_t index = 0; index < board->small_cells && !ct_stop_is_asked(); index++) {
        int64_t cell[3];
        split_index(board, index, cell);
        for (int a = 0; a < board->seeding->lattice->dimension; a++) corner[a] = (double)cell[a] * size[a];
        board->occupant[index] = nobody;
        if (!is_in_margin(board, cell) &&
            ct_seed_compare_box(board->seeding, board->shape, corner, size) <= 0)
            board->open[board->open_count++] = (uint32_t)index;
    }
}

static ct_status create_board(dart_board *board, ct_error *error)
{
    ct_status status = size_board(board, error);
    if (status) return status;
    board->occupant = ct_allocate(board->seeding->heap, board->small_cells * sizeof *board->occupant);
    board->open = ct_allocate(board->seeding->heap, board->small_cells * sizeof *board->open);
    if (!board->occupant || !board->open)
        return ct_fail_memory(error, board->small_cells * sizeof *board->open);
    list_neighbours(board);
    open_cells(board);
    return ct_stop_check(error);
}

static bool is_near(const dart_board *board, const int64_t a[3], const int64_t b[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double apart = (double)(a[i] - b[i]) / CT_SEED_QUANTA * board->seeding->lattice->spacing[i];
        sum += apart * apart;
    }
    return sum < board->radius * board->radius;
}

/* Whether a sample is nearer than r to a dart in the small cell `index`. */
static bool is_crowded(const dart_board *board, size_t index, const int64_t dart[3])
{
    for (int n = 0; n < board->neighbour_count; n++) {
        uint32_t other = board->occupant[(int64_t)index + board->neighbours[n]];
        if (other != nobody && is_near(board, board->samples[other], dart)) return true;
    }
    return false;
}

/* Throws one dart at a small cell; true when it sticks. */
static bool throw_dart(const dart_board *board, size_t index, int round, int64_t dart[3])
{
    const ct_seeding *seeding = board->seeding;
    int64_t cell[3];
    split_index(board, index, cell);
    uint64_t key = ct_random_key(ct_random_key(seeding->key, (uint64_t)round), (uint64_t)index);
    for (int a = 0; a < 3; a++) {
        double unit = ct_random_unit(ct_random_key(key, (uint64_t)a));
        bool has_axis = a < seeding->lattice->dimension;
        dart[a] = has_axis ? cell[a] * board->side[a] + (int64_t)(unit * (double)board->side[a]) : 0;
        if (dart[a] >= seeding->cells[a] * CT_SEED_QUANTA) return false;
    }
    double position[3];
    quanta_to_position(dart, position);
    return !is_crowded(board, index, dart) && ct_seed_is_inside(seeding, board->shape, position);
}

static ct_status add_sample(dart_board *board, size_t index, const int64_t dart[3], ct_error *error)
{
    ct_status status =
        ct_array_grow(board->seeding->heap, &board->samples, board->sample_count, &board->sample_capacity,
                      board->sample_count + 1, sizeof *board->samples, error);
    if (status) return status;
    memcpy(board->samples[board->sample_count], dart, sizeof *board->samples);
    board->occupant[index] = (uint32_t)board->sample_count++;
    return CT_OK;
}

static ct_status play_round(dart_board *board, int round, ct_error *error)
{
    size_t still_open = 0;
    ct_status status = CT_OK;
    for (size_t i = 0; i < board->open_count && !status; i++) {
        int64_t dart[3];
        if ((status = ct_stop_check(error))) break;
        if (throw_dart(board, board->open[i], round, dart))
            status = add_sample(board, board->open[i], dart, error);
        else board->open[still_open++] = board->open[i];
    }
    board->open_count = still_open;
    return status;
}

/* ---- The right radius --------------------------------------------------------------------------------- */

static ct_status keep_samples(ct_seeding *seeding, const dart_board *board, ct_error *error)
{
    seeding->seeds->count = 0;
    ct_status status = ct_seed_reserve(seeding, board->sample_count, error);
    if (status) return status;
    for (size_t i = 0; i < board->sample_count; i++)
        quanta_to_position(board->samples[i], seeding->seeds->position[i]);
    seeding->seeds->count = board->sample_count;
    return CT_OK;
}

/* Room for a few more than wanted, so that the array is not grown, and held twice, at the end. */
static ct_status reserve_samples(dart_board *board, double wanted, ct_error *error)
{
    size_t count = (size_t)fmin(ceil(1.1 * wanted), (double)board->small_cells);
    return ct_array_grow(board->seeding->heap, &board->samples, 0, &board->sample_capacity, count,
                         sizeof *board->samples, error);
}

/* One whole sampling with least distance `radius`; its samples are kept if their number is nearer to
 * `wanted`. */
static ct_status attempt(ct_seeding *seeding, const ct_shape *shape, double radius, double wanted,
                         size_t *count, ct_error *error)
{
    dart_board board = {.seeding = seeding, .shape = shape, .radius = radius};
    ct_status status = create_board(&board, error);
    if (!status) status = reserve_samples(&board, wanted, error);
    for (int round = 0; round < ROUNDS && !status; round++) status = play_round(&board, round, error);
    *count = board.sample_count;
    release_small_cells(&board); /* they weigh more than what is kept */
    double miss = fabs((double)board.sample_count - wanted),
           best = fabs((double)seeding->seeds->count - wanted);
    if (!status && board.sample_count && (miss < best || !seeding->seeds->count))
        status = keep_samples(seeding, &board, error);
    release_board(&board);
    return status;
}

ct_status ct_sample_poisson(ct_seeding *seeding, const ct_shape *shape, ct_error *error)
{
    int dimension = seeding->lattice->dimension;
    double guess = pow(ct_poisson_density(dimension) * seeding->sample_volume, 1.0 / dimension),
           radius = guess;
    dart_board probe = {.seeding = seeding, .radius = guess};
    ct_status status = size_board(&probe, error); /* before measuring takes its time */
    if (status) return status;
    double volume = measure_volume(seeding, shape) * seeding->sample_volume * seeding->per_cell; /* m^d */
    status = ct_stop_check(error);
    if (status || !(volume > 0)) return status; /* nothing inside; seed.c says so */
    double wanted = fmax(nearbyint(volume / seeding->sample_volume), 1);
    for (int i = 0; i < ATTEMPTS; i++) {
        size_t count;
        status = attempt(seeding, shape, radius, wanted, &count, error);
        if (status) return status;
        if (fabs((double)count - wanted) <= close_enough * wanted) break;
        radius *= pow((double)count / wanted, 1.0 / dimension);
        /* not without end: sheets thinner than r cannot be hit often enough */
        radius = fmin(fmax(radius, 0.5 * guess), 2 * guess);
    }
    if (seeding->seeds->count) seeding->seeds->common_volume = volume / (double)seeding->seeds->count;
    return CT_OK;
}
