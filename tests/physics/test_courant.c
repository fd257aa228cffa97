/* How many cells sound may cross in a step before a body that swings gains energy, by scheme, kernel and
 * force form: the table of timestep/courant.c. `make courant-campaign` measures it; here every default must
 * hold. */
#include "physics/worlds.h"
#include "timestep/courant.h"

static const char *const schemes[] = {"pic",  "flip",  "nflip", "sflip",  "rpic",
                                      "apic", "aflip", "aspic", "asflip", "polypic"};
static const char *const kernels[] = {"quadratic", "cubic"}, *const forms[] = {"MLS", "gradient"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* A disc of jelly, 8 cells in radius, 4 particles per cell at random, drifts slowly across the grid and swings:
 * kinetic and elastic energy may not rise by more than a tenth above their least value so far. */
static bool keeps_energy(const char *scheme, ct_kernel kernel, ct_force_form form, double cfl, int count)
{
    ct_world_def def = quiet_def(2, kernel, 1.0 / 32);
    def.force_form = form;
    def.scheme.type = scheme;
    def.step.criteria = CT_CRITERION_SOUND;
    def.step.sound_cfl = cfl;
    ct_world *world = create(&def);
    ct_body_def body = ball(add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3), 0, 0, 0, 0.25);
    body.velocity[0] = 0.1, body.velocity[1] = 0.07;
    body.gradient[0] = 4, body.gradient[4] = -4;
    add_body(world, &body);
    double least = INFINITY;
    bool is_kept = true;
    for (int k = 0; k < count && is_kept; k += 50) {
        ct_error error;
        for (int i = 0; i < 50 && is_kept; i++) is_kept = ct_world_step(world, &error) == CT_OK;
        ct_world_sums sums = ct_world_get_sums(world);
        is_kept = is_kept && sums.kinetic + sums.elastic <= 1.1 * least;
        least = fmin(least, sums.kinetic + sums.elastic);
    }
    ct_world_destroy(world);
    return is_kept;
}

static bool is_there(const char *scheme, ct_kernel kernel)
{
    return strcmp(scheme, "polypic") != 0 || kernel == CT_KERNEL_QUADRATIC;
}

/* The largest of these up to which energy is kept; 0: none. */
static double measure(const char *scheme, ct_kernel kernel, ct_force_form form)
{
    static const double tried[] = {0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1, 1.1, 1.2};
    int low = -1, high = sizeof tried / sizeof *tried;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (keeps_energy(scheme, kernel, form, tried[middle], 6000)) low = middle;
        else high = middle;
    }
    return low < 0 ? 0 : tried[low];
}

/* Of each scheme, kernel and form the default keeps energy for 300 steps. */
static void defaults_are_stable(void **state)
{
    (void)state;
    for (int s = 0; s < SCHEMES; s++)
        for (int kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
            for (int form = CT_FORCE_MLS; form <= CT_FORCE_GRADIENT; form++) {
                double cfl = ct_courant_default(schemes[s], (ct_kernel)kernel, (ct_force_form)form);
                if (!is_there(schemes[s], (ct_kernel)kernel)) continue;
                if (!keeps_energy(schemes[s], (ct_kernel)kernel, (ct_force_form)form, cfl, 300))
                    fail_msg("%s, %s, %s gains energy at %g", schemes[s], kernels[kernel], forms[form], cfl);
            }
}

/* The control: at 1.6 cells per step all of them gain. */
static void beyond_they_are_not(void **state)
{
    (void)state;
    for (int s = 0; s < SCHEMES; s++)
        assert_false(keeps_energy(schemes[s], CT_KERNEL_QUADRATIC, CT_FORCE_MLS, 1.6, 300));
}

/* Prints the table. */
static void campaign(void)
{
    printf("%-10s", "");
    for (int k = 0; k < 4; k++) printf("%20s %s", kernels[k / 2], forms[k % 2]);
    printf("\n");
    for (int s = 0; s < SCHEMES; s++) {
        printf("%-10s", schemes[s]);
        for (int k = 0; k < 4; k++) {
            bool is_known = is_there(schemes[s], (ct_kernel)(k / 2));
            printf("%16g", is_known ? measure(schemes[s], (ct_kernel)(k / 2), (ct_force_form)(k % 2)) : 0);
            fflush(stdout);
        }
        printf("\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_stable),
        cmocka_unit_test(beyond_they_are_not),
    };
    if (getenv("CT_CAMPAIGN")) {
        campaign();
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
