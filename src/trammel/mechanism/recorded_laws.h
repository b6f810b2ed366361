// Laws of a mechanism as they are recorded (numerics/differentiation/traced.h): formulas, tables, road profiles, and the inputs
// of force elements, whose time is recorded too.
#pragma once

#include "trammel/mechanism/expression.h"
#include "trammel/mechanism/force_block.h"
#include "trammel/mechanism/road_profile.h"
#include "trammel/numerics/differentiation/traced.h"

namespace trammel {

template <>
struct ForceInputs<Traced> {
  Traced t;
  std::span<const Traced> values;
  Switches switches = {};  // none: a recording has all branches
};

// Both sides of a condition are recorded.
template <>
Traced Expression::evaluate(std::span<const Traced> inputs, const Switches& switches) const;

template <>
RoadProfile::HeightAndSlope<Traced> RoadProfile::operator()(const Traced& x, int index,
                                                            const Switches& switches) const;

}  // namespace trammel
