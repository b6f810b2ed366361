# Compiles through ccache when it is there. The two kinds of sloppiness are what ccache asks for before it caches
# anything that uses a precompiled header. Paths below the source folder are hashed relative to the build's, so that two
# clones share what was compiled.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(CCACHE_PROGRAM ccache)
  mark_as_advanced(CCACHE_PROGRAM)
  if(CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND}" -E env "CCACHE_SLOPPINESS=pch_defines,time_macros"
        "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" "CCACHE_NOHASHDIR=1" "${CCACHE_PROGRAM}")
  endif()
endif()
