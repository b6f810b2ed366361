#include "trammel/analysis/mobility.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "trammel/analysis/constraint_kernel.h"
#include "trammel/analysis/free_coordinates.h"
#include "trammel/analysis/linearization_chart.h"
#include "trammel/analysis/mobility_connections.h"
#include "trammel/motion/mechanism_motion.h"
#include "trammel/motion/sparse_kkt.h"

namespace trammel {

namespace {

// Names in the order in which they first came.
class DistinctNames {
 public:
  void add(const std::string& name) {
    if (seen_.insert(name).second) names_.push_back(name);
  }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::unordered_set<std::string> seen_;
  std::vector<std::string> names_;
};

// What the owners of equations are, by their names.
std::unordered_map<std::string, std::string> kinds_of_owners(const Mechanism& mechanism) {
  std::unordered_map<std::string, std::string> kinds;
  for (const Joint& joint : mechanism.joints) kinds.emplace(joint.name, name(joint.type));
  for (const Coupler& coupler : mechanism.couplers) kinds.emplace(coupler.name, "coupler");
  for (const Driver& driver : mechanism.drivers) kinds.emplace(driver.name, "driver");
  return kinds;
}

// Some of every freedom, differently each time.
Vector some_of_each(Index freedom, int direction) {
  Vector y(freedom);
  for (Index i = 0; i < freedom; ++i) y[i] = std::cos(1.7 * static_cast<double>((direction + 1) * (i + 1)));
  return y;
}

class MobilityStudy {
 public:
  MobilityStudy(EquationsOfMotion& equations, double t, const Vector& x, const MobilityOptions& options)
      : options_(options), t_(t), x_(x), motion_(equations), rest_(Vector::Zero(equations.layout().v.size)) {
    mechanism_ = equations.of_mechanism();
    if (rotates_bodies(equations)) bodies_ = mechanism_->mechanism_motion();
    names_ = equations.names().g;
    names_.insert(names_.end(), equations.names().h.begin(), equations.names().h.end());
  }

  Failure run(Mobility& result) {
    if (Failure failure = count(result)) return failure;
    list_owners(result);
    find_dependencies(result);
    name_coordinates(result);
    if (bodies_ != nullptr) find_locked(result);
    look_near_by(result);
    warn_of_weakness(result);
    if (mechanism_ != nullptr)
      for (const std::string& warning : unconnected_bodies(*mechanism_)) result.warnings.push_back(warning);
    return {};
  }

 private:
  Failure count(Mobility& result);
  void list_owners(Mobility& result) const;
  void find_dependencies(Mobility& result);
  void name_coordinates(Mobility& result);
  std::vector<Index> best_coordinates(const ChartCandidates& candidates);
  void find_locked(Mobility& result);
  MeasuredSlopes measured_at(const Vector& x) {
    bodies_->set_state(t_, x, rest_);
    return bodies_->measured_slopes();
  }
  SparseMatrix without_drivers(const SparseMatrix& jacobian) const;
  void look_near_by(Mobility& result);
  double look_around() const;
  bool step_aside(ConstraintKernel& kernel, int direction, Vector& x);
  bool project(const std::vector<char>& active, Vector& x);
  void warn_of_weakness(Mobility& result);

  const MobilityOptions& options_;
  const double t_;
  const Vector& x_;
  DisplacedMotion motion_;
  const Vector rest_;
  MechanismEquations* mechanism_ = nullptr;
  std::unique_ptr<MechanismMotion> bodies_;  // where its displacements are those of bodies
  std::vector<std::string> names_;           // of all rows
  ConstraintKernel kernel_, position_kernel_;
  SparseMatrix jacobian_;
};

Failure MobilityStudy::count(Mobility& result) {
  const Layout& layout = motion_.layout();
  if (Failure failure = motion_.differentiate(t_, x_, rest_)) return failure;
  jacobian_ = motion_.slopes().jacobian;
  const SparseMatrix holonomic = jacobian_.topRows(layout.lambda.size);
  if (!kernel_.factor(jacobian_, options_.rank_tolerance) ||
      !position_kernel_.factor(holonomic, options_.rank_tolerance))
    return {Reason::not_finite, fmt::format("the constraint Jacobian is not finite at t = {}", t_)};
  if (mechanism_ != nullptr) result.bodies = static_cast<Index>(mechanism_->mechanism().bodies.size()) - 1;
  result.velocities = layout.v.size;
  result.equations = motion_.constraints();
  result.grubler = result.velocities - result.equations;
  result.degrees_of_freedom = result.degrees_of_freedom_near_by = kernel_.freedom();
  result.position_freedom = position_kernel_.freedom();
  result.regularity = kernel_.decision().regularity();
  for (const Index row : kernel_.decision().redundant_rows())
    result.redundant.push_back(names_[static_cast<std::size_t>(row)]);
  return {};
}

void MobilityStudy::list_owners(Mobility& result) const {
  const std::unordered_map<std::string, std::string> kinds =
      mechanism_ != nullptr ? kinds_of_owners(mechanism_->mechanism())
                            : std::unordered_map<std::string, std::string>();
  std::unordered_map<std::string, std::size_t> places;
  DistinctNames redundant_joints;
  for (std::size_t row = 0; row < names_.size(); ++row) {
    const std::string owner = owner_of(names_[row]);
    const auto [place, is_new] = places.emplace(owner, result.owners.size());
    if (is_new) {
      const auto kind = kinds.find(owner);
      result.owners.push_back({owner, kind == kinds.end() ? "" : kind->second, {}, {}});
    }
    ConstraintOwner& found = result.owners[place->second];
    found.equations.push_back(names_[row]);
    if (kernel_.active()[row]) continue;
    found.redundant.push_back(names_[row]);
    redundant_joints.add(owner);
  }
  result.redundant_joints = redundant_joints.take();
}

// A redundant row is a combination of the active ones: those that take part imply it.
void MobilityStudy::find_dependencies(Mobility& result) {
  const SparseMatrix transposed = jacobian_.transpose();
  for (const Index row : kernel_.decision().redundant_rows()) {
    if (static_cast<Index>(result.dependencies.size()) == options_.most_dependencies) break;
    const Vector part = kernel_.multipliers(Matrix(transposed.col(row)));
    const double largest = part.size() > 0 ? part.cwiseAbs().maxCoeff() : 0.0;
    DistinctNames implied_by;
    for (Index i = 0; i < part.size(); ++i)
      if (std::abs(part[i]) > 1e-6 * largest) implied_by.add(owner_of(names_[static_cast<std::size_t>(i)]));
    result.dependencies.push_back({names_[static_cast<std::size_t>(row)], implied_by.take()});
  }
  result.dependencies_left_out =
      static_cast<Index>(kernel_.decision().redundant_rows().size() - result.dependencies.size());
}

void MobilityStudy::name_coordinates(Mobility& result) {
  if (kernel_.freedom() == 0) return;
  const bool chart = bodies_ != nullptr;
  const ChartCandidates candidates =
      chart ? mechanism_candidates(*mechanism_, *bodies_, measured_at(x_))
            : plain_candidates(motion_.equations(), motion_.position_slopes(t_, x_));
  for (const Index i : chart&& result.velocities > options_.many_velocities
                           ? free_coordinates(jacobian_, kernel_.active(), candidates)
                           : best_coordinates(candidates))
    result.free_coordinates.push_back(candidates.positions.names[static_cast<std::size_t>(i)]);
}

std::vector<Index> MobilityStudy::best_coordinates(const ChartCandidates& candidates) {
  const Matrix& N = kernel_.basis();
  // orthonormal in the mass, where there is one
  Matrix basis = N;
  const Eigen::LLT<Matrix> inertia(Matrix(N.transpose() * (motion_.slopes().mass * N)));
  if (inertia.info() == Eigen::Success) basis = inertia.matrixU().solve<Eigen::OnTheRight>(N);
  return independent_rows(candidates.positions.pose, candidates.position_preference, basis);
}

SparseMatrix MobilityStudy::without_drivers(const SparseMatrix& jacobian) const {
  const Index holonomic = motion_.layout().lambda.size;
  std::vector<char> drives(static_cast<std::size_t>(jacobian.rows()), 0);
  const auto mark = [&](Index first, Index count) {
    for (Index row = first; row < first + count; ++row) drives[static_cast<std::size_t>(row)] = 1;
  };
  for (const Elements::JointRows& rows : mechanism_->elements().driver_rows) {
    if (rows.count > 0) mark(mechanism_->row_of(rows.first), rows.count);
    mark(holonomic + rows.first_nonholonomic, rows.count_nonholonomic);
  }
  SparseMatrix released = jacobian;
  released.prune([&](Index row, Index, double) { return !drives[static_cast<std::size_t>(row)]; });
  return released;
}

// Coordinates whose gradient vanishes on all motions, here and near by: at a dead centre it vanishes only
// there.
void MobilityStudy::find_locked(Mobility& result) {
  const std::vector<JointCoordinate>& coordinates = mechanism_->elements().coordinates;
  std::vector<char> still(coordinates.size(), 1);
  // a motion with some of every freedom moves all that can move, but for accidents, which do not repeat
  const auto sieve = [&](const Vector& x, ConstraintKernel& kernel) {
    if (kernel.freedom() == 0) return;
    const SparseMatrix slopes = measured_at(x).jacobian;
    for (int direction = 0; direction < 3; ++direction) {
      const Vector q = kernel.motion(some_of_each(kernel.freedom(), direction));
      const Vector seen = slopes * q;
      for (std::size_t i = 0; i < coordinates.size(); ++i)
        if (std::abs(seen[coordinates[i].row]) > 1e-7 * q.lpNorm<Eigen::Infinity>()) still[i] = 0;
    }
  };
  ConstraintKernel released;
  if (!released.factor(without_drivers(jacobian_), options_.rank_tolerance)) return;
  sieve(x_, released);
  if (released.freedom() > 0) {
    Vector x;
    ConstraintKernel there;
    if (!step_aside(released, 0, x) ||
        !there.factor(without_drivers(motion_.slopes().jacobian), options_.rank_tolerance))
      return;
    sieve(x, there);
  }
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (still[i]) result.locked.push_back(coordinates[i].name);
}

// Onto the active constraints, by the shortest way.
bool MobilityStudy::project(const std::vector<char>& active, Vector& x) {
  const Index holonomic = motion_.layout().lambda.size;
  SparseMatrix weight(rest_.size(), rest_.size());
  weight.setIdentity();
  for (int iteration = 0; iteration < 15; ++iteration) {
    if (motion_.settle(t_, x) || motion_.evaluate(t_, x, rest_, part::g | part::n) ||
        motion_.differentiate(t_, x, rest_, DisplacedMotion::Wanted::jacobian))
      return false;
    Vector by = rest_, lower = Vector::Zero(motion_.constraints());
    lower.head(holonomic) = -motion_.values().g;
    SparseKkt kkt;
    if (!kkt.factor(weight, motion_.slopes().jacobian, active)) return false;
    kkt.solve(by, lower);
    if (!by.allFinite() || motion_.move(t_, by, x)) return false;
    const double normal =
        motion_.layout().normalizations > 0 ? motion_.values().n.lpNorm<Eigen::Infinity>() : 0;
    if (std::max(by.lpNorm<Eigen::Infinity>(), normal) <= 1e-13 * (1 + x.lpNorm<Eigen::Infinity>()))
      return motion_.differentiate(t_, x, rest_, DisplacedMotion::Wanted::jacobian).reason == Reason::none;
  }
  return false;
}

// A little way in directions that the constraints allow here, and back onto the independent ones. The
// Jacobian there is at hand afterwards.
bool MobilityStudy::step_aside(ConstraintKernel& kernel, int direction, Vector& x) {
  Vector y = some_of_each(kernel.freedom(), direction);
  // where that is cheap, as much of a freedom that moves little as of one that moves much
  if (rest_.size() <= options_.many_velocities)
    y.array() /= kernel.basis().colwise().norm().transpose().array();
  Vector q = kernel.motion(y);
  q *= look_around() / q.lpNorm<Eigen::Infinity>();
  x = x_;
  return !motion_.move(t_, q, x) && project(kernel.active(), x);
}

double MobilityStudy::look_around() const {
  if (mechanism_ != nullptr) return options_.look_around;
  return options_.look_around * std::max(x_.head(motion_.layout().p.end()).cwiseAbs().maxCoeff(), 1e-3);
}

// Asks for the rank again near by: what always depends on the others still does.
void MobilityStudy::look_near_by(Mobility& result) {
  if (result.redundant.empty() || kernel_.freedom() == 0) return;
  const double size = look_around();
  for (int direction = 0; direction < 3; ++direction) {
    Vector x;
    if (!step_aside(kernel_, direction, x)) continue;
    ConstraintKernel there;
    // what is left of a dependence that is there is far below what moving by this much makes of one that is
    // not
    if (!there.factor(motion_.slopes().jacobian, std::max(options_.rank_tolerance, 1e-3 * size * size)))
      continue;
    if (there.rank() <= kernel_.rank()) continue;
    result.singular = true;
    result.degrees_of_freedom_near_by = there.freedom();
    result.warnings.push_back(fmt::format(
        "this is a singular position: {} of the equations depend on the others only here, near by the "
        "mechanism has {} degrees of freedom instead of {}. Start a simulation elsewhere",
        there.rank() - kernel_.rank(), there.freedom(), kernel_.freedom()));
    return;
  }
}

// The combination of equations that holds least.
void MobilityStudy::warn_of_weakness(Mobility& result) {
  if (result.regularity >= options_.nearly_singular || kernel_.rank() == 0) return;
  SparseMatrix weight(rest_.size(), rest_.size());
  weight.setIdentity();
  SparseKkt kkt;
  DistinctNames weak;
  if (kkt.factor(weight, jacobian_, kernel_.active())) {
    Vector y = Vector::Ones(jacobian_.rows());
    for (int iteration = 0; iteration < 4; ++iteration) {
      Vector upper = rest_;
      y.normalize();
      kkt.solve(upper, y);
    }
    for (Index i = 0; i < y.size() && y.allFinite(); ++i)
      if (std::abs(y[i]) > 0.3 * y.lpNorm<Eigen::Infinity>())
        weak.add(owner_of(names_[static_cast<std::size_t>(i)]));
  }
  result.warnings.push_back(
      fmt::format("the equations of {} are nearly dependent here (regularity {:.1e}): the mechanism is close "
                  "to a singular "
                  "position, and forces in it may be very large",
                  fmt::join(weak.take(), ", "), result.regularity));
}

}  // namespace

Mobility find_mobility(EquationsOfMotion& equations, double t, const Vector& x,
                       const MobilityOptions& options) {
  Mobility result;
  if (x.size() != equations.layout().total) {
    result.failure = {Reason::invalid_model,
                      fmt::format("the state has {} entries, the equations have {} unknowns", x.size(),
                                  equations.layout().total)};
    return result;
  }
  // every joint is to be heard, those too whose coordinates these are
  if (const EquationsOfMotion::EveryJoint every = equations.with_every_joint(t, x); every.equations)
    return find_mobility(*every.equations, t, every.x, options);
  try {
    result.failure = MobilityStudy(equations, t, x, options).run(result);
  } catch (const std::exception& error) {
    result.failure = {Reason::user_function_failed,
                      fmt::format("a function of the equations failed at t = {}: {}", t, error.what())};
  }
  return result;
}

std::string Mobility::report() const {
  if (failure) return failure.message + "\n";
  std::string text;
  if (bodies > 0) text += fmt::format("{} {}, ", bodies, bodies == 1 ? "body" : "bodies");
  text += fmt::format("{} velocities, {} equations\n", velocities, equations);
  text += fmt::format("degrees of freedom: {} (counted after Grübler: {})\n", degrees_of_freedom, grubler);
  if (position_freedom != degrees_of_freedom)
    text += fmt::format("positions that rolling can reach: {} dimensions\n", position_freedom);
  if (!free_coordinates.empty()) text += fmt::format("moved by: {}\n", fmt::join(free_coordinates, ", "));
  if (!locked.empty()) text += fmt::format("cannot move: {}\n", fmt::join(locked, ", "));
  for (const RedundantEquation& dependent : dependencies)
    text += dependent.implied_by.empty()
                ? fmt::format("redundant: {}, which no motion violates\n", dependent.equation)
                : fmt::format("redundant: {} follows from the equations of {}\n", dependent.equation,
                              fmt::join(dependent.implied_by, ", "));
  if (dependencies_left_out > 0)
    text += fmt::format(
        "redundant: {} more equations follow from others; what they follow from was looked up for the first "
        "{} "
        "only\n",
        dependencies_left_out, dependencies.size());
  for (const std::string& warning : warnings) text += fmt::format("warning: {}\n", warning);
  return text;
}

}  // namespace trammel
