# Options for every target of this project, and for no one else's.
#
# Warnings are errors; `cmake --compile-no-warning-as-error` lifts that for a compiler we have not met.

function(trammel_compile_options target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF COMPILE_WARNING_AS_ERROR ON)
  target_compile_definitions(${target} PRIVATE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wno-missing-field-initializers -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 sees overruns in inlined std::string code that has none (GCC bug 105651 and its kin)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict)
  endif()
  # position independent (for shared libraries), and as fast as if it were not: the linker does not put functions of
  # others in the place of ours
  target_compile_options(${target} PRIVATE -fPIC -fno-semantic-interposition)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # it calls members hidden that a friend cannot see, and deletes what is used and works (members of a nested class)
    target_compile_options(${target} PRIVATE -Wno-shadow -Wno-defaulted-function-deleted)
  endif()
  if(TRAMMEL_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # the instrumentation hides from GCC what its flow analysis needs, which then warns of what cannot happen
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # lets ccache see which precompiled header was used
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()

if(TRAMMEL_SANITIZE)
  # what costs a third of the time to compile and finds nothing that the others miss: accesses by null and beyond an object are
  # found by the address sanitizer, misaligned vectors by Eigen's assertions
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null,object-size,alignment,vptr -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # it minds an offset from a null pointer, which is what Eigen's blocks of empty matrices have, and never read
    add_compile_options(-fno-sanitize=pointer-overflow)
  endif()
  add_link_options(-fsanitize=address,undefined)
endif()
