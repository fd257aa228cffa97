/* What the tests of contact share: cmocka, random numbers, bodies of samples, and a cloud of particles that
 * knows the kernel from its formula and nothing of blocks but their definition. */
#ifndef CT_TESTS_CONTACT_HARNESS_H
#define CT_TESTS_CONTACT_HARNESS_H

#include "contact/contact.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline double uniform(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

static inline double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* N(z) of the quadratic B-spline, z in cells. */
static inline double kernel(double z)
{
    z = fabs(z);
    return z < 0.5 ? 0.75 - z * z : z < 1.5 ? 0.5 * (1.5 - z) * (1.5 - z) : 0;
}

static inline double node_at(const ct_contact_space *space, int axis, int node)
{
    return space->origin[axis] + (node - 0.5) * space->spacing[axis];
}

static inline double weight_of(const ct_contact_space *space, const double x[3], const int node[3])
{
    double w = 1;
    for (int a = 0; a < space->dimension; a++)
        w *= kernel((x[a] - node_at(space, a, node[a])) / space->spacing[a]);
    return w;
}

static inline ct_contact_space space_of(int dimension)
{
    return (ct_contact_space){
        .dimension = dimension, .origin = {-0.3, 0.2, 0.1}, .spacing = {0.1, 0.1, 0.1}, .least_spacing = 0.1};
}

/* ---- Bodies ---------------------------------------------------------------------------------------------
 */

enum { MOST = 4000 };

typedef struct body {
    size_t count;
    double x[MOST][3], v[MOST][3], n[MOST][3], m[MOST], j[MOST][3];
    ct_contact_field def;
} body;

static inline body *new_body(int group)
{
    body *b = calloc(1, sizeof *b);
    b->def = (ct_contact_field){.group = group,
                                .position = (const double(*)[3])b->x,
                                .velocity = (const double(*)[3])b->v,
                                .normal = (const double(*)[3])b->n,
                                .mass = b->m,
                                .impulse = b->j};
    return b;
}

static inline void add_sample(body *b, const double x[3], const double n[3], const double v[3], double m)
{
    size_t q = b->count++;
    assert_true(q < MOST);
    memcpy(b->x[q], x, sizeof b->x[q]);
    memcpy(b->n[q], n, sizeof b->n[q]);
    memcpy(b->v[q], v, sizeof b->v[q]);
    b->m[q] = m;
    b->def.count = b->count;
}

/* Samples on all faces of a box, in the middle of squares of edge `step`. */
static inline body *new_box(int group, int dimension, const double low[3], const double high[3], double step,
                            const double v[3], double mass)
{
    body *b = new_body(group);
    for (int axis = 0; axis < dimension; axis++)
        for (int side = 0; side < 2; side++) {
            int c = (axis + 1) % dimension, d = dimension == 3 ? (axis + 2) % 3 : 2;
            int along = (int)round((high[c] - low[c]) / step);
            int across = dimension == 3 ? (int)round((high[d] - low[d]) / step) : 1;
            for (int k = 0; k < along * across; k++) {
                double x[3] = {0}, n[3] = {0};
                x[axis] = side ? high[axis] : low[axis];
                n[axis] = side ? 1 : -1;
                if (dimension == 3) x[d] = low[d] + (k / along + 0.5) * step;
                x[c] = low[c] + (k % along + 0.5) * step;
                add_sample(b, x, n, v, mass);
            }
        }
    return b;
}

/* Samples on a plane y = height. */
static inline body *new_plate(int group, int dimension, double height, double low, double high, double step,
                              double normal, const double v[3], double mass)
{
    body *b = new_body(group);
    int count = (int)round((high - low) / step);
    for (int k = 0; k < (dimension == 3 ? count * count : count); k++) {
        double x[3] = {low + (k % count + 0.5) * step, height, 0}, n[3] = {0, normal, 0};
        if (dimension == 3) x[2] = low + (k / count + 0.5) * step;
        add_sample(b, x, n, v, mass);
    }
    return b;
}

/* ---- A cloud --------------------------------------------------------------------------------------------
 */

typedef struct cloud {
    ct_contact_space space;
    size_t count;
    double x[MOST][3], v[MOST][3], m[MOST], j[MOST][3];
    double given[3], torque[3]; /* sums of the impulses at nodes, and of their moments */
    size_t asked, shown, taken; /* blocks */
    ct_contact_cloud def;
} cloud;

static inline void node_of(int dimension, const int32_t block[3], int i, int node[3])
{
    int local[3] = {dimension == 3 ? i / 16 : i / 4, dimension == 3 ? i / 4 % 4 : i % 4, i % 4};
    for (int a = 0; a < 3; a++) node[a] = a < dimension ? 4 * block[a] + local[a] : 0;
}

static inline double node_mass(const cloud *c, const int node[3])
{
    double mass = 0;
    for (size_t p = 0; p < c->count; p++) mass += c->m[p] * weight_of(&c->space, c->x[p], node);
    return mass;
}

static inline bool cloud_has_block(void *owner, const int32_t block[3])
{
    cloud *c = owner;
    c->asked++;
    for (int i = 0; i < (c->space.dimension == 3 ? 64 : 16); i++) {
        int node[3];
        node_of(c->space.dimension, block, i, node);
        if (node_mass(c, node) > 0) return true;
    }
    return false;
}

static inline void cloud_show(void *owner, size_t count, const int32_t (*block)[3],
                              ct_contact_node (*nodes)[CT_CONTACT_NODES])
{
    cloud *c = owner;
    c->shown += count;
    for (size_t k = 0; k < count; k++)
        for (int i = 0; i < (c->space.dimension == 3 ? 64 : 16); i++) {
            int node[3];
            node_of(c->space.dimension, block[k], i, node);
            for (size_t p = 0; p < c->count; p++) {
                double wm = c->m[p] * weight_of(&c->space, c->x[p], node);
                nodes[k][i].mass += wm;
                for (int a = 0; a < 3; a++) {
                    nodes[k][i].momentum[a] += wm * c->v[p][a];
                    nodes[k][i].position[a] += wm * c->x[p][a];
                }
            }
        }
}

static inline void cloud_take(void *owner, size_t count, const int32_t (*block)[3],
                              const double (*impulse)[CT_CONTACT_NODES][3])
{
    cloud *c = owner;
    c->taken += count;
    for (size_t k = 0; k < count; k++)
        for (int i = 0; i < (c->space.dimension == 3 ? 64 : 16); i++) {
            int node[3];
            node_of(c->space.dimension, block[k], i, node);
            double mass = node_mass(c, node);
            double at[3] = {0};
            for (int a = 0; a < c->space.dimension; a++) at[a] = node_at(&c->space, a, node[a]);
            for (int a = 0; a < 3; a++) {
                int b = (a + 1) % 3, d = (a + 2) % 3;
                c->given[a] += impulse[k][i][a];
                c->torque[a] += at[b] * impulse[k][i][d] - at[d] * impulse[k][i][b];
            }
            for (size_t p = 0; mass > 0 && p < c->count; p++)
                for (int a = 0; a < 3; a++)
                    c->j[p][a] += c->m[p] * weight_of(&c->space, c->x[p], node) / mass * impulse[k][i][a];
        }
}

/* Particles `step` apart in a box. */
static inline cloud *new_cloud(int group, ct_contact_space space, const double low[3], const double high[3],
                               double step, const double v[3], double mass)
{
    cloud *c = calloc(1, sizeof *c);
    c->space = space;
    c->def = (ct_contact_cloud){
        .group = group, .owner = c, .has_block = cloud_has_block, .show = cloud_show, .take = cloud_take};
    int n[3] = {1, 1, 1};
    for (int a = 0; a < space.dimension; a++) {
        n[a] = (int)round((high[a] - low[a]) / step);
        c->def.low[a] = (int32_t)floor(floor((low[a] - space.origin[a]) / space.spacing[a]) / 4);
        c->def.high[a] = (int32_t)floor((floor((high[a] - space.origin[a]) / space.spacing[a]) + 2) / 4);
    }
    for (int k = 0; k < n[0] * n[1] * n[2]; k++) {
        int at[3] = {k % n[0], k / n[0] % n[1], k / n[0] / n[1]};
        size_t p = c->count++;
        assert_true(p < MOST);
        for (int a = 0; a < space.dimension; a++) c->x[p][a] = low[a] + (at[a] + 0.5) * step;
        memcpy(c->v[p], v, sizeof c->v[p]);
        c->m[p] = mass;
    }
    return c;
}

/* ---- Solving --------------------------------------------------------------------------------------------
 */

typedef struct rig {
    ct_heap heap;
    ct_pool *pool;
    ct_contacts *contact;
    ct_contact_law law;
} rig;

static inline rig new_rig(int threads)
{
    static ct_heap heap; /* pools and contact keep its address */
    rig r = {0};
    ct_heap_init(&heap, (ct_allocator){0});
    assert_int_equal(ct_pool_create(&heap, threads, &r.pool, NULL), CT_OK);
    assert_int_equal(ct_contact_create(&heap, &r.contact, NULL), CT_OK);
    r.law = ct_default_contact_law();
    return r;
}

static inline void end_rig(rig *r)
{
    ct_contact_destroy(r->contact);
    ct_pool_destroy(r->pool);
}

static const double test_dt = 1e-3;

/* Solves for the bodies, then the clouds; NULL ends each list. */
static inline const ct_contact_result *solve(rig *r, ct_contact_space space, body **bodies, cloud **clouds)
{
    ct_contact_begin(r->contact, space, test_dt);
    for (; bodies && *bodies; bodies++)
        assert_int_equal(ct_contact_add_field(r->contact, &(*bodies)->def, NULL), CT_OK);
    for (; clouds && *clouds; clouds++) {
        memset((*clouds)->j, 0, sizeof(*clouds)->j);
        memset((*clouds)->given, 0, sizeof(*clouds)->given);
        memset((*clouds)->torque, 0, sizeof(*clouds)->torque);
        (*clouds)->asked = (*clouds)->shown = (*clouds)->taken = 0;
        assert_int_equal(ct_contact_add_cloud(r->contact, &(*clouds)->def, NULL), CT_OK);
    }
    ct_error error = {0};
    assert_int_equal(ct_contact_solve(r->contact, r->pool, &r->law, &error), CT_OK);
    return ct_contact_results(r->contact);
}

static inline void total_impulse(const body *b, double sum[3])
{
    for (size_t q = 0; q < b->count; q++)
        for (int a = 0; a < 3; a++) sum[a] += b->j[q][a];
}

static inline double size_of(const double a[3])
{
    return sqrt(dot3(a, a));
}

#endif
