ct_unit_test(conservation ${CMAKE_CURRENT_LIST_DIR}/test_conservation.c all)
foreach(subject colliders sources walls friction corners motion energy elasticity timestep divergence fluids schemes)
  ct_unit_test(physics_${subject} ${CMAKE_CURRENT_LIST_DIR}/test_${subject}.c all)
endforeach()
