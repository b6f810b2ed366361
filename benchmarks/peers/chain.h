// What all implementations of the chain agree on: N slender rods of mass and length 1 in a row, hinged to
// each other and to the origin, at rest along the x axis and let go, for 1 s.
//
// In the angles θ from the x axis, with i, j from 0 to N − 1,
//
//   Σ_j c_ij (cos(θ_i − θ_j) θ_j'' + sin(θ_i − θ_j) θ_j'²) + w_i g cos θ_i = 0,
//   c_ii = 1/3 + N − 1 − i,   c_ij = 1/2 + N − 1 − max(i, j),   w_i = 1/2 + N − 1 − i
#pragma once

#include <algorithm>
#include <vector>

namespace peers {

constexpr double chain_gravity = 9.81, chain_end = 1;

template <class T>
T chain_coupling(int rods, int i, int j) {
  const T beyond = static_cast<T>(rods - 1 - std::max(i, j));
  return beyond + (i == j ? T(1) / 3 : T(1) / 2);
}

// The angles at the end.
std::vector<double> chain_angles(int rods);

}  // namespace peers
