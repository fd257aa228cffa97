# The viewer's server is part of the command and its tests, not of the library, which needs no network.
set(view_sources view/absent.c)
if(CONTINUA_HAS_VIEW)
  set(CT_VIEW_PAGES ${PROJECT_BINARY_DIR}/web/pages.c)
  file(GLOB web_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*)
  add_custom_command(OUTPUT ${CT_VIEW_PAGES}
    COMMAND ${NODE} ${PROJECT_SOURCE_DIR}/web/embed.mjs ${CT_VIEW_PAGES}
    DEPENDS ${web_sources} ${PROJECT_SOURCE_DIR}/web/embed.mjs ${PROJECT_SOURCE_DIR}/web/package-lock.json
    COMMENT "Bundling the viewer's page" VERBATIM)
  set(view_sources view/items.c view/still.c view/guard.c view/encode.c view/surfaces.c view/studio.c view/answers.c view/serve.c
    ${CT_VIEW_PAGES})
endif()
add_library(ct_view OBJECT ${view_sources})
target_link_libraries(ct_view PUBLIC ${CT_LIBRARIES})
if(CONTINUA_HAS_VIEW)
  target_link_libraries(ct_view PUBLIC ${CIVETWEB_LIBRARY})
  target_include_directories(ct_view PRIVATE ${CIVETWEB_INCLUDE})
else()
  target_compile_definitions(ct_view PRIVATE CT_VIEW_LACKS="${CT_VIEW_LACKS}")
endif()
