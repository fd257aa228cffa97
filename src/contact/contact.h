/* Contact: the meeting place of different kinds of matter.
 *
 * Nobody here knows what the others are. Every kind of matter shows a *field* at the nodes of one grid, the
 * law acts between fields that share a node, and every field takes its impulses back:
 *
 *        samples of a body                    nodes                        samples of another
 *                              w_iq                        w_ir
 *         q: x, v, n, m  ---------------> m, v, x, n  <---------------  r: x, v, n, m
 *                        <---------------      J      --------------->
 *                          w_iq m_q/m_i               w_ir m_r/m_i
 *
 * *Sampled fields* are points on the surface of a body (of elements, of shells, peridynamic, rigid):
 * position, velocity, outward normal, mass. *Clouds* are particles that have a grid of their own (the
 * material point method): they give mass, momentum and mean position per node. Their normals,
 * from where their masses fall off, count among each other, and where those of samples differ.
 *
 * The law at a node, for a pair a, b of fields of different groups (theory: docs/theory/contact.md):
 *
 *     n = (n_a - n_b)/|.|                 a cloud has n = 0; the normal of a sheet looks to the other's side
 *     g = (x_b - x_a).n - dx/2            acts only where g < 0; sheet and cloud: - dx
 *     v = v_a - v_b,  v_n = v.n           approaching: v_n > 0
 *     I n + T on b, -(I n + T) on a       I >= 0 and parting speed -v_n' >= goal, one of them an equality
 *     goal = max(e v_n, min(0.1 min(-g, dx)/dt, max(0.1 m/s, v_n)))
 *     |T| <= mu I                         T stops the sliding or is the most that Coulomb allows
 *
 * All pairs of a node are solved together, so no order of pairs matters and light fields between heavy ones
 * hold: two rounds of all normal impulses (a complementarity problem, solved by active sets), then all
 * friction.
 *
 * Geometry: node j of axis a stands at origin[a] + (j - 0.5) spacing[a], as the nodes of the material point
 * method do; blocks are 4^d nodes, block b covers the nodes 4b to 4b + 3 of each axis, and numbers them with
 * the last axis fastest. The kernel is the quadratic B-spline: a sample reaches 3 nodes per axis.
 *
 *     block b         block b + 1
 *     |o  o  o  o |o  o  o  o |        a sample belongs to the block of the first node it reaches,
 *            x~~~~~~~~~~x              and reaches into blocks b + {0, 1} along each axis
 *
 * A *page* is what one field has in one block. It gathers from the samples of its own field, block after
 * block and in the order of their numbers, so its sums depend on that field alone; no two workers write the
 * same number. Results have the same bits for any number of threads. Blocks in which a field is alone are
 * dropped before any work on nodes, and where no boxes overlap the solve ends with their comparison.
 *
 * The trade-off: contact has the resolution of the grid. Fields closer than about a spacing feel each other,
 * a body never touches itself, and pairs that need sharper geometry (strands, stacks of rigid bodies, folds) are
 * given the same group and left to another solver (near.h and stencils.h are what the geometric ones share). Nodes that a rigid body reaches are solved one after the
 * other, by one thread (bodies.c).
 *
 * Hybrid MPM (Han et al. 2019, sections 4.3 and 7) has the idea of collision samples on a grid; its law is
 * another one (docs/theory/contact.md says why).
 */
#ifndef CT_CONTACT_CONTACT_H
#define CT_CONTACT_CONTACT_H

#include "core/threads.h"

enum { CT_CONTACT_NODES = 64 }; /* per block, room for; 2D uses the first 16 */

typedef struct ct_contacts ct_contacts; /* working memory, kept from step to step */

/* Where nodes stand. In 2D the third components are neither read nor written, but by results, as 0. */
typedef struct ct_contact_space {
    int dimension;        /* 2 or 3 */
    double origin[3];     /* m */
    double spacing[3];    /* m */
    double least_spacing; /* m, dx in the law */
} ct_contact_space;

/* A field that moves as one. Its functions are called by the thread that solves, between the beginning and
 * the end of ct_contact_solve; `at` is in m. */
typedef struct ct_contact_body {
    void *owner;
    void (*velocity)(void *owner, const double at[3], double velocity[3]); /* m/s, as pushed so far */
    double (*lightness)(void *owner, const double at[3]); /* 1/kg, not below 1/mass along any direction */
    void (*push)(void *owner, const double at[3], const double impulse[3]); /* N s */
} ct_contact_body;

/* The shape of a field, where more is known of it than samples tell: clouds ask it for the side that they are on,
 * at edges and at plates that are thinner than the spacing. */
typedef struct ct_contact_shape {
    const void *owner;
    double (*distance)(const void *owner, const double at[3], double normal[3]); /* m, outside positive */
    bool is_thin; /* clouds meet it as they do sheets */
} ct_contact_shape;

/* A body by points on its surface. The arrays are the caller's and must stay until the solve is over. */
typedef struct ct_contact_field {
    int party;     /* whose account its impulses go to (book.h); 0: its group tells */
    int group;     /* fields of one group do not touch each other here */
    int material;  /* number, for friction and restitution by pairs */
    bool is_sheet; /* its normals have no outside: they are turned to the side of the other field */
    bool is_line;  /* 3D: its normals are tangents; what it touches is to be across them, see law.c */
    size_t count;  /* samples, below 2^32 */
    const double (*position)[3]; /* [count] m */
    const double (*velocity)[3]; /* [count] m/s */
    const double (*normal)[3];   /* [count] outward, of length 1, or 0 where there is none */
    const double *mass;   /* [count] kg; 0: feels nothing; INFINITY: pinned, moves as its velocity says */
    double (*impulse)[3]; /* [count] N s, written by ct_contact_solve; of pinned samples: on the support */
    const ct_contact_body *body; /* NULL: samples move each for itself. Masses are then only weights, and the
                                    body has been pushed when the solve is over */
    const ct_contact_shape *shape; /* may be NULL */
} ct_contact_field;

/* What a cloud has at a node. */
typedef struct ct_contact_node {
    double mass;        /* kg, sum of w m */
    double momentum[3]; /* kg m/s */
    double position[3]; /* kg m, sum of w m x */
    double normal[3];   /* outward, mean of the surface near by: of length 1 where it is flat, 0 inside */
    int material;       /* of most of the mass, where the law asks for it; else that of the cloud */
    double majority;    /* while that is found */
} ct_contact_node;

/* A cloud of particles with a grid of its own, of the same nodes. Its functions are called by the thread that
 * solves: has_block for blocks within [low, high]; show once, with blocks it said it has; take at most once,
 * with those of them where an impulse acts. In 2D block[2] is 0. */
typedef struct ct_contact_cloud {
    int party;                  /* as above */
    int group, material;        /* as above */
    bool has_normals;           /* clouds of which both have touch each other, */
    size_t block_count;         /* in blocks that both are in */
    const int32_t (*blocks)[3]; /* [block_count] the caller's */
    int32_t low[3], high[3];    /* its blocks lie within, both inclusive; low > high: none */
    void *owner;
    bool (*has_block)(void *owner, const int32_t block[3]); /* whether any node of it may have mass */
    void (*show)(void *owner, size_t count, const int32_t (*block)[3],
                 ct_contact_node (*nodes)[CT_CONTACT_NODES]); /* all zero before */
    void (*take)(void *owner, size_t count, const int32_t (*block)[3],
                 const double (*impulse)[CT_CONTACT_NODES][3]); /* N s */
} ct_contact_cloud;

typedef struct ct_contact_pair_law {
    int a, b; /* materials, in any order */
    double friction, restitution;
} ct_contact_pair_law;

typedef struct ct_contact_law {
    bool is_literal; /* as the paper prints it (literal.c): solids and clouds only, no accounts */
    double friction, restitution; /* of pairs that are not in the table */
    double recovery;              /* fraction of an overlap that a step removes */
    double recovery_speed;        /* m/s; overlaps never part faster than this, or than they approach */
    size_t pair_count;
    const ct_contact_pair_law *pairs; /* [pair_count], the first that fits holds; the caller's */
} ct_contact_law;

/* Friction 0.3, no restitution, recovery 0.1 at up to 0.1 m/s. */
ct_contact_law ct_default_contact_law(void);

/* That of a world; its pairs are put into `pairs`. */
enum { CT_MOST_CONTACT_PAIRS = 64 };
ct_contact_law ct_contact_law_of(const ct_contact_def *def, ct_contact_pair_law pairs[CT_MOST_CONTACT_PAIRS]);

/* Friction and restitution of two materials. */
ct_contact_pair_law ct_contact_find_law(const ct_contact_law *law, int a, int b);

/* What passed between two fields; [0] is a, [1] is b. */
typedef struct ct_contact_pair {
    size_t a, b; /* numbers in the order of adding, a < b */
    int party[2], group[2];
    double impulse[3];   /* N s, on b; a got the opposite */
    double torque[2][3]; /* N m s, about the origin of the coordinates, of the impulses where each takes them:
                            at its samples, or at the nodes of a cloud */
    double work[2];      /* J, on the field at the nodes: impulse times mean velocity */
    size_t nodes;        /* where it acted */
} ct_contact_pair;

typedef struct ct_contact_result {
    size_t pages, shared_blocks, nodes_in_touch;
    size_t crowded_nodes; /* with more fields than the law takes: the lightest were left out there */
    double courant;       /* largest |v| dt / dx of a sample; contact may be missed beyond 0.6 */
    size_t pair_count;
    const ct_contact_pair *pairs; /* [pair_count] pairs in touch by (a, b); good until the next begin */
} ct_contact_result;

ct_status ct_contact_create(ct_heap *heap, ct_contacts **contact, ct_error *error);
void ct_contact_destroy(ct_contacts *contact); /* NULL is fine */

/* Forgets all fields. */
void ct_contact_begin(ct_contacts *contact, ct_contact_space space, double dt);

/* Fields and clouds are numbered from 0 in the order of adding, both in one row. */
ct_status ct_contact_add_field(ct_contacts *contact, const ct_contact_field *def, ct_error *error);
ct_status ct_contact_add_cloud(ct_contacts *contact, const ct_contact_cloud *def, ct_error *error);

/* What bodies do among themselves, called after every sweep over the nodes where they take part. */
void ct_contact_settle(ct_contacts *contact, void (*settle)(void *owner), void *owner);

/* Fills the impulses of all fields and hands clouds theirs. On failure clouds got none, and the impulses of
 * samples mean nothing: CT_DIVERGED names a sample that is not finite, CT_BAD_USAGE one with a negative mass
 * or too far away for block numbers. */
ct_status ct_contact_solve(ct_contacts *contact, ct_pool *pool, const ct_contact_law *law, ct_error *error);

/* Of the last solve. */
const ct_contact_result *ct_contact_results(const ct_contacts *contact);

#endif
