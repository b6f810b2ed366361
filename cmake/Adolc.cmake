# ADOL-C with ColPack, which are optional: where they are, and how the one source that knows of them is compiled with them.
find_path(ADOLC_INCLUDE_DIR adolc/adolc.h)
find_library(ADOLC_LIBRARY adolc)
find_path(COLPACK_INCLUDE_DIR ColPack/ColPackHeaders.h)
find_library(COLPACK_LIBRARY ColPack)
mark_as_advanced(ADOLC_INCLUDE_DIR ADOLC_LIBRARY COLPACK_INCLUDE_DIR COLPACK_LIBRARY)

set(trammel_has_adolc OFF)
if(ADOLC_INCLUDE_DIR AND ADOLC_LIBRARY AND COLPACK_INCLUDE_DIR AND COLPACK_LIBRARY)
  set(trammel_has_adolc ON)
endif()

function(trammel_require_adolc)
  if(NOT trammel_has_adolc)
    message(FATAL_ERROR "TRAMMEL_ADOLC=ON needs ADOL-C (${ADOLC_LIBRARY}) and ColPack (${COLPACK_LIBRARY}) with their headers: "
                        "install libadolc-dev and libcolpack-dev, say where they are by CMAKE_PREFIX_PATH, or build without "
                        "by TRAMMEL_ADOLC=OFF")
  endif()
endfunction()

# Sets `source` to that source, which targets of the folder of the caller then compile with ADOL-C, and no other source.
function(trammel_compile_adolc source)
  set(path "${PROJECT_SOURCE_DIR}/src/trammel/numerics/differentiation/adolc_jacobian.cpp")
  set_source_files_properties("${path}" PROPERTIES COMPILE_DEFINITIONS TRAMMEL_ADOLC SKIP_PRECOMPILE_HEADERS ON)
  foreach(folder IN ITEMS "${ADOLC_INCLUDE_DIR}" "${COLPACK_INCLUDE_DIR}" "${COLPACK_INCLUDE_DIR}/ColPack")
    if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
      set_property(SOURCE "${path}" APPEND PROPERTY COMPILE_OPTIONS -isystem "${folder}")
    endif()
  endforeach()
  set(${source} "${path}" PARENT_SCOPE)
endfunction()
