foreach(part scan shape mesh mesh_tree seed particle_file)
  ct_unit_test(particles_${part} ${CMAKE_CURRENT_LIST_DIR}/test_${part}.c core particles)
endforeach()
ct_unit_test(particles_round_trip ${CMAKE_CURRENT_LIST_DIR}/test_round_trip.c core particles output)
