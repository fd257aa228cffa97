# The method that docs/adding-a-method.md adds: its code is taken out of the page, the lists of methods are copied with
# the lines that the page adds to them, and the copies are linked in place of those of the library.
set(points ${CMAKE_CURRENT_BINARY_DIR}/points)
set(page ${PROJECT_SOURCE_DIR}/docs/adding-a-method.md)
set(numerics ${PROJECT_SOURCE_DIR}/src/numerics.c)
set(method_info ${PROJECT_SOURCE_DIR}/src/method_info.c)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page} ${numerics} ${method_info})

# Takes the next piece of C out of `text`.
function(ct_next_piece result)
  string(FIND "${text}" "```c\n" begin)
  math(EXPR begin "${begin} + 5")
  string(SUBSTRING "${text}" ${begin} -1 rest)
  string(FIND "${rest}" "```" end)
  string(SUBSTRING "${rest}" 0 ${end} piece)
  math(EXPR end "${end} + 3")
  string(SUBSTRING "${rest}" ${end} -1 rest)
  set(${result} "${piece}" PARENT_SCOPE)
  set(text "${rest}" PARENT_SCOPE)
endfunction()

# Inserts before the one place where `text` has `mark`.
function(ct_insert_before text_name mark more)
  string(FIND "${${text_name}}" "${mark}" first)
  string(FIND "${${text_name}}" "${mark}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "tests/unit/points: the lists of methods have another form now")
  endif()
  string(REPLACE "${mark}" "${more}${mark}" changed "${${text_name}}")
  set(${text_name} "${changed}" PARENT_SCOPE)
endfunction()

file(READ ${page} text)
ct_next_piece(method)
ct_next_piece(model)
ct_next_piece(entry)
ct_next_piece(line)
string(STRIP "${line}" line)

file(READ ${numerics} list)
string(REGEX MATCHALL "\n +X\\(ct_[a-z_]+_method\\)" methods "${list}")
list(LENGTH methods number)
ct_insert_before(list "\n\n#define X(method) extern" " \\\n    ${line}")
file(READ ${method_info} infos)
ct_insert_before(infos "static const ct_method_info methods[] = {" "${model}\n")
string(REPLACE "static const ct_method_info methods[] = {" "static const ct_method_info methods[] = {\n${entry}" infos
  "${infos}")

file(GENERATE OUTPUT ${points}/method.c CONTENT "${method}")
file(GENERATE OUTPUT ${points}/numerics.c CONTENT "${list}")
file(GENERATE OUTPUT ${points}/method_info.c CONTENT "${infos}")
file(GENERATE OUTPUT ${points}/points.h CONTENT "#include \"material/info.h\"
enum { CT_METHOD_POINTS = ${number} };
const ct_material_info *ct_points_material_at(int index);\n")

foreach(dimension 2 3)
  set(name world_points_${dimension}d)
  ct_numerical_test(${name} ${CMAKE_CURRENT_LIST_DIR}/test_points.c ${dimension} d ${CT_PLAIN_ISA})
  target_sources(test_${name} PRIVATE ${points}/method.c ${points}/numerics.c ${points}/method_info.c)
  target_compile_definitions(test_${name} PRIVATE CT_ISA="${CT_PLAIN_ISA}")
  target_compile_options(test_${name} PRIVATE -include ${points}/points.h -fno-math-errno)
endforeach()
