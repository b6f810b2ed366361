# Headers that nearly every source includes and that take long to compile. Each source still includes what it uses:
# the installed headers and a build with CMAKE_DISABLE_PRECOMPILE_HEADERS=ON go without.

function(trammel_precompile_headers target)
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <cmath> <complex> <cstddef> <functional> <limits> <map> <memory> <optional> <span>
    <stdexcept> <string> <string_view> <utility> <variant> <vector>
    <Eigen/Dense>
    <fmt/format.h>
    ${ARGN})
endfunction()
