/* The criteria of the time step (criteria.h), as the scene names them and in the order of the ledger. A new
 * one is a line here, a bit CT_CRITERION_* in continua.h and a row in criteria.c. */
#ifndef CT_TIMESTEP_LIST_H
#define CT_TIMESTEP_LIST_H

#define CT_CRITERION_LIST(X)                                                                               \
    X(velocity, VELOCITY, "no particle, affine velocity included, crosses more than velocity.cfl cells")   \
    X(sound, SOUND, "no wave crosses more than sound.cfl cells")                                           \
    X(displacement, DISPLACEMENT, "no particle moves more than displacement.limit cells along an axis")    \
    X(deformation, DEFORMATION, "no entry of dt grad v (of a fluid: its trace) exceeds deformation.limit") \
    X(single_particle, SINGLE_PARTICLE, "an isolated fluid particle does not increase its own pressure")   \
    X(viscosity, VISCOSITY, "momentum diffuses no farther than the grid can follow")                       \
    X(collider, COLLIDER, "no collider's surface crosses more than collider.cfl cells")                    \
    X(conduction, CONDUCTION, "heat diffuses no farther than the grid can follow")

#define X(name, NAME, doc) CT_LIMITED_BY_##NAME,
enum { CT_CRITERION_LIST(X) CT_CRITERIA };
#undef X

#endif
