/* The world owns everything: what all matter has in common, the boundary, the pace, and the methods at work
 * in it. This is its inside, shared by the files that make up the library's functions; users see it through
 * continua.h only, and nothing below knows it.
 *
 * What depends on dimension, precision and instruction set is reached through one constant table of
 * functions, ct_numerics, chosen when the world is made.
 */
#ifndef CT_WORLD_H
#define CT_WORLD_H

#include "core/file.h"
#include "method.h"
#include "method_info.h"

enum { CT_MOST_METHODS = 8 };

/* A method at work. */
typedef struct ct_kind {
    const ct_method_table *method;
    void *self;
} ct_kind;

struct ct_numerics;

struct ct_world {
    ct_common common;
    ct_boundary boundary;
    ct_pace pace;
    const struct ct_numerics *numerics;
    ct_kind kinds
        [CT_MOST_METHODS]; /* the world's default first, then in the order of their first material or body */
    int kind_count;
    ct_contacts *contacts;  /* where kinds meet; NULL while there is only one, */
    ct_contact_space space; /* and at which nodes: those of a grid of the world's spacing */
    ct_stopwatch clock;
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

/* The world's method of this number, which is set to work where it is not yet; CT_METHOD_OF_WORLD: the
 * default. */
ct_status ct_world_kind(ct_world *world, int method, ct_kind **kind, ct_error *error);

/* That of a body. */
ct_kind *ct_world_kind_of(ct_world *world, int body);

/* Particles of all kinds. */
size_t ct_world_count(const ct_world *world);

/* Of the implicit method, where the world has one; else all 0. */
ct_solver_info ct_world_solver(const ct_world *world);

/* rank[p] = how many particles of the world have a smaller id than the one at place p of the kind's cloud. */
ct_status ct_world_rank(const ct_world *world, const ct_kind *kind, uint32_t **rank, ct_error *error);

/* One step that does not go past `until`. */
ct_status ct_world_step_towards(ct_world *world, double until, ct_error *error);

/* A body's or source's entry without its particles; `what` it is called in messages. */
ct_status ct_world_register_body(ct_world *world, const ct_body_def *def, const char *what, ct_error *error);
ct_status ct_world_register_source(ct_world *world, const ct_source_def *def, ct_error *error);
void ct_world_forget_body(ct_world *world); /* the last one */

/* Enters the energy that the particles of the runs from `first_run` on brought. */
void ct_world_add_to_budget(ct_world *world, const ct_kind *kind, size_t first_run);

/* Whether all seeds are inside the domain, if there is one. */
ct_status ct_world_check_inside(const ct_world *world, const ct_seeds *seeds, const char *name,
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
