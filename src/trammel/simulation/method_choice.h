// Which method suits a system, and why: `method: auto`.
//
// The formulation follows from the structure of the equations. How fast and how slow a system moves is told
// by the eigenvalues of its linearisation at the initial state; the reason given to the user is made from
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trammel/motion/equations.h"
#include "trammel/simulation/method.h"
#include "trammel/simulation/options.h"

namespace trammel {

// Instead of a method's name: it is chosen when the equations are known.
inline constexpr const char* automatic_method = "auto";

// Of a linearised system; rates in 1/s. What there is none of is zero.
struct EigenvalueSummary {
  double fastest_decay = 0;   // largest −Re
  double fastest_growth = 0;  // largest Re
  double slowest = 0;         // smallest modulus that is not zero
  double fastest = 0;         // largest modulus
  double highest_frequency_hz = 0;
  double least_damping = 0;  // smallest damping ratio of those that oscillate
  Index oscillating = 0, decaying = 0, growing = 0, zero = 0;  // modes; a pair counts once
  std::string fastest_is, slowest_is, fastest_decay_is;        // what moves in them

  // How many time scales apart: fastest against slowest.
  double spread() const { return slowest > 0 ? fastest / slowest : 1; }
  std::string report() const;
};

struct MethodChoice {
  Method method;
  Options options;
  // Of the options those that were set here, as (key, value).
  std::vector<std::pair<std::string, std::string>> options_set;
  std::string reason;
  std::optional<EigenvalueSummary> eigenvalues;  // none for large systems
};

// Options of `base` that were set by their keys stay as they are.
MethodChoice choose_method(EquationsOfMotion& equations, double t, const Vector& x, Options base = {});

}  // namespace trammel
