# The library in parts, so that a program links what it uses and needs no more packages than that. A part is a static
# library trammel-NAME, found by others as Trammel::NAME (find_package(Trammel COMPONENTS NAME)).
#
#   core         equations, formulations, integrators, mechanisms, analysis, simulation, and what a run records
#   files        results as CSV and JSON, plots as SVG and text
#   hdf5         results as HDF5
#   model        mechanisms from model files (YAML)
#   urdf         robots in model files, and by themselves
#   published    the published cases
#   comparison   methods held against each other
#   sweep        a model run many times, with other parameters
#   derivatives  Jacobians of any function; a mechanism's functions recorded: ways of differentiation compared, C code
#   trammel      all of them
#
# Everything is position independent, for shared libraries and Python modules.

# The sources of some folders of src/trammel/.
function(trammel_sources result)
  set(sources "")
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE of_folder CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/trammel/${folder}/*.cpp")
    list(APPEND sources ${of_folder})
  endforeach()
  set(${result} "${sources}" PARENT_SCOPE)
endfunction()

# Compiles sources of a folder, given by their names or all of them, `size` at a time: they include the same headers and use
# the same templates. Names of their own (in unnamed namespaces) must differ.
option(TRAMMEL_UNITY "Compile sources of a folder together where that is faster" ON)
function(trammel_compile_together folder size)
  cmake_parse_arguments(PARSE_ARGV 2 option "" "" "EXCEPT;ONLY")
  trammel_sources(sources ${folder})
  set(count 0)
  string(REPLACE "/" "_" kind "${folder}")
  if(option_ONLY)  # apart from others of this folder
    list(GET option_ONLY 0 first)
    string(APPEND kind "_${first}")
  endif()
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    if(name IN_LIST option_EXCEPT OR (option_ONLY AND NOT name IN_LIST option_ONLY))
      continue()
    endif()
    math(EXPR group "${count} / ${size}")
    math(EXPR count "${count} + 1")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${kind}-${group}")
  endforeach()
endfunction()

function(trammel_component name)
  add_library(trammel-${name} STATIC ${ARGN})
  add_library(Trammel::${name} ALIAS trammel-${name})
  set_target_properties(trammel-${name} PROPERTIES EXPORT_NAME ${name} OUTPUT_NAME trammel_${name})
  set_target_properties(trammel-${name} PROPERTIES UNITY_BUILD ${TRAMMEL_UNITY} UNITY_BUILD_MODE GROUP)
  target_compile_features(trammel-${name} PUBLIC cxx_std_20)
  trammel_compile_options(trammel-${name})
  if(name STREQUAL "core")
    trammel_precompile_headers(trammel-core)
  else()
    target_precompile_headers(trammel-${name} REUSE_FROM trammel-core)
  endif()
endfunction()

trammel_sources(core numerics mechanism motion formulation integrator analysis simulation)
trammel_sources(files result)
trammel_sources(model model)
trammel_sources(published published)
trammel_sources(comparison comparison)
trammel_sources(sweep sweep)
trammel_sources(derivatives derivatives)

# a few files go with another part than their neighbours: what a run records is core, what needs JSON, HDF5 or XML is not
function(trammel_move_sources from to pattern)
  set(moved ${${from}})
  list(FILTER moved INCLUDE REGEX "${pattern}")
  list(FILTER ${from} EXCLUDE REGEX "${pattern}")
  set(${from} "${${from}}" PARENT_SCOPE)
  set(${to} ${${to}} ${moved} PARENT_SCOPE)
endfunction()
trammel_move_sources(core files "/simulation/summary_json\\.cpp$")
# tables and laws of a mechanism can be recorded (operation_graph, traced); what is done with a recording is not core
set(differentiation adolc_jacobian c_code compiled_code graph_jacobian graph_program jacobian jacobian_pattern)
list(JOIN differentiation "|" differentiation_names)
trammel_move_sources(core derivatives "/numerics/differentiation/(${differentiation_names})\\.cpp$")
trammel_move_sources(files core "/result/(output_file|recorded_rows|recording|trajectory)\\.cpp$")
trammel_move_sources(files hdf5 "/result/([a-z_]*hdf5[a-z_]*|trial_process)\\.cpp$")
trammel_move_sources(model urdf "/model/(urdf_[a-z]+|xml_tree)\\.cpp$")

# these compile what the precompiled header keeps from all others
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/trammel/numerics/eigen_instances.cpp"
                            "${PROJECT_SOURCE_DIR}/src/trammel/numerics/eigen_orthogonal_instances.cpp"
                            PROPERTIES SKIP_PRECOMPILE_HEADERS ON)

trammel_compile_together(numerics 20 EXCEPT eigen_instances eigen_orthogonal_instances eigen_rare_instances normal_cholesky sparse_lu ${differentiation})
trammel_compile_together(numerics/differentiation 6 EXCEPT adolc_jacobian operation_graph traced)
trammel_compile_together(derivatives 5)
trammel_compile_together(mechanism 5)
trammel_compile_together(motion 4 ONLY cartesian_derivatives cartesian_equations cartesian_motion cartesian_slopes)
trammel_compile_together(motion 4 ONLY assembly assembly_accelerations assembly_level closure)
trammel_compile_together(motion 4 ONLY planar_motion planar_motion_search planar_tangent initial_velocities)
trammel_compile_together(motion 9 ONLY acceleration_system consistent_state dense_tangent_motion difference_derivatives
                         equations residual_equations sizes sparse_acceleration_system sparse_kkt)
trammel_compile_together(motion 8 ONLY joint_motion joint_acceleration_system joint_clusters joint_derivatives joint_force_slopes
                         joint_slopes joint_terms joint_turns)
trammel_compile_together(motion 9 ONLY joint_equations joint_placing joint_results joint_tree loop_accelerations mass_inverse
                         minimal_multipliers mechanism_motion)
trammel_compile_together(motion 4 ONLY common_start coordinate_choice impulse tree_accelerations)
trammel_compile_together(formulation 5 ONLY dense_motion_problem invariant_ode motion_problem shifted_matrix tangent_problem)
foreach(formulation psf geoms splitting state_space penalty projection)
  trammel_compile_together(formulation/${formulation} 9)
endforeach()
trammel_compile_together(integrator 9)
trammel_compile_together(analysis 4)
trammel_compile_together(simulation 5)
trammel_compile_together(result 9)
trammel_compile_together(model 12)
trammel_compile_together(published 8 EXCEPT truck)
trammel_compile_together(comparison 12)
trammel_compile_together(sweep 6)

trammel_component(core ${core})
target_link_libraries(trammel-core
                      PUBLIC Eigen3::Eigen fmt::fmt
                      PRIVATE KLU::KLU SUNDIALS::cvodes SUNDIALS::arkode SUNDIALS::idas SUNDIALS::nvecserial
                              SUNDIALS::sunnonlinsolnewton SUNDIALS::sunnonlinsolfixedpoint)

trammel_component(files ${files})
target_link_libraries(trammel-files PUBLIC trammel-core nlohmann_json::nlohmann_json)

trammel_component(hdf5 ${hdf5})
target_link_libraries(trammel-hdf5 PUBLIC trammel-core
                      PRIVATE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:TRAMMEL_HDF5_ON_DEMAND>>>:hdf5::hdf5>)
include(Hdf5OnDemand)

trammel_component(model ${model})
target_link_libraries(trammel-model PUBLIC trammel-core PRIVATE yaml-cpp)

trammel_component(urdf ${urdf})
target_link_libraries(trammel-urdf PUBLIC trammel-model PRIVATE EXPAT::EXPAT)
# nothing calls it: it enters itself where model files are read
target_link_options(trammel-urdf INTERFACE "LINKER:--undefined=trammel_component_urdf")

trammel_component(published ${published})
target_link_libraries(trammel-published PUBLIC trammel-model)

trammel_component(comparison ${comparison})
target_link_libraries(trammel-comparison PUBLIC trammel-published trammel-files)

trammel_component(sweep ${sweep})
target_link_libraries(trammel-sweep PUBLIC trammel-files trammel-model PRIVATE trammel-hdf5)

trammel_component(derivatives ${derivatives})
target_link_libraries(trammel-derivatives PUBLIC trammel-core ${CMAKE_DL_LIBS})  # generated code is loaded by dlopen

# ADOL-C is an option, and nothing but one source of ways of differentiation knows of it
include(Adolc)
if(TRAMMEL_ADOLC)
  trammel_require_adolc()
  trammel_compile_adolc(adolc_source)
  set_source_files_properties("${adolc_source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(trammel-derivatives PRIVATE "${ADOLC_LIBRARY}" "${COLPACK_LIBRARY}")
endif()

add_library(trammel INTERFACE)
add_library(Trammel::trammel ALIAS trammel)
target_link_libraries(trammel INTERFACE trammel-core trammel-files trammel-hdf5 trammel-model trammel-urdf
                                        trammel-published trammel-comparison trammel-sweep trammel-derivatives)
set(trammel_components core files hdf5 model urdf published comparison sweep derivatives)

include(Headers)
