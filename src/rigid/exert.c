/* Forces on rigid bodies after a step. Accelerations act at the centre of mass. Wind presses on the faces of the
 * surface: with u = V + w x r at a face's middle, R and push of the face as boundary/force.h has them, and G = (I, -[r]x),
 *
 *     (diag(M, J) + dt sum G^T R G) (V', w') = (M V, L) + dt sum G^T push
 *
 * which is six equations per body, symmetric and positive.
 */
#include "boundary/exertion.h"
#include "rigid/rigid.h"

#include <math.h>
#include <string.h>

enum { SIX = 6 };

/* A x = b by Cholesky's factors; rows that do not move have 0 on the diagonal. */
static void solve6(double A[SIX][SIX], double b[SIX])
{
    for (int i = 0; i < SIX; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = A[i][j];
            for (int k = 0; k < j; k++) sum -= A[i][k] * A[j][k];
            if (i == j) A[i][i] = sum > 0 ? sqrt(sum) : 0;
            else A[i][j] = A[j][j] > 0 ? sum / A[j][j] : 0;
        }
        double sum = b[i];
        for (int k = 0; k < i; k++) sum -= A[i][k] * b[k];
        b[i] = A[i][i] > 0 ? sum / A[i][i] : 0;
    }
    for (int i = SIX - 1; i >= 0; i--) {
        double sum = b[i];
        for (int k = i + 1; k < SIX; k++) sum -= A[k][i] * b[k];
        b[i] = A[i][i] > 0 ? sum / A[i][i] : 0;
    }
}

/* Adds dt G^T R G and dt G^T push of a face whose middle is at `arm` from the centre. */
static void add_face(const ct_drag *drag, const double r[3], double dt, double A[SIX][SIX], double b[SIX])
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const double G[3][SIX] = {
        {1, 0, 0, 0, r[2], -r[1]}, {0, 1, 0, -r[2], 0, r[0]}, {0, 0, 1, r[1], -r[0], 0}};
    for (int i = 0; i < SIX; i++)
        for (int a = 0; a < 3; a++) {
            b[i] += dt * G[a][i] * drag->push[a];
            for (int j = 0; j < SIX; j++)
                for (int c = 0; c < 3; c++) A[i][j] += dt * G[a][i] * drag->R[at[a][c]] * G[c][j];
        }
}

/* The face's middle from the centre, its normal and its area; false: it has none. */
static bool find_face(const ct_rigid_body *body, const uint32_t *corner, int corners, double arm[3],
                      double normal[3], double *area)
{
    const ct_rigid_surface *s = &body->surface;
    double middle[3] = {0}, outward[3] = {0}, n[3], e[2][3] = {{0}, {0, 0, 1}};
    for (int k = 0; k < corners; k++)
        for (int a = 0; a < 3; a++) {
            middle[a] += s->position[corner[k]][a] / corners;
            outward[a] += s->normal[corner[k]][a];
        }
    for (int k = 1; k < corners; k++)
        for (int a = 0; a < 3; a++) e[k - 1][a] = s->position[corner[k]][a] - s->position[corner[0]][a];
    ct_cross3(e[0], e[1], n);
    double length = sqrt(ct_dot3(n, n)), side = ct_dot3(n, outward) < 0 ? -1 : 1;
    if (!(length > 0)) return false;
    for (int a = 0; a < 3; a++) n[a] *= side / length;
    ct_multiply3(body->rotation, middle, arm);
    ct_multiply3(body->rotation, n, normal);
    *area = corners == 3 ? 0.5 * length : length;
    return true;
}

static void press_faces(const ct_rigid_body *body, const ct_exertion *all, int dimension, const double V[3],
                        const double w[3], double A[SIX][SIX], double b[SIX])
{
    const ct_links *links = &body->surface.links;
    const size_t count = dimension == 3 ? links->triangle_count : links->line_count;
    for (size_t f = 0; f < count; f++) {
        const uint32_t *corner = dimension == 3 ? links->triangles[f] : links->lines[f];
        double arm[3], normal[3], area, x[3], v[3];
        ct_drag drag = {{0}, {0}};
        if (!find_face(body, corner, dimension, arm, normal, &area)) continue;
        ct_cross3(w, arm, v);
        for (int a = 0; a < 3; a++) x[a] = body->state.position[a] + arm[a], v[a] += V[a];
        ct_forces_press_face(all->forces, all->count, (uint16_t)body->body, x, v, normal, area, true, &drag);
        add_face(&drag, arm, all->dt, A, b);
    }
}

/* J in the world's frame: R J R^T. */
static void turn_inertia(const ct_rigid_body *body, double J[9])
{
    const double *R = body->rotation;
    double half[9] = {0};
    memset(J, 0, 9 * sizeof *J);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) half[3 * i + j] += R[3 * i + k] * body->inertia[3 * k + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) J[3 * i + j] += half[3 * i + k] * R[3 * j + k];
}

/* The faces' velocities under the wind are found in a few turns. */
static void blow(ct_rigid_body *body, const ct_exertion *all, int dimension)
{
    enum { TURNS = 3 };
    ct_rigid_state *s = &body->state;
    double J[9], V[3], w[3];
    turn_inertia(body, J);
    memcpy(V, s->velocity, sizeof V);
    ct_multiply3(body->turn, s->spin, w);
    for (int turn = 0; turn < TURNS; turn++) {
        double A[SIX][SIX] = {{0}}, b[SIX];
        for (int a = 0; a < 3; a++) {
            b[a] = body->mass * s->velocity[a], b[3 + a] = s->spin[a];
            A[a][a] = a < dimension ? body->mass : 0;
            for (int c = 0; c < 3; c++) A[3 + a][3 + c] = J[3 * a + c];
        }
        press_faces(body, all, dimension, V, w, A, b);
        for (int i = 0; i < SIX; i++)
            if (dimension == 2 && i != 0 && i != 1 && i != 5)
                for (int k = 0; k < SIX; k++) A[i][k] = A[k][i] = 0;
        solve6(A, b);
        memcpy(V, b, sizeof V), memcpy(w, b + 3, sizeof w);
    }
    memcpy(s->velocity, V, sizeof V);
    ct_multiply3(J, w, s->spin);
}

static void list_points(const ct_rigids *rigids, ct_exertion *all)
{
    for (size_t k = 0; k < rigids->count; k++) {
        const ct_rigid_body *body = &rigids->bodies[k];
        memcpy(all->position[k], body->state.position, sizeof body->state.position);
        memcpy(all->velocity[k], body->state.velocity, sizeof body->state.velocity);
        all->weight[k] = body->mass;
        all->owner[k] = (uint32_t)body->body;
        all->id[k] = (uint32_t)body->state.first_id;
    }
}

void ct_rigids_exert(ct_rigids *rigids, ct_exertion *all, const char *method)
{
    const int dimension = rigids->common->def.dimension;
    bool has_wind = ct_forces_press(all->forces, all->count);
    if (all->function) {
        list_points(rigids, all);
        ct_exertion_call(all, method, rigids->count);
    }
    for (size_t k = 0; k < rigids->count; k++) {
        ct_rigid_body *body = &rigids->bodies[k];
        ct_rigid_state *s = &body->state;
        ct_pulls pulls = {.count = 1, .is_on_face = {true}, .dt = all->dt, .body = {(uint16_t)body->body}};
        if (body->is_pinned) continue;
        memcpy(pulls.x[0], s->position, sizeof s->position);
        memcpy(pulls.v[0], s->velocity, sizeof s->velocity);
        ct_forces_pull(all->forces, all->count, &pulls);
        for (int a = 0; a < dimension && all->function; a++) pulls.push[0][a] += all->acceleration[k][a];
        for (int a = dimension; a < 3; a++) pulls.push[0][a] = 0;
        ct_drag_solve(NULL, body->mass, all->dt, pulls.push[0], pulls.rate[0], s->velocity);
        for (int a = 0; a < 3; a++) s->spin[a] /= 1 + all->dt * pulls.rate[0];
        if (has_wind) blow(body, all, dimension);
    }
}
