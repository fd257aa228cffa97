# The viewer's server, and attacks on it, with Python alone; and its page, in a browser (make web-test).
if(TARGET continua AND PYTHON3)
  add_test(NAME web_server COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_LIST_DIR}/test_server.py)
  set_tests_properties(web_server PROPERTIES LABELS web TIMEOUT 300
    ENVIRONMENT "CONTINUA=$<TARGET_FILE:continua>;CT_HAS_VIEW=${CONTINUA_HAS_VIEW}")
endif()
find_program(CHROMIUM NAMES chromium chromium-browser google-chrome)
if(TARGET continua AND CONTINUA_HAS_VIEW AND NOT CONTINUA_SANITIZE AND CHROMIUM AND EXISTS ${PROJECT_SOURCE_DIR}/web/node_modules/playwright-core)
  add_test(NAME web_page COMMAND ${NODE} --test --test-reporter=spec ${CMAKE_CURRENT_LIST_DIR}/test_page.mjs)
  set_tests_properties(web_page PROPERTIES LABELS "web;browser" TIMEOUT 600 RUN_SERIAL TRUE
    ENVIRONMENT "CONTINUA=$<TARGET_FILE:continua>;CHROMIUM=${CHROMIUM};SHOTS=${PROJECT_BINARY_DIR}/web/shots")
endif()
