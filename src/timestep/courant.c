#include "timestep/courant.h"

#include <math.h>
#include <string.h>

/* Largest number of cells per step, of those tried, up to which a vibrating body never gained energy, by kernel
 * and force form (docs/theory/time-step.md says how it was measured; the linear kernel's was not). */
static const struct {
    const char *scheme;
    double limit[3][2]; /* [kernel][form]: quadratic, cubic, linear; MLS, gradient */
} table[] = {
    {"apic", {{1.0, 0.9}, {1.2, 1.2}, {0.6, 0.6}}},
    {"rpic", {{0.85, 0.8}, {1.1, 1.1}, {0.6, 0.6}}},
    {"pic", {{0.85, 0.8}, {1.1, 1.1}, {0.6, 0.6}}},
};
enum { ROWS = sizeof table / sizeof *table };

double ct_courant_limit(const char *scheme, ct_kernel kernel, ct_force_form form)
{
    double least = INFINITY;
    for (int i = 0; i < ROWS; i++) {
        double limit = table[i].limit[kernel][form];
        if (!strcmp(table[i].scheme, scheme)) return limit;
        least = fmin(least, limit);
    }
    return least;
}

double ct_courant_default(const char *scheme, ct_kernel kernel, ct_force_form form)
{
    const double margin = 0.85; /* other shapes, materials and resolutions have other limits */
    return fmin(margin * ct_courant_limit(scheme, kernel, form), 1);
}
