/* The materials: a new model is a file of its own, material/NAME.c, and a line here. */
#define CT_MATERIAL_LIST(X)     \
    X(fixed_corotated)          \
    X(corotated)                \
    X(neo_hookean)              \
    X(simo)                     \
    X(hencky)                   \
    X(drucker_prager)           \
    X(drucker_prager_hardening) \
    X(drucker_prager_simo)      \
    X(mu_i)                     \
    X(nacc)                     \
    X(snow)                     \
    X(von_mises)                \
    X(herschel_bulkley)         \
    X(fluid)                    \
    X(fluid_linear)             \
    X(fluid_log)
