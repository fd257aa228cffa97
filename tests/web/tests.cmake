# The viewer's server, and attacks on it, with Python alone.
if(TARGET continua AND PYTHON3)
  add_test(NAME web_server COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_LIST_DIR}/test_server.py)
  set_tests_properties(web_server PROPERTIES LABELS web TIMEOUT 300
    ENVIRONMENT "CONTINUA=$<TARGET_FILE:continua>;CT_HAS_VIEW=${CONTINUA_HAS_VIEW}")
endif()
