/* The pressure against hypre: conjugate gradients with PFMG, a multigrid for boxes of cells. Built where hypre is
 * installed. CONTINUA_BASIN=110 in the environment is the side of a basin to time both in, in turns. */
#include "unit/fluid/basin.h"

#include <HYPRE_krylov.h>
#include <HYPRE_struct_ls.h>
#include <time.h>

typedef struct oracle {
    HYPRE_StructGrid grid;
    HYPRE_StructStencil stencil;
    HYPRE_StructMatrix A;
    HYPRE_StructVector b, x;
    HYPRE_StructSolver solver, cycle;
    double *values; /* of the cells of the box, for vectors */
    size_t cells;
} oracle;

static size_t cells_of(const basin *b)
{
    const size_t side = (size_t)b->side;
    return side * side * (b->dimension == 3 ? side : 1);
}

/* Cells count with the first axis fastest. */
static int32_t number_at(const basin *b, size_t cell)
{
    const size_t side = (size_t)b->side;
    const int at[3] = {(int)(cell % side), (int)(cell / side % side), (int)(cell / side / side)};
    return b->number[place(b, at)];
}

static void fill_matrix(oracle *o, const rig *r)
{
    const ct_poisson_level *l = &r->poisson.level[0];
    const size_t d = (size_t)r->basin.dimension, entries = d + 1;
    HYPRE_Int which[4] = {0, 1, 2, 3}, low[3] = {0}, high[3];
    double *values = calloc(o->cells * entries, sizeof *values);
    assert_non_null(values);
    for (int a = 0; a < 3; a++) high[a] = r->basin.side - 1;
    for (size_t c = 0; c < o->cells; c++) {
        const int32_t i = number_at(&r->basin, c);
        values[c * entries] = 1;
        if (i < 0) continue;
        values[c * entries] = 1 / l->inverse[i];
        for (size_t a = 0; a < d; a++) values[c * entries + 1 + a] = -l->link[(size_t)i * 2 * d + 2 * a + 1];
    }
    HYPRE_StructMatrixSetBoxValues(o->A, low, high, (HYPRE_Int)entries, which, values);
    HYPRE_StructMatrixAssemble(o->A);
    free(values);
}

static void fill_vector(oracle *o, const rig *r, HYPRE_StructVector vector, const double *from)
{
    HYPRE_Int low[3] = {0}, high[3];
    for (int a = 0; a < 3; a++) high[a] = r->basin.side - 1;
    for (size_t c = 0; c < o->cells; c++) {
        const int32_t i = number_at(&r->basin, c);
        o->values[c] = i < 0 || !from ? 0 : from[i];
    }
    HYPRE_StructVectorSetBoxValues(vector, low, high, o->values);
    HYPRE_StructVectorAssemble(vector);
}

static void begin_oracle(oracle *o, const rig *r)
{
    const int d = r->basin.dimension;
    HYPRE_Int low[3] = {0}, high[3];
    for (int a = 0; a < 3; a++) high[a] = r->basin.side - 1;
    o->cells = cells_of(&r->basin);
    o->values = malloc(o->cells * sizeof *o->values);
    assert_non_null(o->values);
    HYPRE_StructGridCreate(MPI_COMM_WORLD, d, &o->grid);
    HYPRE_StructGridSetExtents(o->grid, low, high);
    HYPRE_StructGridAssemble(o->grid);
    HYPRE_StructStencilCreate(d, d + 1, &o->stencil);
    for (int e = 0; e <= d; e++) {
        HYPRE_Int offset[3] = {e == 1, e == 2, e == 3};
        HYPRE_StructStencilSetElement(o->stencil, e, offset);
    }
    HYPRE_StructMatrixCreate(MPI_COMM_WORLD, o->grid, o->stencil, &o->A);
    HYPRE_StructMatrixSetSymmetric(o->A, 1);
    HYPRE_StructMatrixInitialize(o->A);
    fill_matrix(o, r);
    HYPRE_StructVectorCreate(MPI_COMM_WORLD, o->grid, &o->b);
    HYPRE_StructVectorInitialize(o->b);
    HYPRE_StructVectorCreate(MPI_COMM_WORLD, o->grid, &o->x);
    HYPRE_StructVectorInitialize(o->x);
}

static int solve_oracle(oracle *o, double tolerance)
{
    HYPRE_Int iterations;
    HYPRE_StructPCGCreate(MPI_COMM_WORLD, &o->solver);
    HYPRE_StructPCGSetTol(o->solver, tolerance);
    HYPRE_StructPCGSetMaxIter(o->solver, 200);
    HYPRE_StructPCGSetTwoNorm(o->solver, 1);
    HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &o->cycle);
    HYPRE_StructPFMGSetMaxIter(o->cycle, 1);
    HYPRE_StructPFMGSetTol(o->cycle, 0);
    HYPRE_StructPFMGSetZeroGuess(o->cycle);
    HYPRE_StructPFMGSetRelaxType(o->cycle, 2); /* red-black Gauss-Seidel, symmetric */
    HYPRE_StructPCGSetPrecond(o->solver, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, o->cycle);
    HYPRE_StructPCGSetup(o->solver, o->A, o->b, o->x);
    HYPRE_StructPCGSolve(o->solver, o->A, o->b, o->x);
    HYPRE_StructPCGGetNumIterations(o->solver, &iterations);
    return iterations;
}

static void end_solve(oracle *o)
{
    HYPRE_StructPCGDestroy(o->solver);
    HYPRE_StructPFMGDestroy(o->cycle);
}

static void end_oracle(oracle *o)
{
    HYPRE_StructMatrixDestroy(o->A);
    HYPRE_StructVectorDestroy(o->b);
    HYPRE_StructVectorDestroy(o->x);
    HYPRE_StructStencilDestroy(o->stencil);
    HYPRE_StructGridDestroy(o->grid);
    free(o->values);
}

/* Both to 1e-10, so that solutions agree to 1e-6 of the largest value. */
static void same_solution(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        rig r;
        oracle o = {0};
        begin(&r, dimension, dimension == 2 ? 96 : 32, false, 1);
        begin_oracle(&o, &r);
        fill_vector(&o, &r, o.b, r.poisson.level[0].b);
        fill_vector(&o, &r, o.x, NULL);
        const int theirs = solve_oracle(&o, 1e-10);
        const ct_poisson_result ours = ct_poisson_solve(&r.poisson, 1e-10, 200);
        assert_true(ours.residual <= 1e-10);
        HYPRE_Int low[3] = {0}, high[3];
        for (int a = 0; a < 3; a++) high[a] = r.basin.side - 1;
        HYPRE_StructVectorGetBoxValues(o.x, low, high, o.values);
        double most = 0, apart = 0;
        for (size_t c = 0; c < o.cells; c++) {
            const int32_t i = number_at(&r.basin, c);
            if (i < 0) continue;
            most = fmax(most, fabs(o.values[c]));
            apart = fmax(apart, fabs(o.values[c] - r.poisson.solution[i]));
        }
        print_message("%dD: %d iterations, hypre %d; apart by %.1e of the largest value\n", dimension,
                      ours.iterations, theirs, apart / most);
        assert_true(most > 0 && apart <= 1e-6 * most);
        end_solve(&o), end_oracle(&o), end(&r);
    }
}

static double cpu_time(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Setup and solution, to 1e-6, on one thread: seconds of the processor. */
static void side_by_side(void **state)
{
    (void)state;
    const char *side = getenv("CONTINUA_BASIN");
    if (!side) skip();
    rig r;
    oracle o = {0};
    begin(&r, 3, atoi(side), false, 1);
    begin_oracle(&o, &r);
    ct_poisson_level *l = &r.poisson.level[0];
    double *b = malloc(l->count * sizeof *b), best[2] = {INFINITY, INFINITY}, setup = INFINITY;
    int iterations[2] = {0};
    assert_non_null(b);
    memcpy(b, l->b, l->count * sizeof *b);
    for (int turn = 0; turn < 3; turn++) {
        double begun = cpu_time(), middle;
        memcpy(l->b, b, l->count * sizeof *b);
        CHECK(ct_poisson_coarsen(&r.poisson, error));
        middle = cpu_time() - begun;
        iterations[0] = ct_poisson_solve(&r.poisson, 1e-6, 200).iterations;
        best[0] = fmin(best[0], cpu_time() - begun), setup = fmin(setup, middle);
        fill_vector(&o, &r, o.b, b);
        fill_vector(&o, &r, o.x, NULL);
        begun = cpu_time();
        iterations[1] = solve_oracle(&o, 1e-6);
        best[1] = fmin(best[1], cpu_time() - begun);
        end_solve(&o);
    }
    print_message(
        "%zu cells: %.3f s (levels %.3f s) in %d iterations; hypre %.3f s in %d, %.1f times as long\n",
        l->count, best[0], setup, iterations[0], best[1], iterations[1], best[1] / best[0]);
    free(b);
    end_oracle(&o), end(&r);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_solution), cmocka_unit_test(side_by_side)};
    MPI_Init(&argc, &argv);
    HYPRE_Init();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    HYPRE_Finalize();
    MPI_Finalize();
    return failed;
}
