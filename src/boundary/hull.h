/* A rigid body among what surrounds other matter: a flow goes around it and pushes it. Its method lists it in its
 * kick, with the motion that it has after its own forces; who flows comes later in the step (late_kick in
 * method.h), and pushes. Neither knows the other.
 */
#ifndef CT_BOUNDARY_HULL_H
#define CT_BOUNDARY_HULL_H

typedef struct ct_hull {
    void *owner;
    double position[3];          /* m, centre of mass, where the step begins */
    double velocity[3], spin[3]; /* m/s, rad/s: in the step under way */
    double lightness, turn[9];   /* 1/kg; world inverse inertia, 1/(kg m^2); 0 where it is pinned */
    double radius;               /* m, around the centre */
    /* m, below 0 inside, from where the body is now; and, unless NULL, the direction out */
    double (*distance)(const void *owner, const double at[3], double normal[3]);
    void (*push)(void *owner, const double impulse[3],
                 const double moment[3]); /* N s, N m s about the centre */
} ct_hull;

static inline void ct_hull_velocity(const ct_hull *hull, const double at[3], double v[3])
{
    for (int a = 0; a < 3; a++) {
        const int n = (a + 1) % 3, m = (a + 2) % 3;
        v[a] = hull->velocity[a] + hull->spin[n] * (at[m] - hull->position[m]) -
               hull->spin[m] * (at[n] - hull->position[n]);
    }
}

#endif
