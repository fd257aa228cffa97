# Installs to a temporary prefix and uses that copy as a stranger would. Sanitized and measured builds are left out:
# their libraries need the sanitizer's flags from whoever links them.
if(TARGET continua AND NOT CONTINUA_SANITIZE AND NOT CMAKE_C_FLAGS MATCHES "coverage")
  add_test(NAME install COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/test_install.sh
    ${CMAKE_COMMAND} ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER} ${PROJECT_VERSION})
endif()
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
if(TARGET continua AND DPKG_SHLIBDEPS AND PYTHON3 AND NOT CONTINUA_SANITIZE AND NOT CMAKE_C_FLAGS MATCHES "coverage")
  add_test(NAME install_deb COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/test_deb.sh ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} ${PROJECT_VERSION})
endif()
