// Whether a mechanism is planar: its plane, and the rows of constraints that count in it.
#include <algorithm>
#include <cmath>

#include "trammel/mechanism/constraint_kernels.h"
#include "trammel/motion/planar_motion.h"

namespace trammel {

namespace {

// Axes are parallel, or perpendicular, up to this: assembled positions are good to round-off.
constexpr double parallel = 1e-9;

Mat3<double> body_axes(const CartesianEquations& equations, const VectorIn& x, int body) {
  if (body == 0) return Mat3<double>::identity();
  const auto e = x.segment<4>(equations.layout().p.begin + 7 * (body - 1) + 3);
  return rotation_matrix(Quaternion<double>{e[0], e[1], e[2], e[3]});
}

// Whether a joint lets its second body move, seen from the first, only along the plane and about its normal. axes_of(body): where
// they are.
template <class AxesOf>
bool guides(const AxesOf& axes_of, const Joint& joint, const Vec3<double>& normal) {
  const Vec3<double> axis = axes_of(joint.body_a) * joint.frame_a.axes.column[2];
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

template <class AxesOf>
bool all_guided(const Mechanism& mechanism, const AxesOf& axes_of, const Vec3<double>& normal) {
  std::vector<char> guided(mechanism.bodies.size(), 0);
  guided[0] = 1;
  std::vector<const Joint*> guides_of_plane;
  for (const Joint& joint : mechanism.joints)
    if (guides(axes_of, joint, normal)) guides_of_plane.push_back(&joint);
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

bool is_planar(const Mechanism& mechanism) {
  const auto axes_of = [&](int body) {
    return mechanism.bodies[static_cast<std::size_t>(body)].reference.axes;
  };
  for (const Joint& joint : mechanism.joints)
    if (joint.type == JointType::revolute || joint.type == JointType::planar)
      return all_guided(mechanism, axes_of, axes_of(joint.body_a) * joint.frame_a.axes.column[2]);
  return false;
}

bool PlanarMotion::find_plane(CartesianEquations& spatial, const VectorIn& x, Plane& plane) {
  const Mechanism& mechanism = spatial.mechanism();
  const auto axes_of = [&](int body) { return body_axes(spatial, x, body); };
  for (const Joint& joint : mechanism.joints) {
    if (joint.type != JointType::revolute && joint.type != JointType::planar) continue;
    const Vec3<double> normal = axes_of(joint.body_a) * joint.frame_a.axes.column[2];
    if (!all_guided(mechanism, axes_of, normal))
      return false;  // all axes have to be parallel: no other will do
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

std::unique_ptr<PlanarMotion> PlanarMotion::find(CartesianEquations& spatial, double t, const VectorIn& x) {
  using Kind = Input::Kind;
  const Elements& elements = spatial.elements();
  const bool reactions_matter =
      std::any_of(elements.inputs.begin(), elements.inputs.end(), [](const Input& input) {
        return input.kind == Kind::multiplier || input.kind == Kind::nonholonomic_multiplier;
      });
  Plane plane;
  if (!spatial.rotates_bodies() || reactions_matter || !find_plane(spatial, x, plane)) return nullptr;

  // rows that planar velocities can violate, in positions of all kinds
  const Layout& l = spatial.layout();
  const Index bodies = static_cast<Index>(plane.about.size());
  std::vector<char> counts(at_index(l.lambda.size + l.mu.size), 0);
  Vector moved = x, direction(3 * bodies), velocities(l.v.size), change(l.p.size);
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
  CartesianMotion motion(spatial);
  for (int sample = 0; sample < 3; ++sample) {
    motion.differentiate({t, moved, rest}, TangentMotion::jacobian);
    const SparseMatrix& D = motion.slopes().jacobian;
    mark_rows(D * C, counts);
    for (Index i = 0; i < direction.size(); ++i)
      direction[i] = 0.3 * std::sin(1.7 * static_cast<double>(i + 1) + 2.1 * sample);
    to_space(plane, direction, velocities);
    motion.displacement_to_positions(moved.segment(l.p.begin, l.p.size), velocities, no_residual, change);
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

}  // namespace trammel
