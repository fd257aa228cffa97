foreach(part law contact geometry literal)
  ct_unit_test(contact_${part} ${CMAKE_CURRENT_LIST_DIR}/test_${part}.c core contact)
endforeach()
