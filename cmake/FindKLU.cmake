# SuiteSparse's KLU, which Debian ships without a CMake package: the target KLU::KLU.
include(FindPackageHandleStandardArgs)

find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
set(KLU_LIBRARIES "")
foreach(part IN ITEMS klu btf amd colamd suitesparseconfig)
  find_library(KLU_${part}_LIBRARY ${part})
  list(APPEND KLU_LIBRARIES "${KLU_${part}_LIBRARY}")
  list(APPEND klu_parts KLU_${part}_LIBRARY)
endforeach()
find_package_handle_standard_args(KLU REQUIRED_VARS KLU_INCLUDE_DIR ${klu_parts})
unset(klu_parts)

if(KLU_FOUND AND NOT TARGET KLU::KLU)
  add_library(KLU::KLU INTERFACE IMPORTED)
  target_include_directories(KLU::KLU SYSTEM INTERFACE "${KLU_INCLUDE_DIR}")
  target_link_libraries(KLU::KLU INTERFACE ${KLU_LIBRARIES})
endif()
