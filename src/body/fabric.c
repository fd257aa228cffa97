#include "body/fabric.h"

#include "core/reduce.h"
#include "core/vectors.h"

#include <stdio.h>
#include <string.h>

enum { GRAIN = 256 /* stencils per piece */ };

typedef struct pass {
    ct_bodies *self;
    const ct_mesh_body *body;
    ct_fabric *fabric;
    const ct_stencil_sort *sort;
    size_t first_part, first_number;
    const double (*x)[3]; /* of the body's rows: positions, or the vector that is multiplied */
    const double (*v)[3];
    double (*out)[3]; /* of all rows */
    double (*block)[9];
    double factor;
    bool adds, must_linearize, must_bound;
} pass;

/* The loop over sorts that a body has. */
#define EACH_SORT(work, s)                                                                           \
    for (int s = 0; s < CT_STENCIL_SORTS; s++)                                                       \
        if ((work)->sort = &ct_stencil_sorts[s], (work)->first_part = (work)->fabric->first_part[s], \
            (work)->first_number = (work)->fabric->first_number[s], (work)->sort->count((work)->fabric))

static pass begin(ct_bodies *self, const ct_mesh_body *body, const double (*x)[3], double (*out)[3])
{
    return (pass){.self = self,
                  .body = body,
                  .fabric = body->fabric,
                  .x = x ? x + body->first_row : NULL,
                  .out = out,
                  .factor = 1};
}

static void run(pass *work, ct_loop_body stencils)
{
    EACH_SORT(work, s)
    ct_pool_for(work->self->common->pool, work->sort->count(work->fabric), GRAIN, stencils, work);
}

/* ---- Parts and sums ----------------------------------------------------------------------------------- */

static double (*parts_of(const pass *work, size_t stencil))[3]
{
    return work->fabric->part + work->first_part + stencil * (size_t)work->sort->corners;
}

static double *numbers_of(const pass *work, size_t stencil)
{
    return work->fabric->number + work->first_number + stencil * (size_t)work->sort->numbers;
}

static void sum_rows(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pass *work = context;
    const ct_fabric *fabric = work->fabric;
    for (size_t row = begin; row < end; row++) {
        double sum[3] = {0}, *out = work->out[work->body->first_row + row];
        for (uint32_t k = fabric->first_slot[row]; k < fabric->first_slot[row + 1]; k++)
            for (int a = 0; a < 3; a++) sum[a] += fabric->part[fabric->slot[k]][a];
        for (int a = 0; a < 3; a++) out[a] = (work->adds ? out[a] : 0) + work->factor * sum[a];
    }
}

static void sum_parts(pass *work)
{
    ct_pool_for(work->self->common->pool, work->body->rows, CT_ROW_GRAIN, sum_rows, work);
}

static void gradients(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pass *work = context;
    const ct_stencil_sort *sort = work->sort;
    for (size_t e = begin; e < end; e++) {
        double gradient[4][3], bound = work->must_bound ? sort->bound(work->fabric, e, work->x) : 0;
        sort->energy(work->fabric, e, work->x, gradient);
        memcpy(parts_of(work, e), gradient, (size_t)sort->corners * sizeof *gradient);
        if (work->must_linearize) sort->linearize(work->fabric, e, work->x, numbers_of(work, e));
        for (int c = 0; c < sort->corners && work->must_bound; c++)
            work->fabric->share[work->first_part + e * (size_t)sort->corners + (size_t)c] = bound;
    }
}

static void products(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pass *work = context;
    const ct_stencil_sort *sort = work->sort;
    for (size_t e = begin; e < end; e++) {
        const uint32_t *corner = sort->corner(work->fabric, e);
        double u[4][3], out[4][3];
        for (int c = 0; c < sort->corners; c++) memcpy(u[c], work->x[corner[c]], sizeof *u);
        sort->multiply(numbers_of(work, e), (const double(*)[3])u, out);
        memcpy(parts_of(work, e), out, (size_t)sort->corners * sizeof *out);
    }
}

static void forces(ct_bodies *self, const ct_mesh_body *body, const double (*x)[3],
                   ct_linearization linearization, double (*out)[3])
{
    pass work = begin(self, body, x, out);
    work.must_linearize = linearization;
    work.factor = -1;
    run(&work, gradients);
    sum_parts(&work);
}

static void product(ct_bodies *self, const ct_mesh_body *body, const double (*u)[3], double (*out)[3])
{
    pass work = begin(self, body, u, out);
    run(&work, products);
    sum_parts(&work);
}

/* One thread: blocks of a stencil go to its corners. */
static void diagonal(ct_bodies *self, const ct_mesh_body *body, double (*block)[9])
{
    pass work = begin(self, body, NULL, NULL), *at = &work;
    memset(block + body->first_row, 0, body->rows * sizeof *block);
    EACH_SORT(at, s)
    for (size_t e = 0; e < work.sort->count(work.fabric); e++) {
        const uint32_t *corner = work.sort->corner(work.fabric, e);
        for (int c = 0; c < work.sort->corners; c++)
            work.sort->block(numbers_of(&work, e), c, block[body->first_row + corner[c]]);
    }
}

static void add_energies(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const pass *work = context;
    double sum = 0;
    for (size_t e = begin; e < end; e++) sum += work->sort->energy(work->fabric, e, work->x, NULL);
    *(double *)result += sum;
}

static void fold_sum(void *into, const void *from, size_t size)
{
    (void)size;
    *(double *)into += *(const double *)from;
}

static double energy(ct_bodies *self, const ct_mesh_body *body, const double (*x)[3])
{
    pass work = begin(self, body, x, NULL), *at = &work;
    double all = 0;
    EACH_SORT(at, s)
    {
        double sum = 0;
        ct_reduce_pieces(self->common->pool, work.sort->count(work.fabric), GRAIN, add_energies, &work,
                         fold_sum, self->partial, &sum, sizeof sum);
        all += sum;
    }
    return all;
}

/* ---- Explicit steps ----------------------------------------------------------------------------------- */

static void find_fastest(const pass *work, ct_mesh_body *body)
{
    const ct_fabric *fabric = work->fabric;
    double most = 0;
    body->fastest_row = body->first_row;
    for (size_t row = 0; row < body->rows; row++) {
        double sum = 0;
        for (uint32_t k = fabric->first_slot[row]; k < fabric->first_slot[row + 1]; k++)
            sum += fabric->share[fabric->slot[k]];
        sum /= work->self->mass[body->first_row + row];
        if (!(sum > most) && sum == sum) continue;
        most = sum;
        body->fastest_row = body->first_row + row;
    }
    body->fastest = sqrt(most);
}

static void push(ct_bodies *self, ct_mesh_body *body)
{
    double beta = body->def.stiffness_damping;
    pass work = begin(self, body, (const double(*)[3])self->x, self->force);
    work.must_bound = true;
    work.must_linearize = beta > 0;
    work.factor = -1;
    run(&work, gradients);
    sum_parts(&work);
    find_fastest(&work, body);
    if (!(beta > 0)) return;
    work.x = (const double(*)[3])self->v + body->first_row;
    work.factor = -beta, work.adds = true;
    run(&work, products);
    sum_parts(&work);
}

/* ---- At rest ------------------------------------------------------------------------------------------ */

void ct_fabric_release(ct_fabric *fabric)
{
    if (!fabric) return;
    ct_heap *heap = fabric->heap;
    if (fabric->has_shell) ct_shell_release(&fabric->shell);
    if (fabric->has_springs) ct_springs_release(&fabric->springs);
    void *const owned[] = {fabric->axes,   fabric->part,       fabric->share,
                           fabric->number, fabric->first_slot, fabric->slot};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) ct_release(heap, owned[i]);
    ct_release(heap, fabric);
}

/* The axes in which the gradients of a triangle are given: along its first edge, and across it. */
static ct_status find_axes(ct_fabric *fabric, const double (*X)[3], ct_error *error)
{
    size_t count = fabric->shell.triangle_count;
    fabric->axes = ct_allocate(fabric->heap, count * sizeof *fabric->axes);
    if (!fabric->axes) return ct_fail_memory(error, count * sizeof *fabric->axes);
    for (size_t t = 0; t < count; t++) {
        const uint32_t *c = fabric->shell.triangles[t].corner;
        double(*axes)[3] = fabric->axes[t], v[3];
        ct_vector_between(X[c[0]], X[c[1]], axes[0]);
        ct_vector_between(X[c[0]], X[c[2]], v);
        double length = ct_vector_length(axes[0]);
        for (int a = 0; a < 3; a++) axes[0][a] /= length;
        double along = ct_vector_dot(axes[0], v);
        for (int a = 0; a < 3; a++) axes[1][a] = v[a] - along * axes[0][a];
        length = ct_vector_length(axes[1]);
        for (int a = 0; a < 3; a++) axes[1][a] /= length;
    }
    return CT_OK;
}

/* Corners of the body's links as numbers of its own rows. */
static uint32_t *local_corners(const ct_bodies *self, const ct_mesh_body *body, int size, ct_error *error)
{
    const ct_links *links = &self->cloud->links;
    size_t count = size == 4 ? body->cells : body->triangles;
    const uint32_t *from =
        size == 4 ? links->tetrahedra[body->first_cell] : links->triangles[body->first_triangle];
    uint32_t *corner = ct_allocate(&self->common->heap, count * (size_t)size * sizeof *corner);
    if (!corner) ct_fail_memory(error, count * (size_t)size * sizeof *corner);
    for (size_t k = 0; corner && k < count * (size_t)size; k++)
        corner[k] = from[k] - (uint32_t)body->first_place;
    return corner;
}

static ct_status make_stencils(ct_bodies *self, const ct_mesh_body *body, ct_fabric *fabric, ct_error *error)
{
    const ct_body *of = &self->common->bodies[body - self->body];
    const double *k = ct_bodies_material(self, (size_t)(body - self->body))->coefficients,
                 (*X)[3] = (const double(*)[3])(self->cloud->kept + body->rest);
    bool is_sheet = of->rank < self->common->def.dimension;
    int size = self->common->def.dimension == 3 && !is_sheet ? 4 : 3;
    uint32_t *corner = local_corners(self, body, size, error);
    ct_status status = corner ? CT_OK : CT_NO_MEMORY;
    char name[160];
    snprintf(name, sizeof name, "body '%.120s'", of->name);
    if (!status && body->kind == CT_ELEMENTS_OF_SPRINGS) {
        const ct_springs_def def = {.stiffness = k[0], .bending = k[1]};
        fabric->has_springs = true;
        status =
            ct_springs_create(fabric->heap, X, body->rows, corner, size == 4 ? body->cells : body->triangles,
                              size, size, &def, name, &fabric->springs, error);
    } else if (!status) {
        const ct_shell_def def = {k[0], k[1], body->thickness, k[2]};
        ct_mesh mesh = {.heap = fabric->heap,
                        .vertices = (double(*)[3])(uintptr_t)X,
                        .vertex_count = body->rows,
                        .triangles = (uint32_t(*)[3])corner,
                        .triangle_count = body->triangles};
        fabric->has_shell = true;
        status = ct_shell_create(fabric->heap, &mesh, &def, name, &fabric->shell, error);
        if (!status) status = find_axes(fabric, X, error);
    }
    ct_release(fabric->heap, corner);
    return status;
}

/* Which parts are whose. */
static void find_slots(ct_fabric *fabric, size_t rows)
{
    memset(fabric->first_slot, 0, (rows + 1) * sizeof *fabric->first_slot);
    for (int fill = 0; fill < 2; fill++) {
        for (int s = 0; s < CT_STENCIL_SORTS; s++) {
            const ct_stencil_sort *sort = &ct_stencil_sorts[s];
            size_t part = fabric->first_part[s];
            for (size_t e = 0; e < sort->count(fabric); e++)
                for (int c = 0; c < sort->corners; c++, part++) {
                    uint32_t row = sort->corner(fabric, e)[c];
                    if (fill) fabric->slot[fabric->first_slot[row]++] = (uint32_t)part;
                    else fabric->first_slot[row + 1]++;
                }
        }
        for (size_t row = 0; row < rows && !fill; row++)
            fabric->first_slot[row + 1] += fabric->first_slot[row];
    }
    for (size_t row = rows; row > 0; row--) fabric->first_slot[row] = fabric->first_slot[row - 1];
    fabric->first_slot[0] = 0;
}

static ct_status make_room(const ct_mesh_body *body, ct_fabric *fabric, ct_error *error)
{
    ct_heap *heap = fabric->heap;
    for (int s = 0; s < CT_STENCIL_SORTS; s++) {
        const ct_stencil_sort *sort = &ct_stencil_sorts[s];
        fabric->first_part[s + 1] = fabric->first_part[s] + sort->count(fabric) * (size_t)sort->corners;
        fabric->first_number[s + 1] = fabric->first_number[s] + sort->count(fabric) * (size_t)sort->numbers;
    }
    size_t parts = fabric->first_part[CT_STENCIL_SORTS], numbers = fabric->first_number[CT_STENCIL_SORTS];
    bool must_linearize = body->def.integration == CT_INTEGRATION_IMPLICIT || body->def.stiffness_damping > 0;
    fabric->part = ct_allocate(heap, parts * sizeof *fabric->part);
    fabric->share = ct_allocate(heap, parts * sizeof *fabric->share);
    fabric->slot = ct_allocate(heap, parts * sizeof *fabric->slot);
    fabric->first_slot = ct_allocate(heap, (body->rows + 1) * sizeof *fabric->first_slot);
    if (must_linearize) fabric->number = ct_allocate(heap, numbers * sizeof *fabric->number);
    if (!fabric->part || !fabric->share || !fabric->slot || !fabric->first_slot ||
        (must_linearize && !fabric->number))
        return ct_fail_memory(error, numbers * sizeof *fabric->number);
    find_slots(fabric, body->rows);
    return CT_OK;
}

static ct_status rest(ct_bodies *self, ct_mesh_body *body, ct_error *error)
{
    ct_heap *heap = &self->common->heap;
    ct_fabric *fabric = ct_allocate_zero(heap, sizeof *fabric);
    if (!fabric) return ct_fail_memory(error, sizeof *fabric);
    fabric->heap = heap;
    fabric->thickness = body->thickness;
    ct_status status = make_stencils(self, body, fabric, error);
    if (!status) status = make_room(body, fabric, error);
    if (status) {
        ct_fabric_release(fabric);
        return status;
    }
    ct_fabric_release(body->fabric);
    body->fabric = fabric;
    double size = 0, count = 0;
    for (size_t t = 0; t < fabric->shell.triangle_count; t++, count++)
        size += sqrt(fabric->shell.triangles[t].area);
    for (size_t s = 0; s < fabric->springs.count; s++, count++) size += fabric->springs.springs[s].rest;
    body->edge = size / count;
    return CT_OK;
}

/* ---- Reading ------------------------------------------------------------------------------------------ */

/* F maps the rest state; the normal stays one. Cauchy's stress is F S F^T / J, over the thickness. */
static void read_triangle(const pass *work, size_t number, double out[18])
{
    const ct_fabric *fabric = work->fabric;
    const ct_shell_triangle *t = &fabric->shell.triangles[number];
    double(*axes)[3] = fabric->axes[number], F[3][2] = {{0}}, C[3] = {0}, across[3], normal[3], column[2][3];
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 2; b++) F[a][b] += work->x[t->corner[i]][a] * t->gradient[i][b];
    for (int a = 0; a < 3; a++) {
        column[0][a] = F[a][0], column[1][a] = F[a][1];
        C[0] += F[a][0] * F[a][0], C[1] += F[a][0] * F[a][1], C[2] += F[a][1] * F[a][1];
    }
    ct_vector_cross(axes[0], axes[1], across);
    ct_vector_cross(column[0], column[1], normal);
    double J = ct_vector_length(normal), trace = fabric->shell.lambda * (C[0] + C[2] - 2) / 2;
    const double S[2][2] = {{fabric->shell.mu * (C[0] - 1) + trace, fabric->shell.mu * C[1]},
                            {fabric->shell.mu * C[1], fabric->shell.mu * (C[2] - 1) + trace}};
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            double stress = 0;
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) stress += F[a][i] * S[i][j] * F[b][j];
            out[3 * a + b] =
                F[a][0] * axes[0][b] + F[a][1] * axes[1][b] + (J > 0 ? normal[a] / J * across[b] : 0);
            out[9 + 3 * a + b] = J > 1e-9 ? stress / (J * fabric->thickness) : 0;
        }
}

static void read(ct_bodies *self, const ct_mesh_body *body)
{
    pass work = begin(self, body, (const double(*)[3])self->x, NULL), *at = &work;
    double density = self->common->materials[self->common->bodies[body - self->body].material].density;
    double(*read)[19] = self->read + body->first_row;
    memset(read, 0, body->rows * sizeof *read);
    for (size_t t = 0; t < work.fabric->shell.triangle_count; t++) {
        const ct_shell_triangle *triangle = &work.fabric->shell.triangles[t];
        double numbers[18], share = triangle->area * work.fabric->thickness / 3;
        read_triangle(&work, t, numbers);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 18; k++) read[triangle->corner[c]][k] += share * numbers[k];
    }
    EACH_SORT(at, s)
    for (size_t e = 0; e < work.sort->count(work.fabric); e++) {
        double share = work.sort->energy(work.fabric, e, work.x, NULL) / work.sort->corners;
        for (int c = 0; c < work.sort->corners; c++) read[work.sort->corner(work.fabric, e)[c]][18] += share;
    }
    for (size_t row = 0; row < body->rows; row++) {
        double volume = self->mass[body->first_row + row] / density;
        for (int k = 0; k < 19; k++) read[row][k] /= volume;
        for (int a = 0; a < 3 && !work.fabric->has_shell; a++) read[row][4 * a] = 1;
    }
}

const ct_element_kernels ct_fabric_kernels = {rest, push, forces, product, diagonal, energy, read};
