# Trammel beside other programs (benchmarks/peers): built by default only with -DTRAMMEL_PEERS=ON, and by
# `cmake --build ... --target peers peers-scaling peers-dynamics peers-projection peers-real-time` otherwise. A peer that is not found is left out of the comparison.
#
# Debian: libsimbody-dev, libmujoco-dev, libdart-dev. SUNDIALS is there anyway.
option(TRAMMEL_PEERS "Build the comparison with other programs, as far as they are found" OFF)
# by file: their package files name others that Debian puts elsewhere, which ends a configuration
find_path(TRAMMEL_SIMBODY_INCLUDE_DIR Simbody.h PATH_SUFFIXES simbody)
find_library(TRAMMEL_SIMBODY_LIBRARY SimTKsimbody)
find_library(TRAMMEL_SIMMATH_LIBRARY SimTKmath)
find_library(TRAMMEL_SIMCOMMON_LIBRARY SimTKcommon)
find_path(TRAMMEL_MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
find_library(TRAMMEL_MUJOCO_LIBRARY mujoco)
find_path(TRAMMEL_DART_INCLUDE_DIR dart/dart.hpp)
find_library(TRAMMEL_DART_LIBRARY dart)
mark_as_advanced(TRAMMEL_SIMBODY_INCLUDE_DIR TRAMMEL_SIMBODY_LIBRARY TRAMMEL_SIMMATH_LIBRARY TRAMMEL_SIMCOMMON_LIBRARY
                 TRAMMEL_MUJOCO_INCLUDE_DIR TRAMMEL_MUJOCO_LIBRARY TRAMMEL_DART_INCLUDE_DIR TRAMMEL_DART_LIBRARY)
find_package(SUNDIALS 6.4 REQUIRED COMPONENTS cvodes idas nvecserial sunmatrixdense sunlinsoldense sunnonlinsolfixedpoint)

set(peers "${PROJECT_SOURCE_DIR}/benchmarks/peers")
# what both programs need: the contests themselves, and the mechanisms of all programs
add_library(peers-contests STATIC
            "${peers}/andrews.cpp" "${peers}/chain.cpp" "${peers}/chain_reference.cpp"
            "${peers}/double_pendulum.cpp" "${peers}/measurement.cpp" "${peers}/n_four_bar.cpp"
            "${peers}/pendulum.cpp" "${peers}/report.cpp" "${peers}/scaling_trammel.cpp"
            "${peers}/simbody_peers.cpp" "${peers}/sundials_peer.cpp" "${peers}/table_file.cpp"
            "${peers}/trammel_mechanisms.cpp" "${peers}/trammel_peer.cpp")
target_link_libraries(peers-contests PUBLIC trammel SUNDIALS::cvodes SUNDIALS::idas SUNDIALS::nvecserial
                      SUNDIALS::sunmatrixdense SUNDIALS::sunlinsoldense SUNDIALS::sunnonlinsolfixedpoint
                      ${CMAKE_DL_LIBS})
target_compile_definitions(peers-contests PUBLIC TRAMMEL_PEERS_MODELS="${PROJECT_SOURCE_DIR}/examples/models")
add_executable(peers "${peers}/changes.cpp" "${peers}/claims.cpp" "${peers}/peers.cpp")
add_executable(peers-scaling "${peers}/child_process.cpp" "${peers}/peers_scaling.cpp" "${peers}/scaling_report.cpp")
add_executable(peers-dynamics "${peers}/peers_dynamics.cpp")
add_executable(peers-projection "${peers}/peers_projection.cpp")
foreach(program peers peers-scaling peers-dynamics peers-projection)
  target_link_libraries(${program} PRIVATE peers-contests)
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/benchmarks")
endforeach()

if(TRAMMEL_MUJOCO_INCLUDE_DIR AND TRAMMEL_MUJOCO_LIBRARY)
  target_sources(peers-contests PRIVATE "${peers}/mujoco_models.cpp" "${peers}/mujoco_peers.cpp"
                 "${peers}/mujoco_simulator.cpp" "${peers}/scaling_mujoco.cpp" "${peers}/dynamics_mujoco.cpp")
  target_link_libraries(peers-contests PUBLIC "${TRAMMEL_MUJOCO_LIBRARY}")
  target_include_directories(peers-contests SYSTEM PUBLIC "${TRAMMEL_MUJOCO_INCLUDE_DIR}")
  target_compile_definitions(peers-contests PUBLIC TRAMMEL_PEER_MUJOCO)
  add_executable(peers-real-time "${peers}/peers_real_time.cpp")
  target_link_libraries(peers-real-time PRIVATE peers-contests)
  set_target_properties(peers-real-time PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/benchmarks")
else()
  message(STATUS "MuJoCo not found: not among the peers")
endif()

if(TRAMMEL_DART_INCLUDE_DIR AND TRAMMEL_DART_LIBRARY)
  target_sources(peers-dynamics PRIVATE "${peers}/dynamics_dart.cpp")
  target_link_libraries(peers-dynamics PRIVATE "${TRAMMEL_DART_LIBRARY}")
  target_include_directories(peers-dynamics SYSTEM PRIVATE "${TRAMMEL_DART_INCLUDE_DIR}")
  target_compile_definitions(peers-dynamics PRIVATE TRAMMEL_PEER_DART)
else()
  message(STATUS "DART not found: not among the peers")
endif()

# Simbody's copy of SUNDIALS must not meet ours: a library that is loaded at run time (simbody_peers.h)
if(TRAMMEL_SIMBODY_INCLUDE_DIR AND TRAMMEL_SIMBODY_LIBRARY AND TRAMMEL_SIMMATH_LIBRARY AND TRAMMEL_SIMCOMMON_LIBRARY)
  add_library(peers-simbody MODULE
              "${peers}/andrews_simbody.cpp" "${peers}/chain_simbody.cpp" "${peers}/double_pendulum_simbody.cpp"
              "${peers}/n_four_bar_simbody.cpp" "${peers}/pendulum_simbody.cpp" "${peers}/scaling_simbody.cpp"
              "${peers}/simbody_run.cpp" "${peers}/dynamics_simbody.cpp" "${peers}/cpodes_simbody.cpp")
  # its headers are ambiguous in C++20
  set_target_properties(peers-simbody PROPERTIES
                        CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON
                        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/benchmarks")
  target_include_directories(peers-simbody SYSTEM PRIVATE "${TRAMMEL_SIMBODY_INCLUDE_DIR}")
  target_link_libraries(peers-simbody PRIVATE "${TRAMMEL_SIMBODY_LIBRARY}" "${TRAMMEL_SIMMATH_LIBRARY}"
                        "${TRAMMEL_SIMCOMMON_LIBRARY}")
  trammel_compile_options(peers-simbody)
  # Debian builds Simbody with its assertions on, and with them states are laid out in another way
  target_compile_options(peers-simbody PRIVATE -UNDEBUG)
  add_dependencies(peers-contests peers-simbody)
  foreach(target peers-contests peers-dynamics)
    target_compile_definitions(${target} PRIVATE TRAMMEL_PEER_SIMBODY="$<TARGET_FILE:peers-simbody>")
  endforeach()
else()
  message(STATUS "Simbody not found: not among the peers")
endif()

foreach(target peers-contests peers peers-scaling peers-dynamics peers-projection peers-real-time)
  if(TARGET ${target})
    trammel_compile_options(${target})
  endif()
endforeach()
foreach(target peers-contests peers peers-scaling peers-dynamics peers-projection peers-real-time peers-simbody)
  if(TARGET ${target} AND NOT TRAMMEL_PEERS)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endforeach()
