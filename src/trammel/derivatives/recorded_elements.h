// Elements of a mechanism (mechanism/elements.h), recorded: kernels called with Traced numbers, branches element by element.
#pragma once

#include <vector>

#include "trammel/mechanism/elements.h"
#include "trammel/numerics/differentiation/traced.h"

namespace trammel {

// What elements are given.
struct RecordedBodies {
  std::vector<BodyMotion<Traced>> bodies;  // bodies[0] is the ground
  Traced t;
  std::vector<Traced> states, multipliers, nonholonomic_multipliers;
  std::vector<Traced> motions;  // of given_motions()
};

// Prescribed motions that are no formula, but the integral of one or a user's own: their values, or rates, are inputs.
struct GivenMotion {
  const RowSystem::Driven* driven;
  std::string name;
  int level;  // 0: its value counts, 1: its rate

  double at(double t) const;
};
std::vector<GivenMotion> given_motions(const Elements& elements);

// A row of Elements::measured whose value and rate are known otherwise: a coordinate.
struct KnownRow {
  Traced value, rate;
  bool is_known = false;
};

class RecordedElements {
 public:
  // Both must outlive this. `known`: of each row of Elements::measured.
  RecordedElements(const Elements& elements, const RecordedBodies& at, const std::vector<KnownRow>& known);

  // Of forces on each body, without weight and constraints. Throws RecordingError, with the name of the element, for what
  // cannot be recorded.
  std::vector<Wrench<Traced>> wrenches() const;
  // Rows of holonomic constraints. Those that are not wanted are zero.
  std::vector<Traced> holonomic(const std::vector<char>& wanted) const;
  // Of nonholonomic ones.
  std::vector<Traced> nonholonomic() const;
  std::vector<Traced> state_rates() const;

 private:
  void measure(const std::vector<KnownRow>& known);
  void subtract_motions(const RowSystem& system, int level, std::vector<Traced>& rows) const;

  const Elements& elements_;
  const RecordedBodies& at_;
  std::vector<Traced> inputs_;
};

}  // namespace trammel
