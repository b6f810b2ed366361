#include "trammel/motion/planar_motion.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trammel {

namespace {

// Rows that planar motion meets anyway are left out meanwhile.
class Resting {
 public:
  explicit Resting(CartesianEquations& equations) : equations_(equations) { equations_.let_rest(true); }
  Resting(const Resting&) = delete;
  Resting& operator=(const Resting&) = delete;
  ~Resting() { equations_.let_rest(false); }

 private:
  CartesianEquations& equations_;
};

std::size_t at_index(Index i) { return static_cast<std::size_t>(i); }

// On the positions of a body: the length of its Euler parameters, its distance along the normal, and two that
// keep it from tilting.
constexpr Index conditions = 4;

}  // namespace

void PlanarMotion::to_space(const Plane& plane, const VectorIn& reduced, VectorOut velocities) {
  for (Index i = 0; i < static_cast<Index>(plane.about.size()); ++i) {
    const double first = reduced[3 * i], second = reduced[3 * i + 1], turn = reduced[3 * i + 2];
    for (int k = 0; k < 3; ++k) {
      velocities[6 * i + k] = plane.along[0][k] * first + plane.along[1][k] * second;
      velocities[6 * i + 3 + k] = plane.about[at_index(i)][k] * turn;
    }
  }
}

Sizes PlanarMotion::sizes_of(const CartesianEquations& spatial, const Rows& rows) {
  const Layout& l = spatial.layout();
  Sizes sizes;
  sizes.positions = l.p.size;
  sizes.velocities = l.v.size / 2;
  sizes.force_states = l.r.size;
  sizes.holonomic = static_cast<Index>(rows.size());
  sizes.nonholonomic = l.mu.size;
  sizes.normalizations = conditions * l.normalizations;
  return sizes;
}

Names PlanarMotion::names_of(const CartesianEquations& spatial, const Plane& plane, const Rows& rows) {
  Names names = spatial.names();
  names.v.clear();
  names.g.clear();
  names.n.clear();
  const std::vector<Body>& bodies = spatial.mechanism().bodies;
  for (std::size_t i = 1; i < bodies.size(); ++i)
    for (const std::string& letter : plane.letters) names.v.push_back(bodies[i].name + "." + letter);
  for (std::size_t i = 1; i < bodies.size(); ++i)
    for (const char* suffix : {".unit", ".across", ".tilt1", ".tilt2"})
      names.n.push_back(bodies[i].name + suffix);
  for (const auto& row : rows) names.g.push_back(spatial.names().g[at_index(row.front().to)]);
  names.lambda = names.g;
  return names;
}

PlanarMotion::PlanarMotion(CartesianEquations& spatial, Plane plane, Rows rows)
    : EquationsOfMotion(sizes_of(spatial, rows), {.constant_mass = true}, names_of(spatial, plane, rows)),
      spatial_(spatial),
      plane_(std::move(plane)),
      rows_(std::move(rows)),
      values_(spatial.layout(), false),
      x_(Vector::Zero(spatial.layout().total)),
      a_(Vector::Zero(spatial.layout().v.size)) {
  prepare();
  std::vector<char> resting(at_index(spatial.layout().lambda.size), 1);
  for (const auto& row : rows_)
    for (const ConstantProduct::Share& share : row) resting[at_index(share.to)] = 0;
  spatial_.set_resting(resting);
}

void PlanarMotion::prepare() {
  using Shares = ConstantProduct::Shares;
  const Index bodies = static_cast<Index>(plane_.about.size()), v = 3 * bodies;
  Shares velocities(at_index(6 * bodies)), constraints, states;
  for (Index i = 0; i < bodies; ++i)
    for (Index k = 0; k < 3; ++k) {
      const auto share = [&](Index row, Index to, double factor) {
        if (factor != 0) velocities[at_index(row)].push_back({to, factor});
      };
      share(6 * i + k, 3 * i, plane_.along[0][static_cast<int>(k)]);
      share(6 * i + k, 3 * i + 1, plane_.along[1][static_cast<int>(k)]);
      share(6 * i + 3 + k, 3 * i + 2, plane_.about[at_index(i)][static_cast<int>(k)]);
    }
  const Layout& all = spatial_.layout();
  constraints.resize(at_index(all.lambda.size + all.mu.size));
  Index count = 0;
  for (const auto& row : rows_) {
    for (const ConstantProduct::Share& share : row)
      constraints[at_index(share.to)].push_back({count, share.factor});
    ++count;
  }
  for (Index row = 0; row < all.mu.size; ++row)
    constraints[at_index(all.lambda.size + row)] = {{count++, 1.0}};
  const Index r = all.r.size;
  for (Index i = 0; i < r; ++i) states.push_back({{i, 1.0}});

  const SparseSlopes from = spatial_.slopes();
  mass_.prepare(from.mass, velocities, v, velocities, v);
  jacobian_.prepare(from.jacobian, constraints, count, velocities, v);
  rate_pose_.prepare(from.rate_pose, constraints, count, velocities, v);
  acceleration_pose_.prepare(from.acceleration_pose, constraints, count, velocities, v);
  acceleration_twist_.prepare(from.acceleration_twist, constraints, count, velocities, v);
  force_pose_.prepare(from.force_pose, velocities, v, velocities, v);
  force_twist_.prepare(from.force_twist, velocities, v, velocities, v);
  force_state_.prepare(from.force_state, velocities, v, states, r);
  force_multiplier_.prepare(from.force_multiplier, velocities, v, constraints, count);
  state_pose_.prepare(from.state_pose, states, r, velocities, v);
  state_twist_.prepare(from.state_twist, states, r, velocities, v);
  state_state_.prepare(from.state_state, states, r, states, r);
  state_multiplier_.prepare(from.state_multiplier, states, r, constraints, count);
  kinematics_.prepare(from.kinematics, velocities, v, velocities, v);
}

SparseSlopes PlanarMotion::slopes() const {
  return {mass_.matrix(),
          jacobian_.matrix(),
          rate_pose_.matrix(),
          acceleration_pose_.matrix(),
          acceleration_twist_.matrix(),
          force_pose_.matrix(),
          force_twist_.matrix(),
          force_state_.matrix(),
          force_multiplier_.matrix(),
          state_pose_.matrix(),
          state_twist_.matrix(),
          state_state_.matrix(),
          state_multiplier_.matrix(),
          kinematics_.matrix()};
}

void PlanarMotion::to_plane(const VectorIn& velocities, VectorOut reduced) const {
  for (Index i = 0; i < static_cast<Index>(plane_.about.size()); ++i) {
    const Eigen::Vector3d linear = velocities.segment<3>(6 * i), angular = velocities.segment<3>(6 * i + 3);
    reduced[3 * i] = eigen(plane_.along[0]).dot(linear);
    reduced[3 * i + 1] = eigen(plane_.along[1]).dot(linear);
    reduced[3 * i + 2] = eigen(plane_.about[at_index(i)]).dot(angular);
  }
}

Vector PlanarMotion::reduce(const VectorIn& x) const {
  const Layout &from = spatial_.layout(), &to = layout();
  Vector result(to.total);
  result.segment(to.p.begin, to.p.size) = x.segment(from.p.begin, from.p.size);
  to_plane(x.segment(from.v.begin, from.v.size), result.segment(to.v.begin, to.v.size));
  result.segment(to.r.begin, to.r.size) = x.segment(from.r.begin, from.r.size);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    double& multiplier = result[to.lambda.begin + static_cast<Index>(i)];
    multiplier = 0;
    for (const ConstantProduct::Share& share : rows_[i])
      multiplier += share.factor * x[from.lambda.begin + share.to];
  }
  result.segment(to.mu.begin, to.mu.size) = x.segment(from.mu.begin, from.mu.size);
  return result;
}

Vector PlanarMotion::restore(const VectorIn& reduced) const {
  const Layout &to = spatial_.layout(), &from = layout();
  Vector x = Vector::Zero(to.total);
  x.segment(to.p.begin, to.p.size) = reduced.segment(from.p.begin, from.p.size);
  to_space(plane_, reduced.segment(from.v.begin, from.v.size), x.segment(to.v.begin, to.v.size));
  x.segment(to.r.begin, to.r.size) = reduced.segment(from.r.begin, from.r.size);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (const ConstantProduct::Share& share : rows_[i])
      x[to.lambda.begin + share.to] += share.factor * reduced[from.lambda.begin + static_cast<Index>(i)];
  x.segment(to.mu.begin, to.mu.size) = reduced.segment(from.mu.begin, from.mu.size);
  return x;
}

// Forces that the planar rows do not balance are those across the plane: the other rows carry them.
void PlanarMotion::present(double t, Vector& x) {
  const Layout& l = spatial_.layout();
  a_.setZero();
  spatial_.differentiate_sparse({t, x, a_}, SparseMotion::jacobian);
  spatial_.evaluate({t, x, a_}, part::dynamics, values_);
  const SparseMatrix &M = spatial_.slopes().mass, &D = spatial_.slopes().jacobian;
  // the acceleration of each body from its three equations, in space
  Vector accelerations(layout().v.size), force(layout().v.size);
  to_plane(values_.dynamics, force);
  for (Index i = 0; i < layout().v.size; i += 3)
    accelerations.segment<3>(i) = Matrix(mass_.matrix().block(i, i, 3, 3)).ldlt().solve(force.segment<3>(i));
  auto multipliers = x.segment(l.lambda.begin, l.lambda.size + l.mu.size);
  to_space(plane_, accelerations, a_);
  const Vector all = D.transpose() * multipliers + values_.dynamics - M * a_;
  minimal_.reduce(D, all, multipliers);
}

MotionPoint PlanarMotion::restored(const MotionPoint& at) {
  const Layout &to = spatial_.layout(), &from = layout();
  x_.segment(to.p.begin, to.p.size) = at.x.segment(from.p.begin, from.p.size);
  to_space(plane_, at.x.segment(from.v.begin, from.v.size), x_.segment(to.v.begin, to.v.size));
  x_.segment(to.r.begin, to.r.size) = at.x.segment(from.r.begin, from.r.size);
  x_.segment(to.lambda.begin, to.lambda.size).setZero();
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (const ConstantProduct::Share& share : rows_[i])
      x_[to.lambda.begin + share.to] += share.factor * at.x[from.lambda.begin + static_cast<Index>(i)];
  x_.segment(to.mu.begin, to.mu.size) = at.x.segment(from.mu.begin, from.mu.size);
  if (at.a.size() > 0)
    to_space(plane_, at.a, a_);
  else
    a_.setZero();
  return {at.t, x_, a_};
}

void PlanarMotion::evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) {
  {
    const Resting resting(spatial_);
    spatial_.evaluate(restored(at), wanted & ~Parts{part::mass}, values_);
  }
  if (wanted & part::kinematics) out.kinematics = values_.kinematics;
  if (wanted & part::dynamics) to_plane(values_.dynamics, out.dynamics);
  if (wanted & part::mass) out.M = mass_.matrix();
  const auto choose = [&](Parts which, const Vector& from, Vector& to) {
    if ((wanted & which) == 0) return;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      double sum = 0;
      for (const ConstantProduct::Share& share : rows_[i]) sum += share.factor * from[share.to];
      to[static_cast<Index>(i)] = sum;
    }
  };
  choose(part::g, values_.g, out.g);
  choose(part::gI, values_.gI, out.gI);
  choose(part::gII, values_.gII, out.gII);
  if (wanted & part::h) out.h = values_.h;
  if (wanted & part::hI) out.hI = values_.hI;
  if (wanted & part::b) out.b = values_.b;
  if ((wanted & part::n) == 0) return;
  for (Index i = 0; i < static_cast<Index>(plane_.about.size()); ++i) {
    const auto p = x_.segment<7>(spatial_.layout().p.begin + 7 * i);
    out.n[conditions * i] = values_.n[i];
    out.n[conditions * i + 1] = eigen(plane_.normal).dot(p.head<3>()) - plane_.distance[at_index(i)];
    for (std::size_t k = 0; k < 2; ++k)
      out.n[conditions * i + 2 + static_cast<Index>(k)] = plane_.never[at_index(i)][k].dot(p.tail<4>());
  }
}

void PlanarMotion::differentiate(const MotionPoint&, Parts, MotionDerivatives&) {
  throw std::logic_error("the equations of planar motion have no dense derivatives");
}

void PlanarMotion::differentiate_sparse(const MotionPoint& at, unsigned wanted) {
  {
    const Resting resting(spatial_);
    spatial_.differentiate_sparse(restored(at), wanted);
  }
  const SparseSlopes from = spatial_.slopes();
  jacobian_.update(from.jacobian);
  if (wanted & (hidden | forces)) {
    rate_pose_.update(from.rate_pose);
    acceleration_pose_.update(from.acceleration_pose);
    acceleration_twist_.update(from.acceleration_twist);
  }
  if ((wanted & forces) == 0) return;
  mass_.update(from.mass);
  force_pose_.update(from.force_pose);
  force_twist_.update(from.force_twist);
  force_state_.update(from.force_state);
  force_multiplier_.update(from.force_multiplier);
  state_pose_.update(from.state_pose);
  state_twist_.update(from.state_twist);
  state_state_.update(from.state_state);
  state_multiplier_.update(from.state_multiplier);
  kinematics_.update(from.kinematics);
}

void PlanarMotion::displacement_to_positions(const VectorIn& p, const VectorIn& q, const VectorIn& residual,
                                             VectorOut change) const {
  const Index bodies = static_cast<Index>(plane_.about.size());
  lengths_.resize(bodies);
  for (Index i = 0; i < bodies; ++i) lengths_[i] = residual[conditions * i];
  work_.resize(6 * bodies);
  to_space(plane_, q, work_);
  spatial_.displacement_to_positions(p, work_, lengths_, change);
  for (Index i = 0; i < bodies; ++i) {
    const auto& [first, second] = plane_.never[at_index(i)];
    change.segment<3>(7 * i) -= residual[conditions * i + 1] * eigen(plane_.normal);
    change.segment<4>(7 * i + 3) -=
        residual[conditions * i + 2] * first + residual[conditions * i + 3] * second;
  }
}

void PlanarMotion::pull_back(const VectorIn& p, const VectorIn& gradient, VectorOut by_displacement) const {
  work_.resize(2 * layout().v.size);
  spatial_.pull_back(p, gradient, work_);
  to_plane(work_, by_displacement);
}

void PlanarMotion::rates_to_velocities(const VectorIn& p, const VectorIn& rates, VectorOut v) const {
  work_.resize(2 * layout().v.size);
  spatial_.rates_to_velocities(p, rates, work_);
  to_plane(work_, v);
}

}  // namespace trammel
