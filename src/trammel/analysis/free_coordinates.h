// Which coordinates determine the motion of a large mechanism, found without a basis of its free motions.
//
// Displacements of the bodies y and joint coordinates c are columns of one sparse system,
//
//   [ D   0 ] [ y ]
//   [ C  -I ] [ c ] = 0
//
// and what its elimination leaves free determines all the rest. Joint coordinates are solved for only where
// there is nothing else to solve for, so that they are what is left.
#pragma once

#include <vector>

#include "trammel/analysis/linearization_chart.h"

namespace trammel {

// The free ones of the candidates of mechanism_candidates(), ascending. D: the Jacobian of the constraints;
// its rows that are not active are left out.
std::vector<Index> free_coordinates(const SparseMatrix& D, const std::vector<char>& active,
                                    const ChartCandidates& candidates);

}  // namespace trammel
