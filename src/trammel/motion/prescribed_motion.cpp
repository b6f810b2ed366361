#include "trammel/motion/prescribed_motion.h"

#include <algorithm>
#include <cmath>

#include "trammel/motion/multipliers_in_laws.h"
#include "trammel/motion/prescribed_tangent.h"
#include "trammel/numerics/sparse_partition.h"

namespace trammel {

namespace {

constexpr double full_turn = 2 * 3.14159265358979323846;

// The places that are not marked.
std::vector<Index> others(Index count, const std::vector<Index>& marked) {
  std::vector<Index> result;
  for (Index i = 0; i < count; ++i)
    if (std::find(marked.begin(), marked.end(), i) == marked.end()) result.push_back(i);
  return result;
}

template <class Coordinates, class Member>
std::vector<Index> places(const Coordinates& coordinates, Member member) {
  std::vector<Index> result;
  for (const auto& coordinate : coordinates) result.push_back(coordinate.*member);
  return result;
}

const TimeFunction* function_of(const RowSystem& system, Index row) {
  for (const RowSystem::Driven& driven : system.driven)
    if (driven.row == row) return driven.function.get();
  return nullptr;
}

}  // namespace

// The value of an acceleration is ∫∫ a = t ∫ a − ∫ s a(s) ds.
Taylor<double> PrescribedMotion::Coordinate::at(double t) const {
  Taylor<double> result = (*function)(t);
  if (level == 1) result.value = (*integral)(t);
  if (level == 2) result.value = initial_rate * t + t * (*integral)(t) - (*moment)(t);
  return result;
}

Taylor<double> PrescribedMotion::value(std::size_t i, double t) const {
  Taylor<double> result = coordinates_[i].at(t);
  result.value += offsets_[i];
  return result;
}

// --- which drivers ----------------------------------------------------------------------------------------

// Drivers of coordinates that have the name of one of the tree's.
std::vector<PrescribedMotion::Coordinate> PrescribedMotion::candidates(const JointEquations& joint) {
  const Elements& elements = joint.elements();
  const Mechanism& mechanism = joint.mechanism();
  const std::vector<std::string> names = joint.tree().position_names(mechanism);
  const MultipliersInLaws used(elements);
  std::vector<Coordinate> result;
  for (std::size_t i = 0; i < mechanism.drivers.size(); ++i) {
    const Elements::JointRows& rows = elements.driver_rows[i];
    const bool is_holonomic = rows.count > 0;
    Coordinate coordinate;
    coordinate.driver = mechanism.drivers[i].name;
    coordinate.row = is_holonomic ? rows.first : rows.first_nonholonomic;
    const RowSystem& system = is_holonomic ? elements.holonomic : elements.nonholonomic;
    coordinate.function = function_of(system, coordinate.row);
    if (coordinate.function == nullptr) continue;
    if (is_holonomic ? used.holonomic(coordinate.row) : used.nonholonomic(coordinate.row)) continue;
    if (!is_holonomic) {
      const TimeFunction::Formula formula = coordinate.function->formula();
      if (formula.expression == nullptr || formula.level == 0) continue;
      coordinate.level = formula.level;
      coordinate.integral = std::make_shared<TimeIntegral>(*formula.expression);
      if (formula.level == 2)
        coordinate.moment = std::make_shared<TimeIntegral>(*formula.expression, TimeIntegral::Weight::time);
      coordinate.initial_rate = (*coordinate.function)(0.0).first;
    }
    const auto node =
        std::find_if(joint.tree().nodes().begin(), joint.tree().nodes().end(), [&](const auto& one) {
          return !one.is_ball() && names[at_index(one.p)] == mechanism.drivers[i].coordinate;
        });
    if (node == joint.tree().nodes().end()) continue;
    coordinate.p = node->p;
    coordinate.v = node->v;
    coordinate.turns = node->turns();
    result.push_back(std::move(coordinate));
  }
  return result;
}

// Those whose equation is "this coordinate is a function of time" and nothing else, wherever the mechanism is.
void PrescribedMotion::keep_true(JointEquations& joint, double t, const VectorIn& x,
                                 std::vector<Coordinate>& from) {
  const Layout& l = joint.layout();
  JointMotion motion(joint);
  const Vector rest = Vector::Zero(l.v.size);
  for (const double shift : {0.0, 0.3}) {
    Vector moved = x;
    for (Index i = 0; i < l.p.size; ++i)
      moved[l.p.begin + i] += shift * std::sin(1.3 * static_cast<double>(i + 1));
    motion.differentiate({t, moved, rest}, TangentMotion::jacobian);
    const SparseMatrix& D = motion.slopes().jacobian;
    std::erase_if(from, [&](const Coordinate& coordinate) {
      const Index row = coordinate.is_holonomic() ? joint.row_of(coordinate.row)
                                                  : l.lambda.size + joint.nonholonomic_row_of(coordinate.row);
      bool is_true = D.coeff(row, coordinate.v) == 1 || std::abs(D.coeff(row, coordinate.v) - 1) < 1e-12;
      for_entries(D, [&](Index at, Index column, double value) {
        if (at == row && column != coordinate.v && std::abs(value) > 1e-12) is_true = false;
      });
      return !is_true;
    });
  }
  std::erase_if(from, [&](const Coordinate& coordinate) {
    const Taylor<double> wanted = coordinate.at(t);
    if (!std::isfinite(wanted.value)) return true;
    if (!coordinate.is_holonomic()) return false;
    const double off = x[l.p.begin + coordinate.p] - wanted.value;
    return !(std::abs(coordinate.turns ? std::remainder(off, full_turn) : off) <= 1e-6);
  });
}

std::unique_ptr<PrescribedMotion> PrescribedMotion::find(JointEquations& joint, double t, const VectorIn& x) {
  std::vector<Coordinate> coordinates = candidates(joint);
  if (coordinates.empty()) return nullptr;
  keep_true(joint, t, x, coordinates);
  if (coordinates.empty() || static_cast<Index>(coordinates.size()) == joint.layout().v.size) return nullptr;
  return std::unique_ptr<PrescribedMotion>(new PrescribedMotion(joint, std::move(coordinates), t, x));
}

// --- what is left -----------------------------------------------------------------------------------------

std::unique_ptr<JointEquations> PrescribedMotion::without(const JointEquations& joint,
                                                          const std::vector<Coordinate>& coordinates) {
  std::vector<char> holonomic(at_index(joint.elements().holonomic.size()), 0);
  std::vector<char> nonholonomic(at_index(joint.elements().nonholonomic.size()), 0);
  for (const Coordinate& coordinate : coordinates)
    (coordinate.is_holonomic() ? holonomic : nonholonomic)[at_index(coordinate.row)] = 1;
  return joint.without(holonomic, nonholonomic);
}

Sizes PrescribedMotion::sizes_of(const JointEquations& rest, const std::vector<Coordinate>& coordinates) {
  const Layout& l = rest.layout();
  Sizes sizes;
  sizes.positions = l.p.size - static_cast<Index>(coordinates.size());
  sizes.velocities = l.v.size - static_cast<Index>(coordinates.size());
  sizes.force_states = l.r.size;
  sizes.holonomic = l.lambda.size;
  sizes.nonholonomic = l.mu.size;
  sizes.normalizations = l.normalizations;
  return sizes;
}

Names PrescribedMotion::names_of(const JointEquations& rest, const std::vector<Coordinate>& coordinates) {
  Names names = rest.names();
  const auto leave_out = [](std::vector<std::string>& from, std::vector<Index> which) {
    std::sort(which.rbegin(), which.rend());
    for (const Index i : which) from.erase(from.begin() + i);
  };
  leave_out(names.p, places(coordinates, &Coordinate::p));
  leave_out(names.v, places(coordinates, &Coordinate::v));
  return names;
}

PrescribedMotion::PrescribedMotion(JointEquations& joint, std::vector<Coordinate> coordinates, double t,
                                   const VectorIn& x)
    : EquationsOfMotion(sizes_of(*without(joint, coordinates), coordinates), {},
                        names_of(*without(joint, coordinates), coordinates)),
      joint_(joint),
      coordinates_(std::move(coordinates)),
      rest_(without(joint, coordinates_)),
      kept_p_(others(rest_->layout().p.size, places(coordinates_, &Coordinate::p))),
      kept_v_(others(rest_->layout().v.size, places(coordinates_, &Coordinate::v))) {
  for (const Coordinate& coordinate : coordinates_) names_of_drivers_.push_back(coordinate.driver);
  rebase(t, x);
  scratch_ = std::make_unique<Tangent>(*this);
  inverse_ = std::make_unique<JointMotion>(*rest_);
  auto every = std::make_unique<JointMotion>(joint_);
  every->differentiate({t, x, Vector::Zero(joint_.layout().v.size)}, TangentMotion::jacobian);
  const SparseMatrix& D = every->slopes().jacobian;
  SparsePartition partition;
  partition.choose(D, D.rows(), Vector::Ones(D.cols()), 1e-9);
  if (partition.redundant()) every_ = std::move(every);
}

// Which of them a driver carries is open where rows depend on each other.
void PrescribedMotion::present(double t, Vector& x, TangentMotion& /*whole*/) {
  if (!every_) return;
  const Layout& l = joint_.layout();
  every_->differentiate({t, x, Vector::Zero(l.v.size)}, TangentMotion::jacobian);
  minimal_.reduce(every_->slopes().jacobian, x.segment(l.lambda.begin, l.lambda.size + l.mu.size));
}

PrescribedMotion::~PrescribedMotion() = default;

void PrescribedMotion::rebase(double t, const VectorIn& x) {
  offsets_.assign(coordinates_.size(), 0);
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const Coordinate& coordinate = coordinates_[i];
    const double off = x[joint_.layout().p.begin + coordinate.p] - coordinate.at(t).value;
    if (!coordinate.is_holonomic())
      offsets_[i] = off;
    else if (coordinate.turns)  // a driver asks for an angle, of whatever turn
      offsets_[i] = full_turn * std::round(off / full_turn);
  }
  ++changes_;
}

// --- states -----------------------------------------------------------------------------------------------

Vector PrescribedMotion::reduce(const VectorIn& x) const {
  const Layout &from = joint_.layout(), &to = layout();
  Vector result(to.total);
  for (Index i = 0; i < to.p.size; ++i) result[to.p.begin + i] = x[from.p.begin + kept_p_[at_index(i)]];
  for (Index i = 0; i < to.v.size; ++i) result[to.v.begin + i] = x[from.v.begin + kept_v_[at_index(i)]];
  result.segment(to.r.begin, to.r.size) = x.segment(from.r.begin, from.r.size);
  for (Index i = 0; i < to.lambda.size; ++i)
    result[to.lambda.begin + i] = x[from.lambda.begin + joint_.row_of(rest_->kept_rows()[at_index(i)])];
  for (Index i = 0; i < to.mu.size; ++i)
    result[to.mu.begin + i] =
        x[from.mu.begin + joint_.nonholonomic_row_of(rest_->kept_nonholonomic()[at_index(i)])];
  return result;
}

void PrescribedMotion::expand(double t, const VectorIn& reduced, Vector& x) const {
  const Layout &from = layout(), &to = rest_->layout();
  x.resize(to.total);
  for (Index i = 0; i < from.p.size; ++i) x[to.p.begin + kept_p_[at_index(i)]] = reduced[from.p.begin + i];
  for (Index i = 0; i < from.v.size; ++i) x[to.v.begin + kept_v_[at_index(i)]] = reduced[from.v.begin + i];
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const Taylor<double> prescribed = value(i, t);
    x[to.p.begin + coordinates_[i].p] = prescribed.value;
    x[to.v.begin + coordinates_[i].v] = prescribed.first;
  }
  x.tail(to.total - to.r.begin) = reduced.tail(from.total - from.r.begin);
}

Vector PrescribedMotion::restore(double t, const VectorIn& reduced) const {
  const Layout &from = rest_->layout(), &to = joint_.layout();
  Vector all;
  expand(t, reduced, all);
  Vector x = Vector::Zero(to.total);
  x.head(to.r.end()) = all.head(from.r.end());
  for (Index i = 0; i < from.lambda.size; ++i)
    x[to.lambda.begin + joint_.row_of(rest_->kept_rows()[at_index(i)])] = all[from.lambda.begin + i];
  for (Index i = 0; i < from.mu.size; ++i)
    x[to.mu.begin + joint_.nonholonomic_row_of(rest_->kept_nonholonomic()[at_index(i)])] =
        all[from.mu.begin + i];
  return x;
}

// −λ along the coordinate is what its acceleration and those of all others need.
void PrescribedMotion::complete(double t, const VectorIn& accelerations, Vector& x) {
  const Layout& l = joint_.layout();
  const Vector reduced = reduce(x);
  const MotionPoint all = scratch_->expanded({t, reduced, accelerations});
  Vector required(rest_->layout().v.size);
  inverse_->required_forces(all, JointMotion::Acting::everything, required);
  for (const Coordinate& coordinate : coordinates_) {
    const Index at = coordinate.is_holonomic() ? l.lambda.begin + joint_.row_of(coordinate.row)
                                               : l.mu.begin + joint_.nonholonomic_row_of(coordinate.row);
    x[at] = -required[coordinate.v];
  }
}

// --- as equations -----------------------------------------------------------------------------------------

std::unique_ptr<TangentMotion> PrescribedMotion::tangent() { return std::make_unique<Tangent>(*this); }

void PrescribedMotion::evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) {
  scratch_->evaluate(at, wanted, out);
  if (wanted & part::mass) out.M = scratch_->slopes().mass;
}

void PrescribedMotion::differentiate(const MotionPoint& at, Parts wanted, MotionDerivatives& out) {
  scratch_->differentiate_by_coordinates(at, wanted, out);
}

void PrescribedMotion::follow(double t, const VectorIn& x) {
  scratch_->follow(t, x);
  inverse_->follow(t, scratch_->expanded({t, x, Vector()}).x);
}

void PrescribedMotion::carry(Carrier& carried) {
  carried(offsets_);
  ++changes_;
  scratch_->carry(carried);
  inverse_->carry(carried);
}

void PrescribedMotion::hold_switches(std::span<const HeldBranch> held, double negligible) {
  scratch_->hold_switches(held, negligible);
  inverse_->hold_switches(held, negligible);
}

Vector PrescribedMotion::displacement_sizes(const VectorIn& x) const {
  Vector all;
  expand(0, x, all);
  return rest_->displacement_sizes(all)(kept_v_);
}

std::vector<MotionCorner> PrescribedMotion::corners(double from, double to) const {
  return joint_.corners(from, to);
}

}  // namespace trammel
