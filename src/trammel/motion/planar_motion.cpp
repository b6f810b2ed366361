#include "trammel/motion/planar_motion.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "trammel/motion/planar_tangent.h"

namespace trammel {

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
  sizes.normalizations = PlanarTangent::conditions * l.normalizations;
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
      values_(spatial.layout(), false) {
  scratch_ = std::make_unique<PlanarTangent>(*this);
}

PlanarMotion::~PlanarMotion() = default;

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
void PlanarMotion::present(double t, Vector& x, TangentMotion& whole) {
  const Layout& l = spatial_.layout();
  Vector a = Vector::Zero(l.v.size);
  whole.differentiate({t, x, a}, TangentMotion::jacobian);
  whole.evaluate({t, x, a}, part::dynamics, values_);
  const TangentSlopes slopes = whole.slopes();
  const SparseMatrix &M = slopes.mass, &D = slopes.jacobian;
  // the acceleration of each body from its three equations, in space
  Vector accelerations(layout().v.size), force(layout().v.size);
  to_plane(values_.dynamics, force);
  for (Index i = 0; i < layout().v.size; i += 3)
    accelerations.segment<3>(i) =
        Matrix(scratch_->slopes().mass.block(i, i, 3, 3)).ldlt().solve(force.segment<3>(i));
  auto multipliers = x.segment(l.lambda.begin, l.lambda.size + l.mu.size);
  to_space(plane_, accelerations, a);
  const Vector all = D.transpose() * multipliers + values_.dynamics - M * a;
  minimal_.reduce(D, all, multipliers);
}

void PlanarMotion::evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) {
  scratch_->evaluate(at, wanted, out);
  if (wanted & part::mass) out.M = scratch_->slopes().mass;
}

std::unique_ptr<TangentMotion> PlanarMotion::tangent() { return std::make_unique<PlanarTangent>(*this); }

void PlanarMotion::differentiate(const MotionPoint&, Parts, MotionDerivatives&) {
  throw std::logic_error("the equations of planar motion have no dense derivatives");
}

}  // namespace trammel
