/* The keys of single methods, and of contact between them. */
#include "scene/keys.h"

#include <math.h>

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))
#define KEYS(array)  .keys = (array), .count = COUNT(array)
#define SCENE(field) offsetof(ct_scene, field)
#define NOT_NEGATIVE .least = 0, .most = INFINITY

/* ---- Peridynamics ---------------------------------------------------------------------------- */

static const ct_word peri_solvers[] = {
    {"chebyshev", CT_PERI_CHEBYSHEV, "Jacobi, accelerated"},
    {"jacobi", CT_PERI_JACOBI, "plain Jacobi"},
    {"direct", CT_PERI_DIRECT,
     "sparse Cholesky, where the build has CHOLMOD: exact, for bodies of moderate size"},
    {"positions", CT_PERI_POSITIONS,
     "the mean of the places that bonds ask for: stiffer with every iteration"},
    {NULL, 0, NULL},
};

static const ct_key peri_keys[] = {
    {"spacing", CT_KEY_QUANTITY,
     "Distance of particles. 0: `grid.spacing` where the scene's `method` is peridynamics, half of it where "
     "it "
     "is another.",
     SCENE(world.peri.spacing), .dimension = CT_LENGTH, NOT_NEGATIVE, .example = "5 mm"},
    {"horizon", CT_KEY_QUANTITY,
     "Radius of a neighbourhood in spacings. 0: 2.1 in 3D (32 neighbours), 3.05 in 2D (28).",
     SCENE(world.peri.horizon), .least = 0, .most = 8, .example = "2.1"},
    {"solver", CT_KEY_WORD, "How the linear system of a step is solved.", SCENE(world.peri.solver),
     .words = peri_solvers},
    {"iterations", CT_KEY_INTEGER,
     "Iterations a step, at the most. 0: 10, and as many as viscosity needs where a fluid is thick (up to "
     "400).",
     SCENE(world.peri.iterations), .least = 0, .most = 100000, .example = "10"},
    {"tolerance", CT_KEY_QUANTITY,
     "A step is done when the next iteration would move particles by less, in spacings (root of the mean "
     "square).",
     SCENE(world.peri.tolerance), NOT_NEGATIVE, .example = "1e-6"},
    {"spectral_radius", CT_KEY_QUANTITY,
     "Of the Jacobi iteration, for Chebyshev's weights. 0: from the number of iterations.",
     SCENE(world.peri.spectral_radius), .least = 0, .most = 0.999999, .example = "0.99"},
    {"line_search", CT_KEY_BOOL, "Halve a step that does not lower the energy (not with chebyshev).",
     .offset = SCENE(world.peri.line_search)},
    {"untangle", CT_KEY_BOOL, "Turn neighbourhoods that are inside out the right way round.",
     .offset = SCENE(world.peri.untangle)},
    {"contact", CT_KEY_QUANTITY,
     "Spacings that particles of different bodies keep apart. 0: bodies do not meet.",
     SCENE(world.peri.contact), .least = 0, .most = 1.5, .example = "1"},
    {"self_contact", CT_KEY_BOOL,
     "Bodies also keep apart from themselves: particles that were no neighbours in the beginning.",
     .offset = SCENE(world.peri.self_contact)},
    {"friction", CT_KEY_QUANTITY, "Coulomb coefficient between bodies.", SCENE(world.peri.friction),
     NOT_NEGATIVE, .example = "0.3"},
};
const ct_section ct_peri_section = {KEYS(peri_keys)};

/* ---- Contact --------------------------------------------------------------------------------- */

static const ct_key contact_keys[] = {
    {"friction", CT_KEY_QUANTITY, "Coulomb coefficient.", SCENE(world.contact.friction), NOT_NEGATIVE,
     .example = "0.3"},
    {"restitution", CT_KEY_QUANTITY, "Rebound speed per approach speed: 0 for none, 1 for all of it.",
     SCENE(world.contact.restitution), .least = 0, .most = 1, .example = "0.5"},
};
const ct_section ct_contact_section = {KEYS(contact_keys)};
