// Where a Jacobian may have entries, and which of its columns can be found together.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "trammel/numerics/differentiation/operation_graph.h"

namespace trammel {

// By rows, columns ascending.
struct JacobianPattern {
  int rows = 0, columns = 0;
  std::vector<int> begin{0};  // of each row, and the end of the last
  std::vector<int> column;

  static JacobianPattern full(int rows, int columns);
  std::size_t entries() const { return column.size(); }
  std::span<const int> row(int i) const {
    const auto first = static_cast<std::size_t>(begin[static_cast<std::size_t>(i)]);
    return {column.data() + first, static_cast<std::size_t>(begin[static_cast<std::size_t>(i) + 1]) - first};
  }
};

// By the dependencies in a recording, of the first `columns` inputs: an entry that is not there is zero everywhere.
JacobianPattern pattern_of(const RecordedFunction& function, int columns);

// By evaluations only: an input that is made a NaN shows in all outputs that depend on it, unless it only decides. One evaluation
// for each input.
using PlainFunction = std::function<void(std::span<const double>, std::span<double>)>;
JacobianPattern pattern_by_probing(const PlainFunction& function, std::span<const double> x, int rows);

// Columns of the same colour have no row in common. Columns are taken smallest-last: the one with the fewest neighbours among
// those left goes last, and each gets the first colour that its neighbours leave free.
struct Colouring {
  int colours = 0;
  std::vector<int> of_column;
};
Colouring colour_columns(const JacobianPattern& pattern);

// A picture: one square for each entry. Large patterns are drawn coarser.
std::string pattern_svg(const JacobianPattern& pattern, const std::string& title);

}  // namespace trammel
