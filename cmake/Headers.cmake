# Which headers there are, and which are installed.

# what a user's program includes; installed with these is what they include in turn (cmake/InstallHeaders.cmake)
set(trammel_public_headers
    # equations and mechanisms in C++
    motion/equations.h motion/templated_equations.h motion/cartesian_equations.h
    mechanism/mechanism.h mechanism/model.h mechanism/user_elements.h mechanism/expression_parser.h
    # runs and analysis
    simulation/simulation.h simulation/mechanism_run.h simulation/method.h simulation/method_choice.h
    simulation/options.h simulation/summary.h simulation/summary_json.h
    numerics/thread_team.h
    analysis/mobility.h analysis/equilibrium.h analysis/linearization.h
    analysis/joint_dynamics.h analysis/chosen_state.h simulation/inverse_run.h
    # files
    model/model.h
    result/csv.h result/recording.h result/recording_csv.h result/recording_hdf5.h result/svg_plot.h result/text_plot.h
    # derivatives
    numerics/differentiation/jacobian.h derivatives/mechanism_functions.h derivatives/way_comparison.h derivatives/model_code.h
    # methods held against each other
    published/builtin.h comparison/comparison.h sweep/sweep.h sweep/sweep_processes.h)

target_include_directories(trammel-core PUBLIC
                           "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>"
                           "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>"
                           "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

# `./check --headers`: each of them compiles by itself. That is a source of one line for each. Most of the time would go into
# reading Eigen, which two precompiled headers save those that include it anyway, by way of other headers of ours: none of
# them gets to see what it does not ask for. No code is wanted, so it is not optimised.
function(trammel_check_headers)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/src/trammel/*.h")
  foreach(header IN LISTS headers)
    set(file "${PROJECT_SOURCE_DIR}/src/${header}")
    file(STRINGS "${file}" lines REGEX "^#include [<\"](trammel/|Eigen/(Dense|SparseCore)>)")
    string(REGEX MATCHALL "trammel/[a-z0-9_/]+\\.h" "included_${header}" "${lines}")
    string(REGEX MATCHALL "Eigen/[A-Za-z]+" "eigen_${header}" "${lines}")
  endforeach()
  # what of Eigen they include by way of others: again, until there is nothing new
  set(changed TRUE)
  while(changed)
    set(changed FALSE)
    foreach(header IN LISTS headers)
      set(eigen "${eigen_${header}}")
      foreach(other IN LISTS included_${header})
        list(APPEND eigen ${eigen_${other}})
      endforeach()
      list(REMOVE_DUPLICATES eigen)
      list(SORT eigen)
      if(NOT "${eigen}" STREQUAL "${eigen_${header}}")
        set("eigen_${header}" "${eigen}")
        set(changed TRUE)
      endif()
    endforeach()
  endwhile()

  foreach(header IN LISTS headers ITEMS trammel/version.h)
    string(REPLACE "/" "-" name "${header}")
    set(source "${PROJECT_BINARY_DIR}/headers/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${header}\"\n")
    string(REPLACE ";" "-" kind "${eigen_${header}}")
    if(NOT kind MATCHES "Eigen/Dense")
      set(kind plain)
    endif()
    string(MAKE_C_IDENTIFIER "${kind}" kind)
    list(APPEND sources_${kind} "${source}")
  endforeach()
  add_custom_target(check-headers)
  foreach(kind IN ITEMS plain Eigen_Dense Eigen_Dense_Eigen_SparseCore)
    add_library(check-headers-${kind} OBJECT EXCLUDE_FROM_ALL ${sources_${kind}})
    # not the libraries, which would be built first
    target_link_libraries(check-headers-${kind} PRIVATE Eigen3::Eigen fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11
                                                        hdf5::hdf5 Threads::Threads)
    target_include_directories(check-headers-${kind} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_BINARY_DIR}/generated")
    target_compile_features(check-headers-${kind} PRIVATE cxx_std_20)
    trammel_compile_options(check-headers-${kind})
    target_compile_options(check-headers-${kind} PRIVATE -O0)
    add_dependencies(check-headers check-headers-${kind})
  endforeach()
  target_precompile_headers(check-headers-Eigen_Dense PRIVATE <Eigen/Dense>)
  target_precompile_headers(check-headers-Eigen_Dense_Eigen_SparseCore PRIVATE <Eigen/Dense> <Eigen/SparseCore>)
endfunction()
