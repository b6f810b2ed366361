#include "trammel/motion/planar_motion.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "trammel/mechanism/constraint_kernels.h"

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

// Axes are parallel, or perpendicular, up to this: assembled positions are good to round-off.
constexpr double parallel = 1e-9;

// On the positions of a body: the length of its Euler parameters, its distance along the normal, and two that
// keep it from tilting.
constexpr Index conditions = 4;

Mat3<double> body_axes(const CartesianEquations& equations, const VectorIn& x, int body) {
  if (body == 0) return Mat3<double>::identity();
  const auto e = x.segment<4>(equations.layout().p.begin + 7 * (body - 1) + 3);
  return rotation_matrix(Quaternion<double>{e[0], e[1], e[2], e[3]});
}

// Whether a joint lets its second body move, seen from the first, only along the plane and about its normal.
bool guides(const CartesianEquations& equations, const VectorIn& x, const Joint& joint,
            const Vec3<double>& normal) {
  const Vec3<double> axis = body_axes(equations, x, joint.body_a) * joint.frame_a.axes.column[2];
  const bool along_normal = length(cross(axis, normal)) <= parallel;
  switch (joint.type) {
    case JointType::fixed:
      return true;
    case JointType::revolute:
    case JointType::planar:
      return along_normal;
    case JointType::prismatic:
      return std::abs(dot(axis, normal)) <= parallel;
    default:
      return false;
  }
}

bool all_guided(const CartesianEquations& equations, const VectorIn& x, const Vec3<double>& normal) {
  const Mechanism& mechanism = equations.mechanism();
  std::vector<char> guided(mechanism.bodies.size(), 0);
  guided[0] = 1;
  std::vector<const Joint*> guides_of_plane;
  for (const Joint& joint : mechanism.joints)
    if (guides(equations, x, joint, normal)) guides_of_plane.push_back(&joint);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Joint* joint : guides_of_plane) {
      char& a = guided[static_cast<std::size_t>(joint->body_a)];
      char& b = guided[static_cast<std::size_t>(joint->body_b)];
      if (a != b) a = b = 1, changed = true;
    }
  }
  return std::all_of(guided.begin(), guided.end(), [](char one) { return one != 0; });
}

// Rows of J with an entry that is not zero.
void mark_rows(const SparseMatrix& J, std::vector<char>& marked) {
  for (int col = 0; col < J.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(J, col); entry; ++entry)
      if (std::abs(entry.value()) > 1e-10) marked[at_index(entry.row())] = 1;
}

}  // namespace

// --- products

void ConstantProduct::prepare(const SparseMatrix& S, const Shares& rows, Index row_count,
                              const Shares& columns, Index column_count) {
  std::vector<Eigen::Triplet<double, int>> entries;
  const auto visit = [&](const auto& visitor) {
    int source = 0;
    for (int col = 0; col < S.outerSize(); ++col)
      for (SparseMatrix::InnerIterator entry(S, col); entry; ++entry, ++source)
        for (const Share& row : rows[at_index(entry.row())])
          for (const Share& column : columns[static_cast<std::size_t>(col)])
            visitor(source, static_cast<int>(row.to), static_cast<int>(column.to),
                    row.factor * column.factor);
  };
  visit([&](int, int row, int column, double) { entries.emplace_back(row, column, 0.0); });
  matrix_.resize(row_count, column_count);
  matrix_.setFromTriplets(entries.begin(), entries.end());
  matrix_.makeCompressed();
  terms_.clear();
  visit([&](int source, int row, int column, double factor) {
    const int* begin = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column];
    const int* end = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column + 1];
    const auto target = std::lower_bound(begin, end, row) - matrix_.innerIndexPtr();
    terms_.push_back({source, static_cast<int>(target), factor});
  });
  prepared_ = true;
  update(S);
}

void ConstantProduct::update(const SparseMatrix& S) {
  double* to = matrix_.valuePtr();
  const double* from = S.valuePtr();
  std::fill_n(to, matrix_.nonZeros(), 0.0);
  for (const Term& term : terms_) to[term.target] += term.factor * from[term.source];
}

// --- which mechanisms

bool PlanarMotion::find_plane(CartesianEquations& spatial, const VectorIn& x, Plane& plane) {
  const Mechanism& mechanism = spatial.mechanism();
  for (const Joint& joint : mechanism.joints) {
    if (joint.type != JointType::revolute && joint.type != JointType::planar) continue;
    const Vec3<double> normal = body_axes(spatial, x, joint.body_a) * joint.frame_a.axes.column[2];
    if (!all_guided(spatial, x, normal)) return false;  // all axes have to be parallel: no other will do
    // axes of the world where they are in the plane
    int first = 0;
    for (int axis : {1, 2})
      if (std::abs(normal[axis]) < std::abs(normal[first])) first = axis;
    Vec3<double> start;
    start[first] = 1;
    const Vec3<double> across = cross(normal, start) * (1 / length(cross(normal, start)));
    plane.along = {cross(across, normal), across};
    for (Vec3<double>& direction : plane.along)
      for (int i = 0; i < 3; ++i)
        if (std::abs(direction[i]) < parallel) direction[i] = 0;
    for (int body = 1; body < static_cast<int>(mechanism.bodies.size()); ++body) {
      Vec3<double> about = transposed_times(body_axes(spatial, x, body), normal);
      for (int i = 0; i < 3; ++i)
        if (std::abs(about[i]) < 1e-14) about[i] = 0;
      plane.about.push_back(about * (1 / length(about)));
      const Index at = spatial.layout().p.begin + 7 * (body - 1);
      plane.distance.push_back(eigen(normal).dot(x.segment<3>(at)));
      const auto L = euler_matrix(x.segment<4>(at + 3).normalized());
      plane.never.emplace_back();
      for (std::size_t k = 0; k < 2; ++k)
        plane.never.back()[k] =
            L.transpose() * eigen(transposed_times(body_axes(spatial, x, body), plane.along[k]));
    }
    plane.normal = normal;
    for (std::size_t k = 0; k < 2; ++k) {
      plane.letters[k] = k == 0 ? "v1" : "v2";
      for (int i = 0; i < 3; ++i)
        if (std::abs(plane.along[k][i]) > 1 - parallel)
          plane.letters[k] = i == 0 ? "vx" : i == 1 ? "vy" : "vz";
    }
    plane.letters[2] = "w";
    return true;
  }
  return false;
}

Vector PlanarMotion::spatial_velocities(const Plane& plane, const VectorIn& reduced) {
  const Index bodies = static_cast<Index>(plane.about.size());
  Vector result(6 * bodies);
  for (Index i = 0; i < bodies; ++i) {
    result.segment<3>(6 * i) =
        eigen(plane.along[0]) * reduced[3 * i] + eigen(plane.along[1]) * reduced[3 * i + 1];
    result.segment<3>(6 * i + 3) = eigen(plane.about[at_index(i)]) * reduced[3 * i + 2];
  }
  return result;
}

std::unique_ptr<PlanarMotion> PlanarMotion::find(CartesianEquations& spatial, double t, const VectorIn& x) {
  using Kind = Input::Kind;
  const Elements& elements = spatial.elements();
  const bool reactions_matter =
      std::any_of(elements.inputs.begin(), elements.inputs.end(), [](const Input& input) {
        return input.kind == Kind::multiplier || input.kind == Kind::nonholonomic_multiplier;
      });
  Plane plane;
  if (spatial.sparse() == nullptr || reactions_matter || !find_plane(spatial, x, plane)) return nullptr;

  // rows that planar velocities can violate, in positions of all kinds
  const Layout& l = spatial.layout();
  const Index bodies = static_cast<Index>(plane.about.size());
  std::vector<char> counts(at_index(l.lambda.size + l.mu.size), 0);
  Vector moved = x, direction(3 * bodies), change(l.p.size);
  const Vector rest = Vector::Zero(l.v.size), no_residual = Vector::Zero(bodies);
  SparseMatrix C(l.v.size, 3 * bodies);
  std::vector<Eigen::Triplet<double, int>> entries;
  for (Index column = 0; column < 3 * bodies; ++column) {
    const Index body = column / 3;
    const bool turns = column % 3 == 2;
    const Vec3<double>& along = turns ? plane.about[at_index(body)] : plane.along[at_index(column % 3)];
    for (int i = 0; i < 3; ++i)
      entries.emplace_back(static_cast<int>(6 * body) + (turns ? 3 : 0) + i, static_cast<int>(column),
                           along[i]);
  }
  C.setFromTriplets(entries.begin(), entries.end());
  for (int sample = 0; sample < 3; ++sample) {
    spatial.differentiate_sparse({t, moved, rest},
                                 sample == 0 ? SparseMotion::everything : SparseMotion::jacobian);
    const SparseMatrix& D = spatial.slopes().jacobian;
    mark_rows(D * C, counts);
    for (Index i = 0; i < direction.size(); ++i)
      direction[i] = 0.3 * std::sin(1.7 * static_cast<double>(i + 1) + 2.1 * sample);
    spatial.displacement_to_positions(moved.segment(l.p.begin, l.p.size),
                                      spatial_velocities(plane, direction), no_residual, change);
    moved.segment(l.p.begin, l.p.size) += change;
    for (Index i = 0; i < bodies; ++i) moved.segment<4>(l.p.begin + 7 * i + 3).normalize();
  }
  // a motion across the plane is asked for, and cannot be
  for (const RowSystem::Driven& driven : elements.holonomic.driven)
    if (!counts[at_index(driven.row)]) return nullptr;
  Rows rows = find_rows(spatial, plane, counts);
  return std::unique_ptr<PlanarMotion>(new PlanarMotion(spatial, std::move(plane), std::move(rows)));
}

PlanarMotion::Rows PlanarMotion::find_rows(CartesianEquations& spatial, const Plane& plane,
                                           const std::vector<char>& counts) {
  std::vector<char> of_points(counts.size(), 0);  // the first of three rows
  for (const std::unique_ptr<ConstraintBlock>& block : spatial.elements().holonomic.blocks)
    if (dynamic_cast<const Constraints<CoincidentPoints>*>(block.get()) != nullptr)
      for (const ConstraintBlock::Element& element : block->elements()) of_points[at_index(element.row)] = 1;
  Rows rows;
  for (Index row = 0; row < spatial.layout().lambda.size; ++row) {
    if (of_points[at_index(row)]) {
      for (const Vec3<double>& direction : plane.along) {
        std::vector<ConstantProduct::Share> shares;
        for (int i = 0; i < 3; ++i)
          if (direction[i] != 0) shares.push_back({row + i, direction[i]});
        rows.push_back(std::move(shares));
      }
      row += 2;
    } else if (counts[at_index(row)]) {
      rows.push_back({{row, 1.0}});
    }
  }
  return rows;
}

// --- the equations

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
  x.segment(to.v.begin, to.v.size) = spatial_velocities(plane_, reduced.segment(from.v.begin, from.v.size));
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
  const Vector all =
      D.transpose() * multipliers + values_.dynamics - M * spatial_velocities(plane_, accelerations);
  minimal_.reduce(D, all, multipliers);
}

MotionPoint PlanarMotion::restored(const MotionPoint& at) {
  const Layout &to = spatial_.layout(), &from = layout();
  x_.segment(to.p.begin, to.p.size) = at.x.segment(from.p.begin, from.p.size);
  const auto spread = [&](const auto& reduced, auto whole) {
    for (Index i = 0; i < static_cast<Index>(plane_.about.size()); ++i) {
      const double first = reduced[3 * i], second = reduced[3 * i + 1], turn = reduced[3 * i + 2];
      for (int k = 0; k < 3; ++k) {
        whole[6 * i + k] = plane_.along[0][k] * first + plane_.along[1][k] * second;
        whole[6 * i + 3 + k] = plane_.about[at_index(i)][k] * turn;
      }
    }
  };
  spread(at.x.segment(from.v.begin, from.v.size), x_.segment(to.v.begin, to.v.size));
  x_.segment(to.r.begin, to.r.size) = at.x.segment(from.r.begin, from.r.size);
  x_.segment(to.lambda.begin, to.lambda.size).setZero();
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (const ConstantProduct::Share& share : rows_[i])
      x_[to.lambda.begin + share.to] += share.factor * at.x[from.lambda.begin + static_cast<Index>(i)];
  x_.segment(to.mu.begin, to.mu.size) = at.x.segment(from.mu.begin, from.mu.size);
  if (at.a.size() > 0)
    spread(at.a, a_.segment(0, a_.size()));
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
  Vector lengths(bodies);
  for (Index i = 0; i < bodies; ++i) lengths[i] = residual[conditions * i];
  spatial_.displacement_to_positions(p, spatial_velocities(plane_, q), lengths, change);
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
