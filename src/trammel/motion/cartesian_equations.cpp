#include "trammel/motion/cartesian_equations.h"

#include <algorithm>
#include <cmath>

#include "trammel/mechanism/time_corners.h"
#include "trammel/motion/cartesian_motion.h"
#include "trammel/motion/dense_tangent_motion.h"
#include "trammel/motion/planar_motion.h"

namespace trammel {

namespace {

Sizes sizes_of(const Elements& elements, CartesianEquations::Velocities velocities) {
  const Index bodies = static_cast<Index>(elements.bodies.size()) - 1;
  const bool angular = velocities == CartesianEquations::Velocities::angular;
  Sizes sizes;
  sizes.positions = 7 * bodies;
  sizes.velocities = (angular ? 6 : 7) * bodies;
  sizes.force_states = static_cast<Index>(elements.states.size());
  sizes.holonomic = elements.holonomic.size() + (angular ? 0 : bodies);
  sizes.nonholonomic = elements.nonholonomic.size();
  sizes.normalizations = angular ? bodies : 0;
  return sizes;
}

Structure structure_of(const Elements& elements, CartesianEquations::Velocities velocities) {
  Structure structure;
  structure.constant_mass =
      velocities == CartesianEquations::Velocities::angular && elements.rotor_inertias.empty();
  return structure;
}

Names names_of(const Mechanism& mechanism, const Elements& elements,
               CartesianEquations::Velocities velocities) {
  const bool angular = velocities == CartesianEquations::Velocities::angular;
  Names names;
  for (std::size_t i = 1; i < mechanism.bodies.size(); ++i) {
    const std::string& body = mechanism.bodies[i].name;
    for (const char* suffix : {".x", ".y", ".z", ".e0", ".e1", ".e2", ".e3"})
      names.p.push_back(body + suffix);
    for (const char* suffix : {".vx", ".vy", ".vz"}) names.v.push_back(body + suffix);
    if (angular)
      for (const char* suffix : {".wx", ".wy", ".wz"}) names.v.push_back(body + suffix);
    else
      for (const char* suffix : {".e0'", ".e1'", ".e2'", ".e3'"}) names.v.push_back(body + suffix);
    if (angular) names.n.push_back(body + ".unit");
  }
  for (const StateEquation& state : elements.states) names.r.push_back(state.name);
  names.g = elements.holonomic.names;
  if (!angular)
    for (std::size_t i = 1; i < mechanism.bodies.size(); ++i)
      names.g.push_back(mechanism.bodies[i].name + ".unit");
  names.h = elements.nonholonomic.names;
  names.lambda = names.g;
  names.mu = names.h;
  return names;
}

std::unique_ptr<Elements> checked_elements(const Mechanism& mechanism, PointRows points) {
  mechanism.check();
  return make_elements(mechanism, points);
}

}  // namespace

CartesianEquations::CartesianEquations(const Mechanism& mechanism, Velocities velocities, PointRows points)
    : CartesianEquations(mechanism, checked_elements(mechanism, points), velocities) {}

CartesianEquations::CartesianEquations(const Mechanism& mechanism, std::unique_ptr<Elements> elements,
                                       Velocities velocities)
    : MechanismEquations(sizes_of(*elements, velocities), structure_of(*elements, velocities),
                         names_of(mechanism, *elements, velocities)),
      mechanism_(mechanism),
      elements_(std::move(elements)),
      velocities_(velocities),
      per_body_(velocities == Velocities::angular ? 6 : 7) {
  sources_.resize(at_index(elements_->measured.size()));
  for (std::size_t b = 0; b < elements_->measured.blocks.size(); ++b) {
    const ConstraintBlock& block = *elements_->measured.blocks[b];
    for (std::size_t i = 0; i < block.elements().size(); ++i)
      for (int row = 0; row < block.rows(); ++row)
        sources_[at_index(block.elements()[i].row) + static_cast<std::size_t>(row)].push_back(
            {b, static_cast<Index>(i), row});
  }
  settle_offsets();
}

CartesianEquations::~CartesianEquations() = default;

CartesianMotion& CartesianEquations::scratch() {
  if (!scratch_) scratch_ = std::make_unique<CartesianMotion>(*this);
  return *scratch_;
}

// Turns are counted from the reference position; a coupler without a given offset keeps the one it has there.
void CartesianEquations::settle_offsets() {
  CartesianMotion motion(*this);
  motion.set_state(0, initial_state(), Vector());
  for (const RowSystem* rows : {&elements_->holonomic, &elements_->nonholonomic, &elements_->measured})
    for (const std::unique_ptr<ConstraintBlock>& block : rows->blocks) block->track(motion.bodies(), 0);
  if (elements_->offsets_from_assembly.empty()) return;
  motion.follow(0, initial_state());
  std::vector<double> g(at_index(elements_->holonomic.size()), 0.0);
  motion.evaluate_holonomic(0, g);
  for (const Index row : elements_->offsets_from_assembly)
    elements_->holonomic.offsets[at_index(row)] += g[at_index(row)];
}

Vector CartesianEquations::initial_state() const {
  const Layout& l = layout();
  Vector x = Vector::Zero(l.total);
  for (Index i = 0; i < body_count(); ++i) {
    const Body& body = mechanism_.bodies[at_index(i + 1)];
    const Vec3<double> arm = body.reference.axes * body.com;
    const Vec3<double> r = body.reference.origin + arm;
    const Quaternion<double> e = quaternion(body.reference.axes);
    const Eigen::Vector4d parameters(e.w, e.x, e.y, e.z);
    x.segment<3>(l.p.begin + 7 * i) = eigen(r);
    x.segment<4>(l.p.begin + 7 * i + 3) = parameters;
    const Vec3<double> v = body.velocity + cross(body.angular_velocity, arm);
    const Vec3<double> omega = transposed_times(body.reference.axes, body.angular_velocity);
    const Index at = l.v.begin + per_body_ * i;
    x.segment<3>(at) = eigen(v);
    if (velocities_ == Velocities::angular)
      x.segment<3>(at + 3) = eigen(omega);
    else
      x.segment<4>(at + 3) = 0.5 * euler_matrix(parameters).transpose() * eigen(omega);
  }
  for (std::size_t i = 0; i < elements_->states.size(); ++i)
    x[l.r.begin + static_cast<Index>(i)] = elements_->states[i].initial;
  return x;
}

// A turn by an angle counts for as much as a displacement by the same number. Euler parameters change by half
// of it.
Vector CartesianEquations::weights() const {
  constexpr double parameter = 2;
  Vector weights = Vector::Ones(layout().total);
  for (Index i = 0; i < body_count(); ++i) {
    const double keep = mechanism_.bodies[at_index(i + 1)].keep;
    weights.segment<3>(layout().p.begin + 7 * i).setConstant(keep);
    weights.segment<4>(layout().p.begin + 7 * i + 3).setConstant(parameter * keep);
    weights.segment<3>(layout().v.begin + per_body_ * i).setConstant(keep);
    weights.segment(layout().v.begin + per_body_ * i + 3, per_body_ - 3)
        .setConstant(per_body_ == 7 ? parameter * keep : keep);
  }
  return weights;
}

// Twice the largest distance from the middle of all centres of mass and joints: the same however it is
// turned.
Vector CartesianEquations::displacement_sizes(const VectorIn& x) const {
  std::vector<Eigen::Vector3d> points;
  const auto include = [&](int body, const Vec3<double>& point) {
    if (body == 0) {
      points.push_back(eigen(point));
      return;
    }
    const Body& description = mechanism_.bodies[static_cast<std::size_t>(body)];
    const auto p = x.segment<7>(layout().p.begin + 7 * (body - 1));
    const Mat3<double> R = rotation_matrix(Quaternion<double>{p[3], p[4], p[5], p[6]});
    points.push_back(p.head<3>() + eigen(R * (point - description.com)));
  };
  for (Index i = 0; i < body_count(); ++i) points.push_back(x.segment<3>(layout().p.begin + 7 * i));
  for (const Joint& joint : mechanism_.joints) {
    include(joint.body_a, joint.frame_a.origin);
    include(joint.body_b, joint.frame_b.origin);
  }
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& point : points) middle += point / static_cast<double>(points.size());
  double largest = 0;
  for (const Eigen::Vector3d& point : points) largest = std::max(largest, (point - middle).norm());
  const double size = largest > 0 ? 2 * largest : 1;
  Vector sizes = Vector::Ones(layout().v.size);
  for (Index i = 0; i < body_count(); ++i) sizes.segment<3>(per_body_ * i).setConstant(size);
  return sizes;
}

std::unique_ptr<TangentMotion> CartesianEquations::tangent() {
  if (velocities_ == Velocities::angular) return std::make_unique<CartesianMotion>(*this);
  return std::make_unique<DenseTangentMotion>(*this);
}

std::unique_ptr<MechanismMotion> CartesianEquations::mechanism_motion() {
  return std::make_unique<CartesianMotion>(*this);
}

void CartesianEquations::evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) {
  scratch().evaluate(at, wanted, out);
  if (wanted & part::mass) evaluate_mass(at, out);
}

void CartesianEquations::differentiate(const MotionPoint& at, Parts wanted, MotionDerivatives& out) {
  scratch().differentiate_by_coordinates(at, wanted, out);
}

void CartesianEquations::evaluate_mass(const MotionPoint& at, MotionValues& out) {
  out.M.setZero();
  for (Index i = 0; i < body_count(); ++i) {
    const BodyInertia& inertia = elements_->bodies[at_index(i + 1)];
    const Index row = per_body_ * i;
    out.M.block<3, 3>(row, row).diagonal().setConstant(inertia.mass);
    const Eigen::Matrix3d J = eigen(inertia.inertia);
    if (velocities_ == Velocities::angular) {
      out.M.block<3, 3>(row + 3, row + 3) = J;
    } else {
      const Eigen::Vector4d e = at.x.segment<4>(layout().p.begin + 7 * i + 3);
      const EulerMatrix T = (2 / e.squaredNorm()) * euler_matrix(e);
      out.M.block<4, 4>(row + 3, row + 3) = T.transpose() * J * T;
    }
  }
  if (!elements_->rotor_inertias.empty()) scratch().add_rotor_mass(at, out.M);
}

bool CartesianEquations::energy(double t, const VectorIn& x, EnergyState& state) {
  return scratch().energy(t, x, state);
}

void CartesianEquations::follow(double t, const VectorIn& x) { scratch().follow(t, x); }

void CartesianEquations::hold_switches(std::span<const HeldBranch> held, double negligible) {
  scratch().hold_switches(held, negligible);
}

void CartesianEquations::carry(Carrier& carried) { scratch().carry(carried); }

std::vector<Condition> CartesianEquations::conditions() {
  return initial_conditions([this](const InitialCondition& initial, double t, const VectorIn& x,
                                   Eigen::Ref<Eigen::RowVectorXd> gradient) {
    return scratch().initial_residual(initial, t, x, gradient);
  });
}

std::unique_ptr<ReducedMotion> CartesianEquations::reduced(double t, const VectorIn& x) {
  // whose masses are constant
  if (!elements_->rotor_inertias.empty()) return nullptr;
  return PlanarMotion::find(*this, t, x);
}

std::vector<MotionCorner> CartesianEquations::corners(double from, double to) const {
  std::vector<MotionCorner> corners;
  double until = to;
  for (const ActingLaw& law : elements_->laws)
    for (const TimeCorner& corner : time_corners(law.expression, from, until))
      corners.push_back({corner.t, corner.order + law.order, law.name});
  std::erase_if(corners, [&](const MotionCorner& corner) { return !(corner.t < until); });
  if (until < to) corners.push_back({until, ask_again, ""});
  std::stable_sort(corners.begin(), corners.end(), [](const auto& a, const auto& b) { return a.t < b.t; });
  return corners;
}

}  // namespace trammel
