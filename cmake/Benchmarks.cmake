# Every source in benchmarks/ is a program of its own.
find_package(benchmark QUIET)
file(GLOB benchmark_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/benchmarks/*.cpp")

if(NOT benchmark_FOUND)
  message(STATUS "Google Benchmark not found: the benchmarks are not built")
else()
  foreach(source IN LISTS benchmark_sources)
    cmake_path(GET source STEM name)
    set(target "benchmark-${name}")
    add_executable(${target} "${source}")
    target_link_libraries(${target} PRIVATE trammel benchmark::benchmark)
    set_target_properties(${target} PROPERTIES
                          OUTPUT_NAME "${name}"
                          RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/benchmarks")
    trammel_compile_options(${target})
    target_precompile_headers(${target} REUSE_FROM trammel-core)
  endforeach()

  # mechanisms of the comparison with other programs, which it does not run
  target_sources(benchmark-coordinates PRIVATE "${PROJECT_SOURCE_DIR}/benchmarks/peers/trammel_mechanisms.cpp")

  # a number type to compare ours with: measured where its header happens to be (libceres-dev), needed by nothing
  find_path(TRAMMEL_CERES_INCLUDE_DIR ceres/jet.h)
  mark_as_advanced(TRAMMEL_CERES_INCLUDE_DIR)
  if(TRAMMEL_CERES_INCLUDE_DIR AND TARGET benchmark-derivatives)
    target_include_directories(benchmark-derivatives SYSTEM PRIVATE "${TRAMMEL_CERES_INCLUDE_DIR}")
    target_compile_definitions(benchmark-derivatives PRIVATE TRAMMEL_HAS_CERES_JET)
  endif()
endif()

include(Peers)
