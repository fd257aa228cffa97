# The numerical folders: compiled for two dimensions, two precisions and each instruction set, as
# ct_numerics_2f_v3 and so on. dispatch.c chooses one when a world is made.

set(flags_generic "")
set(flags_v2 -march=x86-64-v2)
set(flags_v3 -march=x86-64-v3)
set(flags_v4 -march=x86-64-v4 -mprefer-vector-width=512)
set(flags_v4_emulated -march=x86-64-v3 -DCT_EMULATE_AVX512 -Wno-psabi)

set(numerical_sources
  boundary/colliders.c
  boundary/exert.c
  boundary/flow.c
  boundary/hold.c
  boundary/mirror.c
  boundary/sharp.c
  boundary/walls.c
  core/svd.c
  grid/update.c
  material/models.c
  mpm/exchange.c
  mpm/flight.c
  mpm/heat.c
  mpm/immerse.c
  mpm/implicit.c
  mpm/implicit_coarse.c
  mpm/implicit_hold.c
  mpm/implicit_levels.c
  mpm/implicit_particles.c
  mpm/integration.c
  mpm/meet.c
  mpm/method.c
  mpm/move.c
  mpm/read.c
  mpm/split.c
  numerics.c
  particles/add.c
  particles/invariants.c
  particles/read.c
  particles/sort.c
  rigid/method.c
  strand/method.c
  timestep/extremes.c
  timestep/limit.c
  timestep/screen.c
  transfer/batch.c
  transfer/gather_fast.c
  transfer/gather_plain.c
  transfer/scatter_fast.c
  transfer/scatter_plain.c
  transfer/separation.c
  transfer/tile.c
  transfer/impulses.c
  transfer/to_grid.c
  transfer/to_particles.c)

# One file per line of the list of materials.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/material/list.h)
file(READ material/list.h list)
string(REGEX MATCHALL "\n +X\\([a-z_0-9]+" models "${list}")
foreach(model ${models})
  string(REGEX REPLACE ".*X\\(" "" model "${model}")
  list(APPEND numerical_sources material/${model}.c)
endforeach()

if(CONTINUA_SANITIZE)
  set(unroll CT_NO_UNROLL)
endif()

set(numerics_list "")
foreach(isa ${CT_ISAS})
  foreach(dimension 2 3)
    foreach(precision f d)
      set(suffix _${dimension}${precision}_${isa})
      set(target ct_numerics${suffix})
      add_library(${target} OBJECT ${numerical_sources} ${body_numerics} ${fluid_numerics} ${peri_numerics})
      target_compile_definitions(${target} PRIVATE CT_DIM=${dimension} CT_IS_DOUBLE=$<STREQUAL:${precision},d>
        CT_SUFFIX=${suffix} CT_ISA="${isa}" ${unroll})
      target_compile_options(${target} PRIVATE -ffp-contract=fast -fno-math-errno ${flags_${isa}})
      target_link_libraries(${target} PUBLIC ${CT_LIBRARIES})
      list(APPEND CT_OBJECTS ${target})
      string(APPEND numerics_list "X(${suffix})\n")
    endforeach()
  endforeach()
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/numerics_list.h CONTENT "${numerics_list}")

ct_folder(world
  boundary/border.c
  boundary/collider.c
  boundary/collider_field.c
  boundary/collider_motion.c
  boundary/collider_surface.c
  boundary/immersed.c
  boundary/exertion.c
  boundary/force.c
  boundary/noise.c
  boundary/source.c
  boundary/source_collect.c
  checkpoint.c
  checkpoint_cloud.c
  checkpoint_restore.c
  defaults.c
  dispatch.c
  grid/layer.c
  hash.c
  material/elastic.c
  method_info.c
  particles/quantities.c
  step.c
  timestep/courant.c
  timestep/criteria.c
  timestep/ledger.c
  transfer/schemes.c
  world.c
  world_bodies.c
  world_change.c
  world_colliders.c
  world_data.c
  world_flow.c
  world_forces.c
  world_joints.c
  world_ledger.c
  world_make.c
  world_query.c
  world_record.c
  world_remove.c
  world_samples.c
  world_sides.c)
target_include_directories(ct_world PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
