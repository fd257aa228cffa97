/* The law at one node: what fields have there goes in, impulses of the pairs in touch come out. It knows no
 * pages, clouds or samples. */
#ifndef CT_CONTACT_LAW_H
#define CT_CONTACT_LAW_H

#include "contact/parts.h"

/* A field at a node. */
typedef struct ct_contact_party {
    double mass;        /* kg; INFINITY: pinned */
    double velocity[3]; /* m/s */
    double position[3]; /* m, mean */
    double normal[3];   /* mean, outward; its length is below 1 where normals differ; 0: none */
    bool is_cloud;      /* without a normal; among each other they have */
    double slope[3];    /* of a cloud: what `normal` is of a field of samples */
    bool is_sheet;
    bool is_line;                  /* its normal is a tangent */
    const ct_contact_shape *shape; /* NULL: its samples are all that is known */
    int group, material;
    uint32_t entry; /* of the block; for the caller */
} ct_contact_party;

/* Two parties in touch. */
typedef struct ct_contact_touch {
    int a, b;         /* parties, a < b */
    double normal[3]; /* from a to b, of length 1 */
    double tangent[2][3];
    double friction;
    double goal;       /* m/s, they part at least so fast */
    double stiffness;  /* 1/kg, inverse of the reduced mass */
    double push;       /* N s, normal impulse */
    double rub[2];     /* N s, along the tangents */
    double impulse[3]; /* N s, on b, of both; -impulse on a */
} ct_contact_touch;

typedef struct ct_contact_node_law {
    const ct_contact_law *law;
    int dimension;
    double dx, dt; /* m, s */
} ct_contact_node_law;

/* A node that bodies take part in, while it is visited again and again. */
typedef struct ct_contact_bound {
    uint32_t block;
    int node, count, touch_count;
    size_t first_touch;
    double point[3]; /* m, where impulses act */
    ct_contact_party parties[CT_CONTACT_PRESENT];
    double impulse[CT_CONTACT_PRESENT][3]; /* N s, on each so far */
    double before[CT_CONTACT_PRESENT][3];  /* m/s, velocities at first */
} ct_contact_bound;

/* Who touches whom, and their impulses from the velocities that parties have: ct_contact_act in two steps. */
int ct_contact_find(const ct_contact_node_law *node, int count, const ct_contact_party *parties,
                    ct_contact_touch touches[CT_CONTACT_PAIRS]);
void ct_contact_solve_touches(const ct_contact_node_law *node, int count, const ct_contact_party *parties,
                              int touch_count, ct_contact_touch *touches);

/* share.c, bodies.c: what is at a node, where it is, and what is given to all who are there. */
int ct_contact_look(const ct_contacts *contact, const ct_contact_block *block, int i,
                    ct_contact_party parties[CT_CONTACT_PRESENT]);
void ct_contact_find_node(const ct_contacts *contact, const ct_contact_block *block, int i,
                          double position[3]);
void ct_contact_hand_out(ct_contacts *contact, ct_contact_block *block, int i, int count,
                         const ct_contact_party *parties, int touch_count, const ct_contact_touch *touches);
ct_status ct_contact_meet_bodies(ct_contacts *contact, ct_error *error);

/* literal.c: velocities of nodes into `changes`, impulses of clouds; and what a sample makes of the velocity that it sees
 * there. */
void ct_contact_meet_literally(ct_contacts *contact, ct_contact_block *block, int i);
void ct_contact_answer(const ct_contacts *contact, const ct_contact_field *field, uint32_t q,
                       const double grid[3], double impulse[3]);

/* At most CT_CONTACT_PRESENT parties, each with mass above 0; returns the number of touches. */
int ct_contact_act(const ct_contact_node_law *node, int count, const ct_contact_party *parties,
                   ct_contact_touch touches[CT_CONTACT_PAIRS]);

/* solver.c: the small systems. Matrices are symmetric, positive semidefinite, with ones on the diagonal, rows
 * of `stride` numbers. */
enum { CT_CONTACT_UNKNOWNS = 2 * CT_CONTACT_PAIRS };

/* y >= 0, W y >= r, one of both an equality in each row. W y is unique; of several y the shortest is found,
 * but for round-off. Where no y satisfies all rows (a field between two pinned ones that close in), all give
 * way. */
void ct_contact_complement(int count, const double (*W)[CT_CONTACT_UNKNOWNS], const double *r, double *y);

/* Friction: y stops the sliding, W y = v, as far as |y_p| <= limit_p allows, for `count` pairs of `size`
 * numbers each; it never does work on them. */
void ct_contact_rub(int count, int size, const double (*W)[CT_CONTACT_UNKNOWNS], const double *v,
                    const double *limit, double *y);

#endif
