# Programs that load the HDF5 library when they first use it, for that takes longer than all else before a small model runs
# (src/trammel/cli/hdf5_on_demand.cpp, whose functions are those of HDF5 1.10). Where that is another version, or no shared
# library, programs are linked with it like any others.

set(hdf5_file "")
if(HDF5_VERSION MATCHES "^1\\.10\\." AND HDF5_C_LIBRARY_hdf5 MATCHES "\\.so" AND CMAKE_OBJDUMP)
  file(REAL_PATH "${HDF5_C_LIBRARY_hdf5}" hdf5_file)
  execute_process(COMMAND "${CMAKE_OBJDUMP}" -p "${hdf5_file}" OUTPUT_VARIABLE hdf5_headers ERROR_QUIET)
  if(NOT hdf5_headers MATCHES "SONAME +([^ \n]+)")
    set(hdf5_file "")
  endif()
  set(hdf5_soname "${CMAKE_MATCH_1}")
endif()

function(trammel_hdf5_on_demand program)
  if(NOT hdf5_file)
    return()
  endif()
  set_target_properties(${program} PROPERTIES TRAMMEL_HDF5_ON_DEMAND ON)
  target_sources(${program} PRIVATE "${PROJECT_SOURCE_DIR}/src/trammel/cli/hdf5_on_demand.cpp")
  target_include_directories(${program} PRIVATE ${HDF5_C_INCLUDE_DIRS})
  target_compile_definitions(${program} PRIVATE "TRAMMEL_HDF5_SONAME=\"${hdf5_soname}\"" "TRAMMEL_HDF5_FILE=\"${hdf5_file}\"")
  target_link_libraries(${program} PRIVATE ${CMAKE_DL_LIBS})
endfunction()
