/* Quantities: name, unit, type, numbers per particle, meaning. A new one is a line here and a function
 * read_NAME in read.c. REAL means the world's precision. */
#define CT_QUANTITY_LIST(X)                                                                              \
    X(position, "m", FLOAT64, 3, "where the particle is")                                                \
    X(velocity, "m/s", REAL, 3, "velocity")                                                              \
    X(speed, "m/s", REAL, 1, "length of the velocity")                                                   \
    X(C, "1/s", REAL, 9, "affine matrix of the transfer scheme: the local velocity gradient, row-major") \
    X(vorticity, "1/s", REAL, 3, "curl of the velocity, by C; in 2D the third")                          \
    X(F, "1", REAL, 9, "deformation gradient, row-major")                                                \
    X(J, "1", REAL, 1, "determinant of F: volume over undeformed volume")                                \
    X(stress, "Pa", REAL, 9, "Cauchy stress, row-major")                                                 \
    X(pressure, "Pa", REAL, 1, "minus the mean normal stress")                                           \
    X(von_mises, "Pa", REAL, 1, "von Mises equivalent of the Cauchy stress")                             \
    X(energy, "J/m^3", REAL, 1, "elastic energy per undeformed volume")                                  \
    X(temperature, "K", REAL, 1, "temperature")                                                          \
    X(volume, "m^3", REAL, 1, "volume now (area in 2D)")                                                 \
    X(mass, "kg", REAL, 1, "mass")                                                                       \
    X(density, "kg/m^3", REAL, 1, "mass per volume now")                                                 \
    X(material, "1", UINT16, 1, "number of the material, in the order of the scene")                     \
    X(body, "1", UINT16, 1, "number of the body, in the order of the scene")                             \
    X(id, "1", UINT32, 1, "the particle's own number; never changes")
