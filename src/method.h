/* A method: one kind of matter, as an entry in one list. The world's step (step.c) goes over all of them;
 * none knows another. A method that no body of the world uses is not there and costs nothing.
 *
 *     create destroy                  its state, beside what all have in common
 *     keep register forget add        materials, bodies, particles; adding validates first, commits last
 *
 *     change                          materials that become others
 *     prepare                         sort, find neighbours, make room: nothing moves
 *     limit                           the longest step it stands, to the pace
 *     kick                            velocities from its own forces over dt
 *     immerse                         what a flow around it meets (boundary/immersed.h)
 *     late_kick                       the same for what flows around others: after their own forces
 *     show                            what others may touch (contact/contact.h)
 *     constrain                       what holds it on its own: walls, colliders, sources; and the check
 *     share                           of dt that the motion allows; below 1 the step is done again, shorter
 *     reserve                         what sources will bring
 *     drift                           positions and state over dt: the first stage that changes state
 *     exert                           forces of boundary/force.h act on velocities
 *     pass                            sinks take, sources give
 *
 * Up to drift nothing alters the state, so a step that fails changes nothing. Kicks, constrain and drift are
 * lists of named stages, so that the step can be timed without knowing them.
 */
#ifndef CT_METHOD_H
#define CT_METHOD_H

#include "boundary/exertion.h"
#include "contact/book.h"
#include "contact/contact.h"
#include "core/stages.h"
#include "guest.h"
#include "timestep/limits.h"

enum { CT_DEFINITION = 19 };

/* What methods are made in: the world's, and the same for all. */
typedef struct ct_surroundings {
    ct_common *common;
    ct_boundary *boundary;
    ct_pace *pace;
} ct_surroundings;

/* The last step of an implicit method. */
typedef struct ct_solver_info {
    int iterations;
    double residual;  /* rms displacement that another iteration would ask for, in spacings */
    double imbalance; /* of the equations of motion, over the forces that move particles */
    double stiffness; /* of bodies of peridynamics: the largest D = A_ii/m_i; 0: there are none */
    bool by_newton;   /* those of that are moved by Newton's method */
} ct_solver_info;

typedef struct ct_method_table {
    int number; /* enum ct_method */

    /* Makes the method's own, without bodies; `is_first`: the world's default method. */
    ct_status (*create)(const ct_surroundings *around, bool is_first, void **self, ct_error *error);
    void (*destroy)(void *self);
    ct_cloud *(*cloud)(void *self);
    ct_host *(*host)(void *self); /* NULL: it takes no guests */

    /* What the model makes of a material's parameters. */
    ct_status (*prepare_material)(int model, double mu, double lambda, const double *parameters,
                                  ct_material *material, ct_error *error);
    /* Makes the particles that there are keep what a new material needs. */
    ct_status (*keep)(void *self, const ct_material *material, ct_error *error);
    /* A new body, the last of the list, or one that is given up again. */
    ct_status (*register_body)(void *self, const ct_body_def *def, int body, ct_error *error);
    void (*forget_body)(void *self);
    /* The seeds of the body that was registered last, and its velocity gradient; NULL: its shape is sampled
     * (particles/seed.h). */
    ct_status (*seed)(void *self, const ct_lattice *lattice, const ct_body_def *def, ct_seeds *seeds,
                      double gradient[9], ct_error *error);
    /* Appends seeds as particles, unsorted, as runs after the blocks that there are. `gradient` is the
     * body's velocity gradient. On failure nothing changes. */
    ct_status (*add)(void *self, const ct_seeds *seeds, int body, const double gradient[9], ct_error *error);
    /* Sources that are new make the particles that they begin with. */
    ct_status (*start_sources)(void *self, ct_error *error);
    /* Holds the particles with ids from `first_id` on that are inside a grip, of the colliders from
     * `first_collider` on; NULL: there are no grips. */
    void (*take_grips)(void *self, size_t first_collider, size_t first_id);

    /* A joint of two of its bodies, by their numbers; `to` below 0: the world. NULL: it has none. */
    ct_status (*add_joint)(void *self, const ct_joint_def *def, int body, int to, ct_error *error);
    bool (*joint)(const void *self, int index, ct_joint_info *info); /* false past the last */

    void (*meets_others)(void *self); /* from now on there are other methods, too; NULL: never mind */

    /* ---- A step, in this order */
    ct_status (*change)(void *self, ct_error *error); /* NULL: nothing does */
    const ct_stage *prepare;
    ct_status (*limit)(void *self, ct_error *error);
    const ct_stage *kick;
    const ct_stage *late_kick; /* after all kicks; NULL: there is none */
    /* Its points for those; asked for where there is one. NULL: no flow meets it. */
    ct_status (*immerse)(void *self, double dt, ct_immersed **immersed, ct_error *error);
    /* The surface of a body for what is rooted in it; NULL: it has none. */
    ct_status (*carry)(void *self, int body, ct_carrier *carrier, ct_error *error);
    bool is_carried; /* it may be rooted in bodies of others: its kick and constrain come after theirs */
    ct_status (*show)(void *self, ct_contacts *contact, double dt,
                      ct_error *error); /* NULL: nobody touches it */
    const ct_stage *constrain;
    double (*share)(void *self, double dt); /* NULL: all of it */
    /* The step again with a fraction of its length, up to contact; NULL: the kick again. True: that was
     * enough. */
    bool (*shorten)(void *self, double fraction);
    ct_status (*reserve)(void *self, double end, ct_error *error);
    /* What its bodies and the boundary gave each other in the step that is about to be done, beside what
     * passed where kinds meet; `party` stands for all its bodies. NULL: nothing is known. */
    ct_status (*report)(void *self, int party, ct_book *book, ct_error *error);
    bool reports_colliders; /* it does; else what they feel in drift is charged to the party */
    const ct_stage *drift;
    /* The step is over: forces change velocities; NULL: those of its particles (boundary/exert.h). */
    void (*exert)(void *self, ct_exertion *exertion);
    void (*note)(void *self);                /* the step is over: what held it, and the limits of the next */
    void (*pass)(void *self, double before); /* s, when the step began */
    ct_status (*sort)(void *self, ct_error *error);

    /* ---- Between steps */
    void (*add_sums)(const void *self, size_t first_block, ct_world_sums *sums);
    /* Of a body, and how it is turned, a unit quaternion w, x, y, z; NULL: its particles tell. */
    void (*read_body)(const void *self, int body, ct_world_sums *sums, double orientation[4]);
    /* Makes what reading needs, which is no state; NULL: nothing. */
    ct_status (*settle)(void *self, ct_error *error);
    /* Values of a quantity for all particles: that at place p goes to row rank[p]. */
    void (*read)(const void *self, int quantity, const uint32_t *rank, void *values);
    void (*write)(void *self, ct_field field, const uint32_t *rank,
                  const void *values); /* NULL: particles only show what is known elsewhere */
    void (*written)(void *self);       /* fields were written where they lie; NULL: nothing to do */
    bool can_move_particles;           /* positions can be written */
    void (*restored)(void *self);      /* the state is another; NULL: nothing to do */
    ct_limits *(*limits)(void *self);
    /* What several ranks cannot share of it as it is, in the words of a scene, or NULL; no function: nothing of the
     * method. */
    const char *(*unshared)(const void *self);
    /* State beside the particles as a row of numbers, for checkpoints and hashes, good until the next call.
     * And back: the row is checked against the particles that come with it, and room is made; then they take
     * its place, which cannot fail. NULL: there is none. */
    ct_status (*pack)(void *self, const double **numbers, size_t *count, ct_error *error);
    ct_status (*check_packed)(void *self, const ct_particles *particles, const double *numbers, size_t count,
                              ct_error *error);
    void (*unpack)(void *self, const double *numbers, size_t count);
    /* Numbers that must agree between the world that saved a checkpoint and the one that restores it: of the
     * method (body -1), or of a body; returns how many. */
    int (*definition)(const void *self, int body, double numbers[CT_DEFINITION]);
    ct_status (*check_invariants)(const void *self, ct_error *error);
    size_t (*block_bytes)(const void *self); /* that a block of its grid takes, for predictions */
    void (*solver)(const void *self, ct_solver_info *info); /* NULL: there is none */
    double (*neighbours)(const void *self);                 /* per particle; NULL: it has none */
    ct_status (*samples)(void *self, ct_samples *samples, ct_error *error); /* NULL: there are none */
    ct_status (*push)(void *self, const ct_push_def *def, ct_error *error);
} ct_method_table;

#endif
