/* The materials: a new model is a file of its own and a line here. */
#define CT_MATERIAL_LIST(X) \
    X(fixed_corotated)      \
    X(neo_hookean)          \
    X(fluid)                \
    X(fluid_linear)         \
    X(fluid_log)
