# Headers that nearly every source includes and that take long to compile. Each source still includes what it uses:
# the installed headers and a build with CMAKE_DISABLE_PRECOMPILE_HEADERS=ON go without. The last one keeps what is dear in
# Eigen from being compiled again in every source.

function(trammel_precompile_headers target)
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <cmath> <complex> <cstddef> <functional> <limits> <map> <memory> <optional> <set> <span>
    <sstream> <stdexcept> <string> <string_view> <utility> <variant> <vector>
    <Eigen/Dense> <Eigen/SparseCore>
    <fmt/format.h> <fmt/ranges.h>
    "${PROJECT_SOURCE_DIR}/src/trammel/numerics/eigen_instances.h"
    ${ARGN})
endfunction()
