/* The keys of single methods, and of contact between them. */
#include "scene/keys.h"

#include <math.h>

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))
#define KEYS(array)  .keys = (array), .count = COUNT(array)
#define SCENE(field) offsetof(ct_scene, field)
#define NOT_NEGATIVE .least = 0, .most = INFINITY

/* ---- Peridynamics ---------------------------------------------------------------------------- */

static const ct_word peri_solvers[] = {
    {"automatic", CT_PERI_AUTOMATIC,
     "Chebyshev for soft bodies, with as many iterations as needed; Newton for stiff ones. With "
     "`iterations`: Chebyshev"},
    {"chebyshev", CT_PERI_CHEBYSHEV, "accelerated Jacobi"},
    {"jacobi", CT_PERI_JACOBI, "plain Jacobi"},
    {"direct", CT_PERI_DIRECT,
     "sparse Cholesky, for builds with CHOLMOD: exact, for bodies of moderate size"},
    {"positions", CT_PERI_POSITIONS,
     "position based: the mean of the positions required by bonds; stiffer with every iteration"},
    {"newton", CT_PERI_NEWTON, "Newton's method for all solids, whatever their stiffness"},
    {NULL, 0, NULL},
};

static const ct_key peri_keys[] = {
    {"spacing", CT_KEY_QUANTITY,
     "Distance between particles. 0: `grid.spacing` if the scene's `method` is peridynamics, otherwise half "
     "of it.",
     SCENE(world.peri.spacing), .dimension = CT_LENGTH, NOT_NEGATIVE, .example = "5 mm"},
    {"horizon", CT_KEY_QUANTITY,
     "Radius of a neighbourhood in spacings. 0: 2.1 in 3D (32 neighbours), 3.05 in 2D (28).",
     SCENE(world.peri.horizon), .least = 0, .most = 8, .example = "2.1"},
    {"solver", CT_KEY_WORD, "How the linear system of a step is solved.", SCENE(world.peri.solver),
     .words = peri_solvers},
    {"iterations", CT_KEY_INTEGER,
     "Maximum number of iterations per step. 0: 10, or as many as stiffness and viscosity need; Newton's "
     "method stops when converged. With too few, bodies look rigid, not soft.",
     SCENE(world.peri.iterations), .least = 0, .most = 100000, .example = "10"},
    {"tolerance", CT_KEY_QUANTITY,
     "Iterations stop when the next one would move particles by less (root mean square), in spacings.",
     SCENE(world.peri.tolerance), NOT_NEGATIVE, .example = "1e-6"},
    {"spectral_radius", CT_KEY_QUANTITY,
     "Spectral radius of the Jacobi iteration, for Chebyshev weights. 0: from the number of iterations.",
     SCENE(world.peri.spectral_radius), .least = 0, .most = 0.999999, .example = "0.99"},
    {"line_search", CT_KEY_BOOL, "Halve a step that does not lower the energy (not with chebyshev).",
     .offset = SCENE(world.peri.line_search)},
    {"untangle", CT_KEY_BOOL, "Recover inverted neighbourhoods.", .offset = SCENE(world.peri.untangle)},
    {"contact", CT_KEY_QUANTITY,
     "Contact distance between particles of different bodies, in spacings. 0: no contact.",
     SCENE(world.peri.contact), .least = 0, .most = 1.5, .example = "1"},
    {"self_contact", CT_KEY_BOOL,
     "Contact of bodies with themselves: between particles that were not neighbours at the start.",
     .offset = SCENE(world.peri.self_contact)},
    {"friction", CT_KEY_QUANTITY, "Coulomb coefficient between bodies.", SCENE(world.peri.friction),
     NOT_NEGATIVE, .example = "0.3"},
};
const ct_section ct_peri_section = {KEYS(peri_keys)};

/* ---- Incompressible flow --------------------------------------------------------------------- */

static const ct_key fluid_keys[] = {
    {"tolerance", CT_KEY_QUANTITY,
     "The pressure solver stops when the largest residual is this fraction of the initial one.",
     SCENE(world.fluid.tolerance), .least = 1e-14, .most = 0.1, .example = "1e-6"},
    {"iterations", CT_KEY_INTEGER,
     "Maximum number of iterations of the pressure solver; steps that need more are reported.",
     SCENE(world.fluid.iterations), .least = 1, .most = 100000, .example = "200"},
    {"correction", CT_KEY_QUANTITY,
     "Fraction of the excess or deficit of particles in a cell corrected per step, to conserve volume; 0: "
     "none.",
     SCENE(world.fluid.correction), .least = 0, .most = 1, .example = "0.1"},
};
const ct_section ct_fluid_section = {KEYS(fluid_keys)};

/* ---- Strands --------------------------------------------------------------------------------- */

static const ct_key strand_keys[] = {
    {"spacing", CT_KEY_QUANTITY,
     "Distance between vertices along a strand. 0: `grid.spacing` if the scene's `method` is strands, "
     "otherwise half of it.",
     SCENE(world.strands.spacing), .dimension = CT_LENGTH, NOT_NEGATIVE, .example = "5 mm"},
    {"iterations", CT_KEY_INTEGER, "Maximum number of Newton iterations for each contact detection.",
     SCENE(world.strands.iterations), .least = 1, .most = 1000, .example = "30"},
    {"tolerance", CT_KEY_QUANTITY,
     "Iterations of a strand stop when none of its vertices moves by more, in spacings.",
     SCENE(world.strands.tolerance), NOT_NEGATIVE, .example = "1e-6"},
};
const ct_section ct_strands_section = {KEYS(strand_keys)};

/* ---- Contact --------------------------------------------------------------------------------- */

#define PAIR(member) offsetof(ct_contact_pair_def, member)

static const ct_key pair_keys[] = {
    {"material", CT_KEY_MATERIAL, "The name of a material above.", PAIR(material), .flags = CT_REQUIRED},
    {"on", CT_KEY_MATERIAL, "The name of the other material, or the same one.", PAIR(on),
     .flags = CT_REQUIRED},
    {"friction", CT_KEY_QUANTITY, "Coulomb coefficient. By default that of `contact`.", PAIR(friction),
     .least = 0, .most = INFINITY, .flags = CT_NO_DEFAULT, .example = "0.05"},
    {"restitution", CT_KEY_QUANTITY, "Ratio of rebound to approach speed. By default that of `contact`.",
     PAIR(restitution), .least = 0, .most = 1, .flags = CT_NO_DEFAULT, .example = "0.5"},
};
static const ct_section pair = {KEYS(pair_keys)};

static void set_default_pair(void *definition)
{
    *(ct_contact_pair_def *)definition = ct_default_contact_pair_def();
}

static const ct_named pairs = {"pair",           64,         sizeof(ct_contact_pair_def),
                               set_default_pair, PAIR(name), .section = &pair};

static const ct_word variants[] = {
    {"fields", CT_CONTACT_FIELDS,
     "a velocity per body at every node; keeps momentum, and leaves alone what touches nothing"},
    {"literal", CT_CONTACT_LITERAL,
     "as Han et al. 2019 print it: one velocity per node for all surfaces, twice the change back, what would "
     "pull "
     "is rejected; for the figures of that paper. Not for rigid bodies and strands"},
    {NULL, 0, NULL},
};

static const ct_key contact_keys[] = {
    {"friction", CT_KEY_QUANTITY, "Coulomb coefficient.", SCENE(world.contact.friction), NOT_NEGATIVE,
     .example = "0.3"},
    {"restitution", CT_KEY_QUANTITY, "Ratio of rebound to approach speed, 0 to 1.",
     SCENE(world.contact.restitution), .least = 0, .most = 1, .example = "0.5"},
    {"variant", CT_KEY_WORD, "How surfaces meet at the nodes of the grid.", SCENE(world.contact.variant),
     .words = variants},
    {"pairs", CT_KEY_NAMED, "Pairs of materials with their own values, by name.", SCENE(world.contact.pairs),
     SCENE(world.contact.pair_count), .named = &pairs, .flags = CT_NO_DEFAULT,
     .example = "{bounce: {material: rubber, on: rubber, friction: 0.9}}"},
};
const ct_section ct_contact_section = {KEYS(contact_keys)};
