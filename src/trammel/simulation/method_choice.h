// Which method suits a system, and why: `method: auto` (docs/automatic-method.md).
//
// Formulations follow from the structure of the equations. Whether the motion is stiff shows while it goes on: a run
// begins with a method for what is not, and changes when it is (method_watch.h). What the eigenvalues of the
// linearisation at the initial state promise is told to who asks beforehand (`trammel check`).
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

// What they mean for a run that lasts so long, in words.
std::string describe_speed(const EigenvalueSummary& summary, double duration);
// At a state of the equations; none for large systems, and where they cannot be found.
std::optional<EigenvalueSummary> eigenvalue_summary(EquationsOfMotion& equations, double t, const Vector& x);

struct MethodChoice {
  Method method;                     // to begin with
  std::optional<Method> when_stiff;  // what it changes to, and back from; none: there is no change
  Options options;
  // Of the options those that were set here, as (key, value).
  std::vector<std::pair<std::string, std::string>> options_set;
  std::string reason;
};

// Options of `base` that were set by their keys stay as they are; one that only one of the methods has decides for
// that.
MethodChoice choose_method(const EquationsOfMotion& equations, Options base = {});
// Whether all methods that it may come to have an option.
bool automatic_methods_have(const std::string& key);

}  // namespace trammel
