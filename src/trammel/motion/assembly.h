// Assembly: the consistent state nearest to a guess.
//
// A state is consistent if it satisfies (d)-(g), gᴵ, gᴵᴵ and hᴵ of the equations of motion. Positions and
// contact coordinates are found first (c, g), then velocities (gᴵ, h), then accelerations, multipliers and
// auxiliary variables. Each level changes its unknowns as little as possible in a weighted norm, by
// Gauss-Newton steps that pass redundant equations as damped least squares. Which equations depend on others
// is decided where the assembly has come to. What is consistent already is not touched, to the last bit.
//
// All of it works on the tangent motion (tangent_motion.h), sparse: the cost grows with the number of bodies,
// and the diagnosis is the same for mechanisms and for a user's own equations.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trammel/motion/equations.h"
#include "trammel/motion/point.h"
#include "trammel/numerics/dual.h"
#include "trammel/numerics/failure.h"

namespace trammel {

// A condition on the initial state besides the constraints: "p1 + p2 = 0", "this angular speed". Made from a
// generic function of the state, so that its derivative is exact:
//
//   Condition::on_positions("deviation 45°", [](const auto& x) { return x.p[0] + x.p[1]; })
//   Condition::on_velocities("angular speed", [](const auto& x) { return x.v[0] - 2.0; })
class Condition {
 public:
  enum class Level { position, velocity };
  static constexpr int width = 8;
  using Number = Dual<double, width>;

  template <class Function>
  static Condition on_positions(std::string name, Function function) {
    return Condition(std::move(name), Level::position, std::move(function));
  }
  template <class Function>
  static Condition on_velocities(std::string name, Function function) {
    return Condition(std::move(name), Level::velocity, std::move(function));
  }

  // From a function that gives the residual and adds up its own gradient by x, which is zero before.
  using Gradient =
      std::function<double(double t, const VectorIn& x, Eigen::Ref<Eigen::RowVectorXd> gradient)>;
  static Condition with_gradient(std::string name, Level level, Gradient function) {
    Condition condition(std::move(name), level, nullptr);
    condition.gradient_ = std::move(function);
    return condition;
  }

  const std::string& name() const { return name_; }
  Level level() const { return level_; }

  // The residual, and its derivative with respect to x.
  double evaluate(const Layout& layout, double t, const VectorIn& x,
                  Eigen::Ref<Eigen::RowVectorXd> gradient) const;

 private:
  template <class Function>
  Condition(std::string name, Level level, Function function)
      : name_(std::move(name)), level_(level), function_(std::move(function)) {}

  std::string name_;
  Level level_;
  std::function<Number(const Point<Number>&)> function_;
  Gradient gradient_;
};

struct AssemblyOptions {
  // A residual counts as zero below this, measured as the change of the unknowns that would cure it, relative
  // to 1 + their size.
  double tolerance = 1e-12;
  int max_iterations = 60;
  double rank_tolerance = 1e-9;
  // How firmly to keep each component of x (1 = ordinary, larger = keep more, 0 = free to move). Empty:
  // all 1.
  Vector weights;
  std::vector<Condition> conditions;
  // A better guess of the velocities, made when the positions are found (initial_velocities.h); what it
  // returns is for the user to know.
  std::function<std::string(double t, Vector& x)> guess_velocities;
  // What constraints that depend on others may be off by, relative to the size of the whole (closure.h).
  double closure_tolerance = 1e-5;
  // Meet e = 0 too, by changing velocities.
  bool meet_invariants = true;
};

struct AssemblyReport {
  Failure failure;
  bool changed = false;
  int iterations = 0;
  Index position_rank =
      0;  // of ∂(c,g)/∂(p,s), conditions not counted, less the number of contact coordinates
  Index velocity_rank = 0;  // of [GZ; HZ]
  Index degrees_of_freedom = 0;
  std::vector<std::string> redundant;             // constraints that depend on the others
  std::vector<std::string> redundant_conditions;  // conditions that the constraints or other conditions imply
  std::string largest_change;                     // "x by 0.01", empty if nothing changed
  std::string note;                               // of guess_velocities
  Vector accelerations;
  // How well the constraints could be closed, relative to the size of the whole; round-off unless constraints
  // that depend on others fit only roughly.
  double closed_within = 0;
};

class TangentMotion;

class Assembly {
 public:
  // The equations, or the motion, must outlive this. A motion that is being followed knows the turns of its
  // angles.
  explicit Assembly(EquationsOfMotion& equations, AssemblyOptions options = {});
  explicit Assembly(TangentMotion& motion, AssemblyOptions options = {});
  ~Assembly();

  // Makes x consistent at t. On failure x holds the best state found.
  AssemblyReport run(double t, Vector& x);

  // Only the positions and velocities back onto their constraints, with multipliers to match: what an
  // interpolated state needs. No conditions, no diagnosis of redundancy. What depends on the equations alone
  // is kept from call to call.
  Failure project(double t, VectorOut x);
  // Called after every accepted step, as that of the motion.
  void follow(double t, const VectorIn& x);

 private:
  struct Work;  // levels and accelerations, for run() or for project()
  Assembly(std::unique_ptr<TangentMotion> own, TangentMotion* motion, AssemblyOptions options);
  Failure check(const Vector& x) const;
  Failure guarded(double t, const std::function<Failure()>& action) const;
  Failure find(double t, Vector& x, Vector& guess, AssemblyReport& report);
  void name_dependent(const std::vector<Index>& rows, AssemblyReport& report) const;
  bool settle(double t, Vector& x) const;
  std::string largest_change(const Vector& from, const Vector& to) const;

  std::unique_ptr<TangentMotion> own_;
  TangentMotion& motion_;
  AssemblyOptions options_;
  std::unique_ptr<Work> start_, projection_;
};

}  // namespace trammel
