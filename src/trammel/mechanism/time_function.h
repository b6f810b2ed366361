// Motions prescribed over time: expressions, as positions, velocities or accelerations.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "trammel/mechanism/elements.h"
#include "trammel/mechanism/expression.h"
#include "trammel/mechanism/mechanism.h"

namespace trammel {

// Of an expression of (t). A position gives itself and its derivatives; a velocity or an acceleration give a
// rate and its derivative, and no value. The rate of an acceleration starts at `initial_rate` at t = 0.
std::unique_ptr<TimeFunction> make_time_function(Driver::Level level, Expression motion,
                                                 double initial_rate = 0);

// The integral of an expression of (t), or of t times it, from 0, to round-off if it is smooth between its corners
// (time_corners.h): it is integrated from one to the next, so that no pulse is too short. It remembers the integral there and at
// regular times, so it must not be used by two threads at once.
class TimeIntegral {
 public:
  enum class Weight { one, time };

  explicit TimeIntegral(Expression integrand, Weight weight = Weight::one)
      : integrand_(std::move(integrand)), weight_(weight) {}
  double operator()(double t) const;

 private:
  void reach(double t) const;
  double piece(double from, double to) const;

  Expression integrand_;
  Weight weight_;
  // Regular times and corners, ascending, and the integral up to each of them.
  mutable std::vector<double> times_{0.0}, integrals_{0.0};
};

}  // namespace trammel
