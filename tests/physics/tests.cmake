ct_unit_test(conservation ${CMAKE_CURRENT_LIST_DIR}/test_conservation.c all)
foreach(subject
    apic
    colliders
    corners
    divergence
    elasticity
    energy
    fluids
    free_walls
    friction
    glass
    granular
    heat
    limits
    motion
    paste
    peri
    rooms
    scheme_table
    schemes
    sheets
    single
    sources
    timestep
    walls)
  ct_unit_test(physics_${subject} ${CMAKE_CURRENT_LIST_DIR}/test_${subject}.c all)
endforeach()
