/* The law at one node; docs/theory/contact.md has the equations. */
#include "contact/law.h"

#include <string.h>

static const double least_normal = 0.2; /* of |n_a - n_b|, 2 where two flat surfaces meet */

enum { ROUNDS = 2 };

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

ct_contact_pair_law ct_contact_find_law(const ct_contact_law *law, int a, int b)
{
    for (size_t k = 0; k < law->pair_count; k++) {
        const ct_contact_pair_law *pair = &law->pairs[k];
        if ((pair->a == a && pair->b == b) || (pair->a == b && pair->b == a)) return *pair;
    }
    return (ct_contact_pair_law){a, b, law->friction, law->restitution};
}

/* Where normals differ, at edges and corners, their mean is of no side; the field that is flat there says more.
 * A mean of length l counts 1/(1 + bent - l^2) times, 50 where all normals agree. Else what slides over a plane
 * would meet it with the slanted mean of its front edge, and plough. */
static const double bent = 0.02;

static double trust(const double normal[3])
{
    return 1 / (1 + bent - fmin(1, dot(normal, normal)));
}

/* Normals of clouds are never quite as long as 1, even where they are flat: what counts less than another counts
 * still less where a cloud takes part. */
static double sharply(double trust)
{
    return trust * trust;
}

/* Adds the normal of a cloud by how flat it is. */
static void add_cloud_normal(const ct_contact_party *cloud, double weight, double n[3])
{
    weight *= sharply(trust(cloud->slope));
    for (int c = 0; c < 3; c++) n[c] += weight * cloud->slope[c];
}

/* Adds the normal of `party` times `sign`; a sheet's is turned to the side where the other is. */
static void add_normal(const ct_contact_party *party, const double to_other[3], double sign, double n[3])
{
    if (party->is_line) return;
    if (party->is_sheet && dot(party->normal, to_other) < 0) sign = -sign;
    for (int c = 0; c < 3; c++) n[c] += sign * party->normal[c];
}

/* Where nobody has a normal and one is a line, it is from mean position to mean position, across the line. Of
 * lines of several directions the mean tangent is shorter than 1, and less of it is taken away. */
static void look_across(const ct_contact_party *a, const ct_contact_party *b, const double ab[3], double dx,
                        double n[3])
{
    const ct_contact_party *both[] = {a, b};
    for (int c = 0; c < 3; c++) n[c] = ab[c] / dx;
    for (int k = 0; k < 2; k++) {
        double along = both[k]->is_line ? dot(n, both[k]->normal) : 0;
        for (int c = 0; c < 3 && along != 0; c++) n[c] -= along * both[k]->normal[c];
    }
}

/* Tangents: right angles with n and each other (Duff et al. 2017 for 3D). */
static void make_tangents(int dimension, const double n[3], double t[2][3])
{
    if (dimension == 2) {
        t[0][0] = -n[1], t[0][1] = n[0], t[0][2] = 0;
        memset(t[1], 0, sizeof t[1]);
        return;
    }
    double sign = copysign(1, n[2]), a = -1 / (sign + n[2]), b = n[0] * n[1] * a;
    t[0][0] = 1 + sign * n[0] * n[0] * a, t[0][1] = sign * b, t[0][2] = -sign * n[0];
    t[1][0] = b, t[1][1] = sign + n[1] * n[1] * a, t[1][2] = -n[1];
}

/* Cells between the mean positions of two fields that touch. A cloud must not come so near to a sheet or a
 * line, which have nothing behind them, that it is on both sides at once: its side could not be told any more. */
static const double solid_reach = 0.5, sheet_reach = 1;

/* Where two half spaces of particles touch, their mean positions at the nearest nodes are 0.81 to 0.9 cells apart
 * (quadratic kernel). */
static const double cloud_reach = 0.85;

/* Cells of overlap from which on a cloud is parted from others at the full speed: below it is less, or what
 * rests would hop. */
static const double cloud_ease = 0.5;

/* Clouds have no normal. */
static bool is_sheet_in_cloud(const ct_contact_party *sheet, const ct_contact_party *cloud)
{
    bool is_thin = sheet->is_sheet || sheet->is_line || (sheet->shape && sheet->shape->is_thin);
    return is_thin && dot(cloud->normal, cloud->normal) == 0;
}

static bool has_shape(const ct_contact_party *a, const ct_contact_party *b)
{
    return (a->shape && b->is_cloud) || (b->shape && a->is_cloud);
}

/* The normal, from a to b, and the distance where the cloud is. */
static bool ask_shape(const ct_contact_party *a, const ct_contact_party *b, double n[3], double *distance)
{
    const ct_contact_party *solid = a->is_cloud ? b : a, *cloud = a->is_cloud ? a : b;
    *distance = solid->shape->distance(solid->shape->owner, cloud->position, n);
    for (int c = 0; c < 3; c++) n[c] *= solid == a ? 1 : -1;
    return dot(n, n) > 0;
}

/* Clouds among each other: their volumes fall off towards each other. */
static bool compare_slopes(const ct_contact_party *a, const ct_contact_party *b, double n[3])
{
    double least = 0.5 * least_normal * (sqrt(dot(a->slope, a->slope)) + sqrt(dot(b->slope, b->slope)));
    for (int c = 0; c < 3; c++) n[c] = a->slope[c] - b->slope[c];
    if (!(sqrt(dot(n, n)) > least)) return false;
    memset(n, 0, 3 * sizeof *n);
    add_cloud_normal(a, 1, n);
    add_cloud_normal(b, -1, n);
    return dot(n, n) > 0;
}

/* The normal of a pair of which one at least is no cloud, of any length; false: there is none. */
static bool find_normal(const ct_contact_party *a, const ct_contact_party *b, const double ab[3], double dx,
                        double n[3])
{
    const double ba[3] = {-ab[0], -ab[1], -ab[2]};
    double size;
    add_normal(a, ab, 1, n);
    add_normal(b, ba, -1, n);
    if ((a->is_line || b->is_line) && dot(n, n) == 0) look_across(a, b, ab, dx, n);
    size = sqrt(dot(n, n));
    if (!(size > least_normal)) return false;
    if (a->is_line || b->is_line || a->is_sheet || b->is_sheet) {
        if (a->is_cloud || b->is_cloud || a->is_line || b->is_line) return true;
    }
    memset(n, 0, 3 * sizeof *n);
    if (a->is_cloud) add_cloud_normal(a, 1 - fmin(1, dot(b->normal, b->normal)), n);
    if (b->is_cloud) add_cloud_normal(b, fmin(1, dot(a->normal, a->normal)) - 1, n);
    bool has_cloud = a->is_cloud || b->is_cloud;
    double of_a = trust(a->normal), of_b = trust(b->normal);
    add_normal(a, ab, has_cloud ? sharply(of_a) : of_a, n);
    add_normal(b, ba, has_cloud ? -sharply(of_b) : -of_b, n);
    return dot(n, n) > 0;
}

/* How fast an overlap may part, m/s. Two sampled fields, and a sheet in a cloud, part as fast as they came:
 * so a body of elements keeps the energy of an impact, and sand does not sink through a cloth. A cloud that lies
 * on something solid comes a little in every step, for the grid filters what stopped it; to throw it back each
 * time would keep it in the air. */
static double fastest_parting(const ct_contact_law *law, bool is_eased, double overlap, double approach)
{
    if (is_eased) return law->recovery_speed * fmin(1, overlap / cloud_ease);
    return fmax(law->recovery_speed, approach);
}

/* Whether a and b touch, and how they should part. */
static bool touch(const ct_contact_node_law *node, const ct_contact_party *parties, int a, int b,
                  ct_contact_touch *touch_)
{
    const ct_contact_party *A = &parties[a], *B = &parties[b];
    double stiffness = 1 / A->mass + 1 / B->mass;
    if (A->group == B->group || stiffness == 0) return false;
    double ab[3], n[3] = {0}, v[3], distance = 0;
    for (int c = 0; c < 3; c++) {
        ab[c] = B->position[c] - A->position[c];
        v[c] = A->velocity[c] - B->velocity[c];
    }
    bool are_clouds = A->is_cloud && B->is_cloud,
         has_sheet = is_sheet_in_cloud(A, B) || is_sheet_in_cloud(B, A);
    if (!(are_clouds        ? compare_slopes(A, B, n)
          : has_shape(A, B) ? ask_shape(A, B, n, &distance)
                            : find_normal(A, B, ab, node->dx, n)))
        return false;
    double size = sqrt(dot(n, n));
    for (int c = 0; c < 3; c++) n[c] /= size;
    if (!has_shape(A, B)) distance = dot(ab, n);
    double reach = are_clouds ? cloud_reach : has_sheet ? sheet_reach : solid_reach;
    double gap = distance - reach * node->dx, approach = dot(v, n);
    if (!(gap < 0)) return false;
    ct_contact_pair_law law = ct_contact_find_law(node->law, A->material, B->material);
    double bias = node->law->recovery * fmin(-gap, node->dx) / node->dt;
    bool is_eased = (A->is_cloud || B->is_cloud) && !has_sheet;
    bias = fmin(bias, fastest_parting(node->law, is_eased, -gap / node->dx, approach));
    *touch_ = (ct_contact_touch){.a = a, .b = b, .friction = law.friction, .stiffness = stiffness};
    touch_->goal = fmax(law.restitution * approach, bias);
    memcpy(touch_->normal, n, sizeof n);
    make_tangents(node->dimension, n, touch_->tangent);
    return true;
}

/* How fast an impulse on pair q changes the velocity of pair p, over both stiffnesses' roots; times the
 * cosine of their directions. */
static double couple(const ct_contact_party *parties, const ct_contact_touch *p, const ct_contact_touch *q)
{
    double sum = 0;
    if (p->a == q->a) sum += 1 / parties[p->a].mass;
    if (p->b == q->b) sum += 1 / parties[p->b].mass;
    if (p->a == q->b) sum -= 1 / parties[p->a].mass;
    if (p->b == q->a) sum -= 1 / parties[p->b].mass;
    return sum / (sqrt(p->stiffness) * sqrt(q->stiffness));
}

/* Velocity of a over b along a direction, with impulses on all pairs so far. */
static double relative(const double (*velocity)[3], const ct_contact_touch *t, const double along[3])
{
    double v[3];
    for (int c = 0; c < 3; c++) v[c] = velocity[t->a][c] - velocity[t->b][c];
    return dot(v, along);
}

/* Velocities after the normal impulses, or after friction alone. */
static void move(int count, const ct_contact_party *parties, int touch_count, const ct_contact_touch *touches,
                 bool by_push, double (*velocity)[3])
{
    for (int p = 0; p < count; p++) memcpy(velocity[p], parties[p].velocity, sizeof velocity[p]);
    for (int k = 0; k < touch_count; k++) {
        const ct_contact_touch *t = &touches[k];
        for (int c = 0; c < 3; c++) {
            double j = by_push ? t->push * t->normal[c]
                               : t->rub[0] * t->tangent[0][c] + t->rub[1] * t->tangent[1][c];
            velocity[t->a][c] -= j / parties[t->a].mass;
            velocity[t->b][c] += j / parties[t->b].mass;
        }
    }
}

/* All normal impulses, given friction: y = sqrt(stiffness) push makes ones of the diagonal. */
static void push_all(int count, const ct_contact_party *parties, int touch_count, ct_contact_touch *touches)
{
    double W[CT_CONTACT_PAIRS][CT_CONTACT_UNKNOWNS], r[CT_CONTACT_PAIRS] = {0}, y[CT_CONTACT_PAIRS];
    double velocity[CT_CONTACT_PRESENT][3];
    move(count, parties, touch_count, touches, false, velocity);
    for (int p = 0; p < touch_count; p++) {
        const ct_contact_touch *t = &touches[p];
        r[p] = (relative((const double(*)[3])velocity, t, t->normal) + t->goal) / sqrt(t->stiffness);
        for (int q = 0; q < touch_count; q++)
            W[p][q] = p == q ? 1 : couple(parties, t, &touches[q]) * dot(t->normal, touches[q].normal);
    }
    ct_contact_complement(touch_count, (const double(*)[CT_CONTACT_UNKNOWNS])W, r, y);
    for (int p = 0; p < touch_count; p++) touches[p].push = y[p] / sqrt(touches[p].stiffness);
}

/* All friction, given the normal impulses. */
static void rub_all(const ct_contact_node_law *node, int count, const ct_contact_party *parties,
                    int touch_count, ct_contact_touch *touches)
{
    int size = node->dimension - 1;
    double W[CT_CONTACT_UNKNOWNS][CT_CONTACT_UNKNOWNS], v[CT_CONTACT_UNKNOWNS] = {0}, y[CT_CONTACT_UNKNOWNS];
    double limit[CT_CONTACT_PAIRS] = {0}, velocity[CT_CONTACT_PRESENT][3];
    move(count, parties, touch_count, touches, true, velocity);
    for (int p = 0; p < touch_count; p++) {
        const ct_contact_touch *t = &touches[p];
        limit[p] = t->friction * t->push * sqrt(t->stiffness);
        for (int i = 0; i < size; i++)
            v[p * size + i] = relative((const double(*)[3])velocity, t, t->tangent[i]) / sqrt(t->stiffness);
        for (int q = 0; q < touch_count; q++) {
            double coupling = p == q ? 1 : couple(parties, t, &touches[q]);
            for (int i = 0; i < size; i++)
                for (int j = 0; j < size; j++)
                    W[p * size + i][q * size + j] =
                        p == q ? i == j : coupling * dot(t->tangent[i], touches[q].tangent[j]);
        }
    }
    ct_contact_rub(touch_count, size, (const double(*)[CT_CONTACT_UNKNOWNS])W, v, limit, y);
    for (int p = 0; p < touch_count; p++)
        for (int i = 0; i < size; i++) touches[p].rub[i] = y[p * size + i] / sqrt(touches[p].stiffness);
}

int ct_contact_find(const ct_contact_node_law *node, int count, const ct_contact_party *parties,
                    ct_contact_touch touches[CT_CONTACT_PAIRS])
{
    int touch_count = 0;
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++) touch_count += touch(node, parties, a, b, &touches[touch_count]);
    return touch_count;
}

void ct_contact_solve_touches(const ct_contact_node_law *node, int count, const ct_contact_party *parties,
                              int touch_count, ct_contact_touch *touches)
{
    /* A single pair: friction is at right angles with its normal, one round says it all. */
    int rounds = touch_count == 0 ? 0 : touch_count == 1 ? 1 : ROUNDS;
    for (int round = 0; round < rounds; round++) {
        push_all(count, parties, touch_count, touches);
        rub_all(node, count, parties, touch_count, touches);
    }
    for (int k = 0; k < touch_count; k++) {
        ct_contact_touch *t = &touches[k];
        for (int c = 0; c < 3; c++)
            t->impulse[c] =
                t->push * t->normal[c] + t->rub[0] * t->tangent[0][c] + t->rub[1] * t->tangent[1][c];
    }
}

int ct_contact_act(const ct_contact_node_law *node, int count, const ct_contact_party *parties,
                   ct_contact_touch touches[CT_CONTACT_PAIRS])
{
    int touch_count = ct_contact_find(node, count, parties, touches);
    ct_contact_solve_touches(node, count, parties, touch_count, touches);
    return touch_count;
}
