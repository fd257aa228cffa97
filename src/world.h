/* The world owns everything: what all matter has in common, the boundary, the pace, and the methods at work
 * in it. This is its inside, shared by the files that make up the library's functions; users see it through
 * continua.h only, and nothing below knows it.
 *
 * What depends on dimension, precision and instruction set is reached through one constant table of
 * functions, ct_numerics, chosen when the world is made.
 */
#ifndef CT_WORLD_H
#define CT_WORLD_H

#include "boundary/exertion.h"
#include "core/file.h"
#include "method.h"
#include "method_info.h"

/* Methods at work, and groups of bodies of one that do not share a grid. */
enum { CT_MOST_KINDS = 24, CT_MOST_CONTACT_GROUPS = 15 };

/* A method at work. */
typedef struct ct_kind {
    const ct_method_table *method;
    void *self;
} ct_kind;

struct ct_numerics;
struct ct_record;

struct ct_world {
    ct_common common;
    ct_boundary boundary;
    ct_pace pace;
    const struct ct_numerics *numerics;
    ct_kind kinds
        [CT_MOST_KINDS]; /* the world's default first, then in the order of their first material or body */
    int kind_count;
    ct_contacts *contacts;       /* where kinds meet; NULL while there is only one, */
    ct_contact_space space;      /* and at which nodes: those of a grid of the world's spacing */
    ct_book book;                /* who has given whom how much, where bodies meet */
    struct ct_feeling *feelings; /* [collider_count] before a kind drifts */
    size_t feeling_room;
    ct_exertion exertions[CT_MOST_KINDS]; /* what forces find out about each kind */
    ct_force_function force_function;     /* the user's own; NULL: there is none */
    void *force_user;
    ct_stopwatch clock;
    const char *mostly_limited_by;    /* the steps of the last run; NULL: a single step was the last */
    uint64_t mostly_limited_material; /* whose particle asked */
    struct ct_record *record;         /* what it was made of (world_record.h) */
    int pins;                         /* views that must not move (ct_world_pin) */
    uint64_t sample_count, sample_generation; /* that ct_world_samples gave last */
    double *gravity_keys; /* of the gravity that ct_world_set_gravity set; NULL: the definition's */
    ct_links links; /* of all kinds, by rows of all particles; made when asked for, where kinds are several */
    uint32_t *rows; /* the same for the samples of ct_world_samples */
    size_t row_room;
};

/* One variant of the numerical code. */
typedef struct ct_numerics {
    int dimension;
    ct_precision precision;
    const char *isa;
    const ct_method_table *const *methods; /* by number; NULL past the end */
    /* What a model of MPM says of itself. */
    const ct_material_info *(*material_info)(int index);
    /* Floating-point operations a second that one thread reaches with fused multiply-adds alone. */
    double (*measure_peak)(void);
    /* By number of the method whose bodies are guests in the grid of another (guest.h); NULL: they cannot be. */
    ct_status (*const *let_in)(ct_host *host, ct_error *error);
    void (*add_body_sums)(const ct_cloud *cloud, ct_world_sums *sums); /* particles/read.h */
    double (*exert)(ct_exertion *exertion, ct_cloud *cloud);           /* boundary/exert.h */
} ct_numerics;

/* The variant for a dimension and precision, with the best instruction set of this machine (or
 * CONTINUA_ISA). */
const ct_numerics *ct_numerics_choose(int dimension, ct_precision precision, ct_error *error);
const ct_numerics *ct_numerics_at(int index); /* all variants of this build; NULL past the end */

size_t ct_type_size(ct_type type); /* bytes */

static inline ct_cloud *ct_kind_cloud(const ct_kind *kind)
{
    return kind->method->cloud(kind->self);
}

/* Of a world that several share; NULL: it is all here. */
static inline ct_ranks *ct_world_ranks(const ct_world *world)
{
    return world->kind_count ? ct_cloud_ranks(ct_kind_cloud(&world->kinds[0])) : NULL;
}

/* The world becomes one of several ranks, which have made the same: each keeps its part. CT_BAD_SCENE, naming it, where
 * something of it cannot be shared. */
ct_status ct_world_distribute(ct_world *world, ct_ranks *ranks, ct_error *error);

/* All of it on rank 0, to be read and written to files; and back to its parts. NULL-safe, and nothing where the world is
 * not shared. */
ct_status ct_world_gather(ct_world *world, ct_error *error);
void ct_world_give_back(ct_world *world);

/* The world's method of this number, which is set to work where it is not yet; CT_METHOD_OF_WORLD: the
 * default. */
ct_status ct_world_kind(ct_world *world, int method, ct_kind **kind, ct_error *error);

/* That of the bodies of a method with the contact group `name`; NULL: those without. */
ct_status ct_world_group_kind(ct_world *world, int method, const char *name, ct_kind **kind, ct_error *error);

/* A second kind is set to work for a material. Once that is there the kinds know of each other; where it
 * could not be added, those from `count` on go again. */
void ct_world_introduce_kinds(ct_world *world);
void ct_world_dismiss_kinds(ct_world *world, int count);

/* That of a body. */
ct_kind *ct_world_kind_of(ct_world *world, int body);

/* ---- What bodies give each other (world_bodies.c) */

/* Whether there is anything to tell. */
bool ct_world_keeps_book(const ct_world *world);

/* What a collider has felt in the step so far, N and N m, and done since the start, J. */
typedef struct ct_feeling {
    double force[3], torque[3], work;
} ct_feeling;
ct_feeling ct_collider_feeling(const ct_collider *collider);

/* Enters what contact, methods and walls gave in the step that is about to be done, and makes room for what
 * colliders will feel. Then charges a kind with what they felt since world->feelings. */
ct_status ct_world_open_book(ct_world *world, ct_error *error);
void ct_world_charge(ct_world *world, const ct_kind *kind, double dt);

/* All of a kind as an owner: its only body, or the kind. */
int ct_world_party_of(const ct_world *world, const ct_kind *kind);

/* The name of an owner or partner; "" where there is none. */
const char *ct_world_party_name(const ct_world *world, int party);

/* Refuses what moves or changes arrays while a view is pinned. */
ct_status ct_world_check_unpinned(const ct_world *world, const char *function, ct_error *error);

/* The first number of a stored field that is not finite, as text for messages; false: all are. */
bool ct_world_find_not_finite(const ct_world *world, char *text, size_t size);

/* Particles of all kinds. */
size_t ct_world_count(const ct_world *world);

/* Of the implicit method, where the world has one; else all 0. */
ct_solver_info ct_world_solver(const ct_world *world);

/* rank[p] = how many particles of the world have a smaller id than the one at place p of the kind's cloud. */
ct_status ct_world_rank(const ct_world *world, const ct_kind *kind, uint32_t **rank, ct_error *error);

/* CT_BAD_USAGE where a definition says what means nothing for the method of the body (world_fields.c). */
ct_status ct_world_check_fields(const ct_body_def *def, int method, const char *what, ct_error *error);

/* An entry in the list of bodies without its particles, for whatever is one; `what` it is called in messages.
 */
ct_status ct_world_enter_body(ct_world *world, const ct_body_def *def, const char *what, ct_error *error);

/* A body or source with its record, without its particles. */
ct_status ct_world_register_body(ct_world *world, const ct_body_def *def, ct_error *error);
ct_status ct_world_register_source(ct_world *world, const ct_source_def *def, ct_error *error);
void ct_world_forget_body(ct_world *world); /* the last one */

/* Enters the energy that the particles of the runs from `first_run` on brought. */
void ct_world_add_to_budget(ct_world *world, const ct_kind *kind, size_t first_run);

/* What the caller changed since `before` is energy put into the world, or taken out of it. */
void ct_world_book_change(ct_world *world, const ct_world_sums *before);

/* Whether all seeds are inside the domain, if there is one. */
ct_status ct_world_check_inside(const ct_world *world, const ct_seeds *seeds, const char *name,
                                ct_error *error);

/* Refuses what a side of the domain that is periodic would cut: `what` is its kind, min and max the box around it
 * (NULL: it has none), and `distance` tells how far from it a point is (NULL: it may not be there at all). */
typedef double ct_distance_at(const void *of, const double x[3]);
ct_status ct_world_check_sides(const ct_world *world, const char *what, const char *name, const double min[3],
                               const double max[3], ct_distance_at *distance, const void *of,
                               ct_error *error);

/* How many particles sources will have made by `time`, with those they have made. */
ct_status ct_world_forecast(ct_world *world, double time, double *particles, ct_error *error);

/* The world of a scene without its particles, for ct_world_restore (scene/build.c). */
ct_status ct_world_from_scene_empty(const ct_scene *scene, int threads, ct_world **world, ct_error *error);

/* ct_world_save with a record of the caller's beside the state, in the section "extra"; ct_world_restore from
 * a container that is open, which is called `path` in messages. */
struct ct_container;
ct_status ct_world_save_with(const ct_world *world, ct_target target, const void *extra, size_t extra_bytes,
                             ct_error *error);
ct_status ct_world_restore_from(ct_world *world, const struct ct_container *container, const char *path,
                                ct_error *error);

#endif
