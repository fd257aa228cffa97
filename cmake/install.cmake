# What `make install` puts where. Nothing below depends on the prefix, so that `cmake --install --prefix` can choose it
# after the build and the installed tree can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/continua)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The shared library brings its dependencies along: who links it needs none of their headers or link flags.
set_target_properties(continua_shared PROPERTIES INTERFACE_LINK_LIBRARIES "" EXPORT_NAME continua)
set_target_properties(continua_static PROPERTIES EXPORT_NAME static)
install(TARGETS continua_shared EXPORT continuaSharedTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS continua_static EXPORT continuaStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/continua/continua.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/continua)
if(TARGET continua)
  install(TARGETS continua RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# find_package(continua): continua::continua and continua::static.
foreach(kind Shared Static)
  install(EXPORT continua${kind}Targets NAMESPACE continua:: DESTINATION ${package_dir})
endforeach()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/continuaConfig.cmake.in
  ${PROJECT_BINARY_DIR}/continuaConfig.cmake INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/continuaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/continuaConfig.cmake ${PROJECT_BINARY_DIR}/continuaConfigVersion.cmake
  DESTINATION ${package_dir})

# pkg-config continua, pkg-config continua-static. The prefix is found from where the file lies.
file(RELATIVE_PATH up_to_prefix /prefix/${pkgconfig_dir} /prefix)
foreach(package continua continua-static)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${pkgconfig_dir})
endforeach()

# The Python module, where the system's Python looks below this prefix. It finds the library from where it lies.
find_program(PYTHON3 python3)
set(python_dir lib/python3/dist-packages)
if(PYTHON3)
  execute_process(COMMAND ${PYTHON3} -c "import sys; print('python%d.%d' % sys.version_info[:2], end='')"
    OUTPUT_VARIABLE python_name ERROR_QUIET)
  set(python_dir lib/${python_name}/site-packages)
  if(EXISTS /etc/debian_version)
    set(python_dir lib/${python_name}/dist-packages)
  endif()
endif()
set(CONTINUA_PYTHON_DIR ${python_dir} CACHE STRING "Where the Python module is installed, below the prefix")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/continua DESTINATION ${CONTINUA_PYTHON_DIR}
  FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)

# ct_install_as(SOURCE FOLDER NAME): a file of the repository under another name.
function(ct_install_as source folder name)
  install(FILES ${PROJECT_SOURCE_DIR}/${source} DESTINATION ${folder} RENAME ${name} OPTIONAL)
endfunction()
ct_install_as(packaging/continua.1 ${CMAKE_INSTALL_MANDIR}/man1 continua.1)
ct_install_as(packaging/completion/continua.bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions continua)
ct_install_as(packaging/completion/continua.zsh ${CMAKE_INSTALL_DATADIR}/zsh/site-functions _continua)
ct_install_as(packaging/completion/continua.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d continua.fish)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples ${PROJECT_SOURCE_DIR}/reproduce ${PROJECT_SOURCE_DIR}/verify DESTINATION ${CMAKE_INSTALL_DATADIR}/continua)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "site" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
