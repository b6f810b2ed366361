# The browser page of a run: viewer/ is built with npm, and the program holds its script and style as text. Without
# npm, or with TRAMMEL_VIEWER=OFF, runs leave no page.
option(TRAMMEL_VIEWER "Build the browser page with npm" ON)

set(viewer "${PROJECT_SOURCE_DIR}/viewer")
set(viewer_bundle "${PROJECT_BINARY_DIR}/generated/trammel/page/viewer_bundle.cpp")
find_program(TRAMMEL_NPM npm)
find_program(TRAMMEL_NODE NAMES node nodejs)
mark_as_advanced(TRAMMEL_NPM TRAMMEL_NODE)

if(TRAMMEL_VIEWER AND TRAMMEL_NPM AND TRAMMEL_NODE)
  file(GLOB_RECURSE viewer_sources CONFIGURE_DEPENDS "${viewer}/src/*")
  set(viewer_packages "${viewer}/node_modules/.package-lock.json")  # npm writes it last
  add_custom_command(OUTPUT "${viewer_packages}"
                     DEPENDS "${viewer}/package-lock.json"
                     COMMAND "${TRAMMEL_NPM}" ci --omit=dev --no-audit --no-fund --loglevel=error ||
                             "${CMAKE_COMMAND}" -P "${PROJECT_SOURCE_DIR}/cmake/ViewerFailed.cmake"
                     COMMAND "${CMAKE_COMMAND}" -E touch "${viewer_packages}"
                     WORKING_DIRECTORY "${viewer}"
                     COMMENT "Installing what the browser page is built from")
  add_custom_command(OUTPUT "${viewer}/dist/viewer.js" "${viewer}/dist/viewer.css"
                     DEPENDS ${viewer_sources} "${viewer}/scripts/build.mjs" "${viewer_packages}"
                     COMMAND "${TRAMMEL_NODE}" scripts/build.mjs
                     WORKING_DIRECTORY "${viewer}"
                     COMMENT "Building the browser page")
  add_custom_command(OUTPUT "${viewer_bundle}"
                     DEPENDS "${viewer}/dist/viewer.js" "${viewer}/dist/viewer.css"
                             "${PROJECT_SOURCE_DIR}/cmake/EmbedViewer.cmake"
                     COMMAND "${CMAKE_COMMAND}" -Dscript_file=${viewer}/dist/viewer.js
                             -Dstyle_file=${viewer}/dist/viewer.css -Doutput=${viewer_bundle}
                             -P "${PROJECT_SOURCE_DIR}/cmake/EmbedViewer.cmake"
                     COMMENT "Embedding the browser page")
else()
  if(TRAMMEL_VIEWER)
    message(STATUS "npm or node not found: runs will leave no page")
  endif()
  set(output "${viewer_bundle}")
  include("${PROJECT_SOURCE_DIR}/cmake/EmbedViewer.cmake")
endif()
target_sources(trammel-page PRIVATE "${viewer_bundle}")
