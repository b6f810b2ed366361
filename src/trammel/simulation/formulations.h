// The formulations there are. Each is entered once, in formulations.cpp, with all that is known of it: what
// it is for, what it cannot treat, which integrators it goes with, its options, and how it is made.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trammel/formulation/motion_problem.h"
#include "trammel/simulation/equation_traits.h"
#include "trammel/simulation/option_member.h"
#include "trammel/simulation/options.h"

namespace trammel {

// Which levels of the constraints a formulation holds, and whether to round-off or to the tolerance.
struct HeldLevels {
  bool position = true, velocity = true, exactly = false;
};

struct Refusal {
  Trait trait;
  std::string reason;  // a sentence, with what to use instead
};

// An integrator that a formulation is offered with.
struct Pairing {
  std::string integrator;
  std::string when_to_use;  // one line
  // What `trammel compare` takes it for if no methods are named.
  std::vector<SystemKind> compared_on = {};
  // It tells how accurate a reference solution is.
  bool checks_references = false;
  // What `method: auto` takes it for, where the motion is not stiff and where it is; and the options that it
  // then sets unless the user has.
  std::vector<SystemKind> automatic_for = {}, automatic_when_stiff_for = {};
  std::vector<std::pair<std::string, std::string>> automatic_options = {};
  // It leaves constraints at a fraction of the tolerance, whatever the formulation does with others.
  bool holds_to_tolerance = false;
  // Options of this pair alone.
  std::vector<OptionMember> options = {};
  // Its problem, where that is not the one of the formulation.
  std::function<std::unique_ptr<MotionProblem>(EquationsOfMotion&, const Options&)> make = {};
};

struct FormulationEntry {
  std::string name;
  std::string what_it_is;  // one line

  // What it gives an integrator: x' as a function of x; solves with σE − J.
  bool gives_rates = false, gives_solves = true;
  // It is of second order in time for integrators that are made for that.
  bool gives_second_order = false;
  // Redundant constraints give it more equations than unknowns.
  bool has_more_equations = false;
  int index = 1;

  // It cannot treat these.
  std::vector<Refusal> refuses = {};
  // Nor these by an integrator that needs rates.
  std::vector<Refusal> rates_refuse = {};
  // Its matrices are dense, whatever the equations.
  bool is_dense = false;
  // It can keep invariants, if Options::psf says so.
  bool keeps_invariants = false;

  std::vector<OptionMember> options = {};
  std::vector<Pairing> pairings;

  std::function<HeldLevels(const Options&)> held;
  // What is wrong with its options.
  std::function<Failure(const Options&)> check;
  std::function<std::unique_ptr<MotionProblem>(EquationsOfMotion&, const Options&)> make;

  bool refuses_trait(Trait trait) const;
  // Which constraints it holds by default, in words.
  std::string holds() const;
};

const std::vector<FormulationEntry>& formulations();
// Null if there is none of that name.
const FormulationEntry* find_formulation(const std::string& name);

}  // namespace trammel
