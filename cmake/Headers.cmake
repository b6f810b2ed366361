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

# `./check --headers`: each of them compiles by itself
file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/trammel/*.h")
list(FILTER headers EXCLUDE REGEX "/src/trammel/(page|cli)/")
add_library(trammel-headers INTERFACE)
target_link_libraries(trammel-headers INTERFACE trammel)
target_sources(trammel-headers INTERFACE FILE_SET HEADERS
               BASE_DIRS "${PROJECT_SOURCE_DIR}/src" "${PROJECT_BINARY_DIR}/generated"
               FILES ${headers} "${PROJECT_BINARY_DIR}/generated/trammel/version.h")
set_target_properties(trammel-headers PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
