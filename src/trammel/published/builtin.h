// The built-in published problems: equations, initial values, parameters to set, and the reference solution
// where one is known, with the error criterion of its source.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trammel/mechanism/view_settings.h"
#include "trammel/motion/assembly.h"
#include "trammel/motion/equations.h"
#include "trammel/published/planar_drawing.h"
#include "trammel/result/trajectory.h"
#include "trammel/simulation/state_recorder.h"

namespace trammel {

class CartesianEquations;

struct ProblemParameter {
  std::string name;
  double value;  // default
  std::string description;
};

// How far an energy gets from its first value.
class EnergyDrift {
 public:
  void include(double energy);
  // Nothing before the first value.
  std::optional<double> largest() const { return has_first_ ? std::optional(largest_) : std::nullopt; }
  void carry(Carrier& carried) { carried(has_first_, first_, largest_); }

 private:
  bool has_first_ = false;
  double first_ = 0, largest_ = 0;
};

// One problem with its parameters fixed, ready to run.
struct ProblemCase {
  std::unique_ptr<EquationsOfMotion> equations;
  double t_start = 0;
  double t_end = 1;
  Vector x0;  // a guess: assembled before the run
  AssemblyOptions assembly;
  double rtol = 1e-6, atol = 1e-6;  // used if the user says nothing
  double h0 = 0;                    // 0: chosen by the integrator
  std::string method = "psf/radau5";
  std::vector<std::pair<std::string, std::string>> options;  // of the method, as (key, value)
  // Whether e = 0 is kept or only watched.
  bool enforce_invariants = false;
  // The error of x at time t as the source measures it, as a number of correct digits (−log10 of the error).
  // Nothing where no reference is known at that time.
  std::function<std::optional<double>(double t, const Vector& x)> digits;
  // The total energy, for problems without damping or drive whose source counts its drift.
  std::function<double(double t, const Vector& x)> energy;
  // The same equations, if they are those of bodies and joints; and how to look at these.
  MechanismEquations* mechanism = nullptr;
  ViewSettings view;
  // How to draw it otherwise, if it is planar. Points may use the unknowns and the columns computed here.
  PlanarDrawing drawing;
  std::vector<ComputedColumn> drawn_columns;

  // The error itself, where `digits` knows it; one below 1e-16 counts as 1e-16.
  std::optional<double> error(double t, const Vector& x) const;
  // How far the energy gets from that of the first sample; nothing without `energy`.
  std::optional<double> energy_drift(const Trajectory& trajectory) const;
};

struct BuiltinProblem {
  std::string name;
  std::string summary;   // one line
  std::string source;    // where it is published
  std::string error_is;  // what is counted as the error, against which reference; one line
  std::vector<ProblemParameter> parameters;
  // Throws std::invalid_argument for values that make no sense (a negative mass, 2.5 bodies).
  std::function<ProblemCase(const std::map<std::string, double>& values)> make;
  // The same problem without constraints, for formulations that refuse them; empty where there is no such form.
  std::function<ProblemCase(const std::map<std::string, double>& values)> make_ode = {};

  // The form of the problem that suits a formulation.
  ProblemCase make_for(const std::string& formulation, const std::map<std::string, double>& values) const;

  // All parameters with these values changed; throws std::invalid_argument naming the nearest valid name.
  std::map<std::string, double> values(const std::map<std::string, double>& changes) const;
};

const std::vector<BuiltinProblem>& builtin_problems();

// The problem of that name, or nullptr.
const BuiltinProblem* find_problem(const std::string& name);
// The problem of that name; throws std::invalid_argument that says "there is no (what)" and names the nearest.
const BuiltinProblem& named_problem(const std::string& name, const char* what = "problem");

// −log10 of an error; 16 for an error of zero.
double digits_of(double error);

// The problems, one maker per file.
BuiltinProblem pendulum_problem();
BuiltinProblem pendulum_energy_problem();
BuiltinProblem simple_pendulum_problem();
BuiltinProblem truck_problem();
BuiltinProblem andrews_problem();
BuiltinProblem chain_problem();
BuiltinProblem chaplygin_sleigh_problem();
BuiltinProblem knife_edge_problem();
BuiltinProblem doubled_four_bar_problem();
BuiltinProblem force_element_problem();
BuiltinProblem rolling_contact_problem();
BuiltinProblem double_pendulum_problem();
BuiltinProblem bushing_problem();
BuiltinProblem n_four_bar_problem();
BuiltinProblem bricard_problem();
BuiltinProblem heavy_top_problem();
BuiltinProblem slider_crank_problem();
BuiltinProblem spatial_four_bar_problem();
BuiltinProblem multiple_four_bar_problem();
BuiltinProblem skate_problem();
BuiltinProblem circular_track_problem();
BuiltinProblem stiff_spring_pendulum_problem();

}  // namespace trammel
