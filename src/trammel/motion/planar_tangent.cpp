#include "trammel/motion/planar_tangent.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trammel {

PlanarTangent::PlanarTangent(const PlanarMotion& motion)
    : TangentMotion(motion),
      motion_(motion),
      spatial_(motion.spatial_),
      values_(motion.spatial_.layout(), false),
      x_(Vector::Zero(motion.spatial_.layout().total)),
      a_(Vector::Zero(motion.spatial_.layout().v.size)) {
  std::vector<char> resting(at_index(spatial_.layout().lambda.size), 1);
  for (const auto& row : motion_.rows_)
    for (const ConstantProduct::Share& share : row) resting[at_index(share.to)] = 0;
  spatial_.set_resting(resting);
  const Vector x = motion.spatial_.initial_state();
  spatial_.differentiate({0, x, a_}, jacobian);
  prepare(SlopeKind::at_velocities);
}

void PlanarTangent::follow(double t, const VectorIn& x) { spatial_.follow(t, motion_.restore(t, x)); }

void PlanarTangent::prepare(unsigned level) {
  using Shares = ConstantProduct::Shares;
  const Index bodies = static_cast<Index>(motion_.plane_.about.size()), v = 3 * bodies;
  Shares velocities(at_index(6 * bodies)), constraints, states, no_invariants;
  for (Index i = 0; i < bodies; ++i)
    for (Index k = 0; k < 3; ++k) {
      const auto share = [&](Index row, Index to, double factor) {
        if (factor != 0) velocities[at_index(row)].push_back({to, factor});
      };
      share(6 * i + k, 3 * i, motion_.plane_.along[0][static_cast<int>(k)]);
      share(6 * i + k, 3 * i + 1, motion_.plane_.along[1][static_cast<int>(k)]);
      share(6 * i + 3 + k, 3 * i + 2, motion_.plane_.about[at_index(i)][static_cast<int>(k)]);
    }
  const Layout& all = spatial_.layout();
  constraints.resize(at_index(all.lambda.size + all.mu.size));
  Index count = 0;
  for (const auto& row : motion_.rows_) {
    for (const ConstantProduct::Share& share : row)
      constraints[at_index(share.to)].push_back({count, share.factor});
    ++count;
  }
  for (Index row = 0; row < all.mu.size; ++row)
    constraints[at_index(all.lambda.size + row)] = {{count++, 1.0}};
  const Index r = all.r.size;
  for (Index i = 0; i < r; ++i) states.push_back({{i, 1.0}});

  const SlopeSizes sizes{v, count, r};
  const std::array<const Shares*, 4> shares = {&velocities, &constraints, &states, &no_invariants};
  for_each_slope(
      [&](const SlopeKind& kind, ConstantProduct& product, const SparseMatrix& spatial) {
        // those of later levels are empty still, but have their sizes; masses are there from the start
        if (prepared_ > 0 && (kind.level < prepared_ || kind.level > level)) return;
        product.prepare(spatial, *shares[static_cast<std::size_t>(kind.rows)], sizes[kind.rows],
                        *shares[static_cast<std::size_t>(kind.columns)], sizes[kind.columns]);
      },
      slopes_, spatial_.slopes());
  prepared_ = level + 1;
}

MotionPoint PlanarTangent::restored(const MotionPoint& at) {
  const Layout &to = spatial_.layout(), &from = layout();
  x_.segment(to.p.begin, to.p.size) = at.x.segment(from.p.begin, from.p.size);
  PlanarMotion::to_space(motion_.plane_, at.x.segment(from.v.begin, from.v.size),
                         x_.segment(to.v.begin, to.v.size));
  x_.segment(to.r.begin, to.r.size) = at.x.segment(from.r.begin, from.r.size);
  x_.segment(to.lambda.begin, to.lambda.size).setZero();
  for (std::size_t i = 0; i < motion_.rows_.size(); ++i)
    for (const ConstantProduct::Share& share : motion_.rows_[i])
      x_[to.lambda.begin + share.to] += share.factor * at.x[from.lambda.begin + static_cast<Index>(i)];
  x_.segment(to.mu.begin, to.mu.size) = at.x.segment(from.mu.begin, from.mu.size);
  if (at.a.size() > 0)
    PlanarMotion::to_space(motion_.plane_, at.a, a_);
  else
    a_.setZero();
  return {at.t, x_, a_};
}

void PlanarTangent::evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) {
  spatial_.evaluate(restored(at), wanted & ~Parts{part::mass}, values_);
  if (wanted & part::kinematics) out.kinematics = values_.kinematics;
  if (wanted & part::dynamics) motion_.to_plane(values_.dynamics, out.dynamics);
  const auto choose = [&](Parts which, const Vector& from, Vector& to) {
    if ((wanted & which) == 0) return;
    for (std::size_t i = 0; i < motion_.rows_.size(); ++i) {
      double sum = 0;
      for (const ConstantProduct::Share& share : motion_.rows_[i]) sum += share.factor * from[share.to];
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
  for (Index i = 0; i < static_cast<Index>(motion_.plane_.about.size()); ++i) {
    const auto p = x_.segment<7>(spatial_.layout().p.begin + 7 * i);
    out.n[conditions * i] = values_.n[i];
    out.n[conditions * i + 1] =
        eigen(motion_.plane_.normal).dot(p.head<3>()) - motion_.plane_.distance[at_index(i)];
    for (std::size_t k = 0; k < 2; ++k)
      out.n[conditions * i + 2 + static_cast<Index>(k)] =
          motion_.plane_.never[at_index(i)][k].dot(p.tail<4>());
  }
}

std::string PlanarTangent::differentiate(const MotionPoint& at, unsigned wanted) {
  spatial_.differentiate(restored(at), wanted);
  const unsigned level = (wanted & forces) != 0   ? SlopeKind::of_forces
                         : (wanted & hidden) != 0 ? SlopeKind::hidden
                                                  : SlopeKind::at_velocities;
  if (level >= prepared_) prepare(level);
  for_each_slope(
      [&](const SlopeKind& kind, ConstantProduct& product, const SparseMatrix& spatial) {
        if (kind.level <= level) product.update(spatial);
      },
      slopes_, spatial_.slopes());
  return {};
}

void PlanarTangent::displacement_to_positions(const VectorIn& p, const VectorIn& q, const VectorIn& residual,
                                              VectorOut change) {
  const Index bodies = static_cast<Index>(motion_.plane_.about.size());
  lengths_.resize(bodies);
  for (Index i = 0; i < bodies; ++i) lengths_[i] = residual[conditions * i];
  work_.resize(6 * bodies);
  PlanarMotion::to_space(motion_.plane_, q, work_);
  spatial_.displacement_to_positions(p, work_, lengths_, change);
  for (Index i = 0; i < bodies; ++i) {
    const auto& [first, second] = motion_.plane_.never[at_index(i)];
    change.segment<3>(7 * i) -= residual[conditions * i + 1] * eigen(motion_.plane_.normal);
    change.segment<4>(7 * i + 3) -=
        residual[conditions * i + 2] * first + residual[conditions * i + 3] * second;
  }
}

void PlanarTangent::pull_back(const VectorIn& p, const VectorIn& gradient, VectorOut by_displacement) {
  work_.resize(2 * layout().v.size);
  spatial_.pull_back(p, gradient, work_);
  motion_.to_plane(work_, by_displacement);
}

void PlanarTangent::rates_to_velocities(const VectorIn& p, const VectorIn& rates, VectorOut v) {
  work_.resize(2 * layout().v.size);
  spatial_.rates_to_velocities(p, rates, work_);
  motion_.to_plane(work_, v);
}

void PlanarTangent::displacement_metric(double /*t*/, const VectorIn& x, const VectorIn& weights,
                                        SparseMatrix& metric) {
  const PlanarMotion::Plane& plane = motion_.plane_;
  const Index bodies = static_cast<Index>(plane.about.size()), p = layout().p.begin;
  Eigen::Matrix<double, 3, 2> along;
  along << eigen(plane.along[0]), eigen(plane.along[1]);
  metric.resize(3 * bodies, 3 * bodies);
  metric.reserve(5 * bodies);
  for (Index i = 0; i < bodies; ++i) {
    const Eigen::Matrix<double, 7, 1> weight = weights.segment<7>(p + 7 * i);
    const Eigen::Matrix2d translations =
        along.transpose() * weight.head<3>().cwiseAbs2().asDiagonal() * along;
    const Eigen::Vector4d turned =
        0.5 * euler_matrix(x.segment<4>(p + 7 * i + 3)).transpose() * eigen(plane.about[at_index(i)]);
    for (Index k = 0; k < 3; ++k) {
      metric.startVec(3 * i + k);
      if (k < 2)
        for (Index row = 0; row < 2; ++row) metric.insertBack(3 * i + row, 3 * i + k) = translations(row, k);
      else
        metric.insertBack(3 * i + k, 3 * i + k) = weight.tail<4>().cwiseProduct(turned).squaredNorm();
    }
  }
  metric.finalize();
}

}  // namespace trammel
