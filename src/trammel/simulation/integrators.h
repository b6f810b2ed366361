// The integrators there are. Each is entered once, in integrators.cpp.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trammel/integrator/integrator.h"
#include "trammel/simulation/option_member.h"
#include "trammel/simulation/options.h"

namespace trammel {

struct IntegratorEntry {
  std::string name;
  std::string what_it_is;   // one line
  std::string when_to_use;  // one line

  // What it asks of a formulation: x' as a function of x; solves with σE − J.
  bool needs_rates = false, needs_solves = true;
  // Or that it is of second order in time.
  bool needs_second_order = false;
  // It takes no more equations than unknowns.
  bool needs_square_systems = false;
  int highest_index = 3;
  // It looks at the ends of its steps only.
  bool is_multistep = false;

  std::vector<OptionMember> options = {};

  // What is wrong with its options and tolerances, for n unknowns.
  std::function<Failure(const Options&, Index n)> check = {};
  // Null if the problem is not of a kind that it integrates.
  std::function<std::unique_ptr<Integrator>(Problem&, const Options&)> make = {};
};

const std::vector<IntegratorEntry>& integrators();
// Null if there is none of that name.
const IntegratorEntry* find_integrator(const std::string& name);

}  // namespace trammel
