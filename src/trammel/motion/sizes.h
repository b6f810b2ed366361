// The numbers of unknowns and equations of the general equations of motion, and where each block stands in
// the state vector x = (p, v, r, w, s, λ, μ).
#pragma once

#include <string>
#include <vector>

#include "trammel/numerics/linear_algebra.h"

namespace trammel {

struct Sizes {
  Index positions = 0;                   // p
  Index velocities = same_as_positions;  // v
  Index force_states = 0;                // r: dynamic force elements
  Index auxiliaries = 0;                 // w
  Index contacts = 0;                    // s
  Index holonomic = 0;                   // g, λ
  Index nonholonomic = 0;                // H, μ
  Index invariants = 0;                  // e
  Index normalizations = 0;  // n: position level only, no multiplier (eᵀe = 1 of Euler parameters)

  static constexpr Index same_as_positions = -1;
};

// A contiguous range of x.
struct Block {
  Index begin = 0;
  Index size = 0;
  Index end() const { return begin + size; }
};

struct Layout {
  Block p, v, r, w, s, lambda, mu;
  Index invariants = 0;
  Index normalizations = 0;
  Index total = 0;

  Layout() = default;
  explicit Layout(const Sizes& sizes);
};

// What may be said of the equations to save work. Nothing said is the safe choice.
struct Structure {
  bool constant_mass = false;  // M does not depend on p or t
  bool diagonal_mass = false;  // M has no entries off its diagonal
  bool autonomous = false;     // nothing depends on t
};

// The user's own names, one for each unknown and each equation that can be spoken of. Missing ones are made
// up from the letters of the equations: p1, v1, g1, ...
struct Names {
  std::vector<std::string> p, v, r, w, s, lambda, mu;
  std::vector<std::string> g, h, c, d, e, n;

  // Fills in what is missing for these sizes.
  void complete(const Layout& layout);

  // The name of component i of x.
  std::string variable(const Layout& layout, Index i) const;
};

}  // namespace trammel
