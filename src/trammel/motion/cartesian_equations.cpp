#include "trammel/motion/cartesian_equations.h"

#include <algorithm>
#include <cmath>

#include "trammel/mechanism/time_corners.h"
#include "trammel/motion/planar_motion.h"

namespace trammel {

namespace {

std::size_t at_index(Index i) { return static_cast<std::size_t>(i); }

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

Structure structure_of(CartesianEquations::Velocities velocities) {
  Structure structure;
  structure.constant_mass = velocities == CartesianEquations::Velocities::angular;
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

std::unique_ptr<Elements> checked_elements(const Mechanism& mechanism) {
  mechanism.check();
  return make_elements(mechanism);
}

}  // namespace

CartesianEquations::CartesianEquations(const Mechanism& mechanism, Velocities velocities)
    : CartesianEquations(mechanism, checked_elements(mechanism), velocities) {}

CartesianEquations::CartesianEquations(const Mechanism& mechanism, std::unique_ptr<Elements> elements,
                                       Velocities velocities)
    : EquationsOfMotion(sizes_of(*elements, velocities), structure_of(velocities),
                        names_of(mechanism, *elements, velocities)),
      mechanism_(mechanism),
      elements_(std::move(elements)),
      velocities_(velocities),
      per_body_(velocities == Velocities::angular ? 6 : 7) {
  const std::size_t bodies = elements_->bodies.size();
  states_.resize(bodies);
  wrenches_.resize(bodies);
  const std::size_t rows = at_index(elements_->measured.size());
  measured_value_.resize(rows);
  measured_rate_.resize(rows);
  measured_acceleration_.resize(rows);
  measured_view_ = {measured_value_, measured_rate_, measured_acceleration_};
  input_values_.resize(elements_->inputs.size());
  multipliers_.resize(at_index(elements_->holonomic.size()));
  nonholonomic_multipliers_.resize(at_index(elements_->nonholonomic.size()));

  sources_.resize(rows);
  for (std::size_t b = 0; b < elements_->measured.blocks.size(); ++b) {
    const ConstraintBlock& block = *elements_->measured.blocks[b];
    for (std::size_t i = 0; i < block.elements().size(); ++i)
      for (int row = 0; row < block.rows(); ++row)
        sources_[at_index(block.elements()[i].row) + static_cast<std::size_t>(row)].push_back(
            {b, static_cast<Index>(i), row});
  }

  const Index twist = 6 * body_count(), states = static_cast<Index>(elements_->states.size());
  const Index constraints = elements_->holonomic.size() + elements_->nonholonomic.size();
  mass_ = AssembledMatrix(twist, twist);
  for (AssembledMatrix* matrix : {&jacobian_, &rate_pose_, &acceleration_pose_, &acceleration_twist_})
    *matrix = AssembledMatrix(constraints, twist);
  for (AssembledMatrix* matrix : {&force_pose_, &force_twist_, &kinematics_})
    *matrix = AssembledMatrix(twist, twist);
  force_state_ = AssembledMatrix(twist, states);
  force_multiplier_ = AssembledMatrix(twist, constraints);
  state_pose_ = AssembledMatrix(states, twist);
  state_twist_ = AssembledMatrix(states, twist);
  state_state_ = AssembledMatrix(states, states);
  state_multiplier_ = AssembledMatrix(states, constraints);
  settle_offsets();
}

CartesianEquations::~CartesianEquations() = default;

// A coupler without a given offset keeps the one of the reference position.
void CartesianEquations::settle_offsets() {
  const Vector x = initial_state(), a = Vector::Zero(layout().v.size);
  set_bodies({0.0, x, a});
  for (const RowSystem* rows : {&elements_->holonomic, &elements_->nonholonomic, &elements_->measured})
    for (const std::unique_ptr<ConstraintBlock>& block : rows->blocks) block->track(states_);
  if (elements_->offsets_from_assembly.empty()) return;
  std::vector<double> g(at_index(elements_->holonomic.size()), 0.0);
  evaluate_rows(elements_->holonomic, 0, ConstraintBlock::position, {g, {}, {}});
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

Vector CartesianEquations::weights() const {
  Vector weights = Vector::Ones(layout().total);
  for (Index i = 0; i < body_count(); ++i) {
    const double keep = mechanism_.bodies[at_index(i + 1)].keep;
    weights.segment<7>(layout().p.begin + 7 * i).setConstant(keep);
    weights.segment(layout().v.begin + per_body_ * i, per_body_).setConstant(keep);
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

// --- values -----------------------------------------------------------------------------------------------

void CartesianEquations::set_bodies(const MotionPoint& at) {
  const Layout& l = layout();
  t_ = at.t;
  const bool accelerated = at.a.size() > 0;
  for (Index i = 0; i < body_count(); ++i) {
    BodyState& body = states_[at_index(i + 1)];
    const auto p = at.x.segment<7>(l.p.begin + 7 * i);
    const Eigen::Vector4d e = p.tail<4>();
    const Index v = l.v.begin + per_body_ * i;
    body.r = vec3(p.head<3>());
    body.R = rotation_matrix(Quaternion<double>{e[0], e[1], e[2], e[3]});
    body.v = vec3(at.x.segment<3>(v));
    if (accelerated) body.a = vec3(at.a.segment<3>(per_body_ * i));
    if (velocities_ == Velocities::angular) {
      body.omega = vec3(at.x.segment<3>(v + 3));
      if (accelerated) body.alpha = vec3(at.a.segment<3>(per_body_ * i + 3));
    } else {
      // ω = 2 L e' / eᵀe, and its rate
      const EulerMatrix L = euler_matrix(e);
      const double norm = e.squaredNorm();
      const Eigen::Vector4d rate = at.x.segment<4>(v + 3);
      const Eigen::Vector3d omega = (2 / norm) * (L * rate);
      body.omega = vec3(omega);
      if (accelerated)
        body.alpha =
            vec3(((2 / norm) * (L * at.a.segment<4>(per_body_ * i + 3)) - (2 * e.dot(rate) / norm) * omega)
                     .eval());
    }
    if (!accelerated) body.a = body.alpha = {};
  }
  for (std::size_t i = 0; i < multipliers_.size(); ++i)
    multipliers_[i] = at.x[l.lambda.begin + static_cast<Index>(i)];
  for (std::size_t i = 0; i < nonholonomic_multipliers_.size(); ++i)
    nonholonomic_multipliers_[i] = at.x[l.mu.begin + static_cast<Index>(i)];
}

void CartesianEquations::evaluate_rows(const RowSystem& rows, double t, unsigned wanted,
                                       const RowValues& out) const {
  if (wanted & ConstraintBlock::position)
    for (std::size_t i = 0; i < out.value.size(); ++i) out.value[i] = -rows.offsets[i];
  if (wanted & ConstraintBlock::velocity) std::fill(out.rate.begin(), out.rate.end(), 0.0);
  if (wanted & ConstraintBlock::acceleration)
    std::fill(out.acceleration.begin(), out.acceleration.end(), 0.0);
  for (const std::unique_ptr<ConstraintBlock>& block : rows.blocks) block->evaluate(states_, wanted, out);
  for (const RowSystem::Driven& driven : rows.driven) {
    const Taylor<double> motion = (*driven.function)(t);
    const std::size_t row = at_index(driven.row);
    if (wanted & ConstraintBlock::position) out.value[row] -= motion.value;
    if (wanted & ConstraintBlock::velocity) out.rate[row] -= motion.first;
    if (wanted & ConstraintBlock::acceleration) out.acceleration[row] -= motion.second;
  }
}

void CartesianEquations::evaluate_inputs(const MotionPoint& at) {
  if (elements_->inputs.empty()) return;
  evaluate_rows(elements_->measured, at.t, ConstraintBlock::position | ConstraintBlock::velocity,
                measured_view_);
  for (std::size_t i = 0; i < input_values_.size(); ++i) {
    const Input& input = elements_->inputs[i];
    const std::size_t index = at_index(input.index);
    switch (input.kind) {
      case Input::Kind::value:
        input_values_[i] = measured_value_[index];
        break;
      case Input::Kind::rate:
        input_values_[i] = measured_rate_[index];
        break;
      case Input::Kind::state:
        input_values_[i] = at.x[layout().r.begin + input.index];
        break;
      case Input::Kind::multiplier:
        input_values_[i] = multipliers_[index];
        break;
      case Input::Kind::nonholonomic_multiplier:
        input_values_[i] = nonholonomic_multipliers_[index];
        break;
    }
  }
}

// Applied forces less constraint forces, and the gyroscopic torque.
void CartesianEquations::evaluate_wrenches(const MotionPoint& at) {
  for (std::size_t i = 0; i < wrenches_.size(); ++i) {
    const BodyInertia& inertia = elements_->bodies[i];
    const BodyState& body = states_[i];
    wrenches_[i] = {elements_->gravity * inertia.mass, -cross(body.omega, inertia.inertia * body.omega)};
  }
  for (const std::unique_ptr<ForceBlock>& block : elements_->forces)
    block->evaluate(states_, at.t, input_values_, wrenches_);
  const auto subtract = [&](const RowSystem& rows, std::span<const double> multipliers) {
    if (std::all_of(multipliers.begin(), multipliers.end(), [](double one) { return one == 0; })) return;
    for (const std::unique_ptr<ConstraintBlock>& block : rows.blocks)
      for (std::size_t i = 0; i < block->elements().size(); ++i) {
        const ConstraintBlock::Element& element = block->elements()[i];
        Wrench<double> on_a, on_b;
        block->react(states_, static_cast<Index>(i), multipliers, on_a, on_b);
        wrenches_[static_cast<std::size_t>(element.body_a)] -= on_a;
        wrenches_[static_cast<std::size_t>(element.body_b)] -= on_b;
      }
  };
  subtract(elements_->holonomic, multipliers_);
  subtract(elements_->nonholonomic, nonholonomic_multipliers_);
}

void CartesianEquations::evaluate_dynamics(const MotionPoint& at, MotionValues& out) {
  evaluate_wrenches(at);
  const Layout& l = layout();
  for (Index i = 0; i < body_count(); ++i) {
    const Wrench<double>& wrench = wrenches_[at_index(i + 1)];
    auto rows = out.dynamics.segment(per_body_ * i, per_body_);
    rows.head<3>() = eigen(wrench.force);
    if (velocities_ == Velocities::angular) {
      rows.tail<3>() = eigen(wrench.torque);
      continue;
    }
    // (2L/eᵀe)ᵀ (τ − J α₀) − e λ, with α₀ the part of the angular acceleration that is not from e''
    const Eigen::Vector4d e = at.x.segment<4>(l.p.begin + 7 * i + 3);
    const Eigen::Vector4d rate = at.x.segment<4>(l.v.begin + 7 * i + 3);
    const double norm = e.squaredNorm();
    const Eigen::Vector3d alpha = -(2 * e.dot(rate) / norm) * eigen(states_[at_index(i + 1)].omega);
    const Eigen::Matrix3d J = eigen(elements_->bodies[at_index(i + 1)].inertia);
    rows.tail<4>() = (2 / norm) * euler_matrix(e).transpose() * (eigen(wrench.torque) - J * alpha) -
                     at.x[l.lambda.begin + elements_->holonomic.size() + i] * e;
  }
}

void CartesianEquations::evaluate_states(const MotionPoint& at, MotionValues& out) const {
  std::array<double, 65> arguments;
  for (std::size_t i = 0; i < elements_->states.size(); ++i) {
    const StateEquation& state = elements_->states[i];
    arguments[0] = at.t;
    for (std::size_t k = 0; k < state.inputs.size(); ++k)
      arguments[k + 1] = input_values_[static_cast<std::size_t>(state.inputs[k])];
    out.b[static_cast<Index>(i)] =
        state.rate.evaluate<double>(std::span<const double>(arguments.data(), state.inputs.size() + 1));
  }
}

void CartesianEquations::evaluate_mass(const MotionPoint& at, MotionValues& out) const {
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
}

void CartesianEquations::evaluate_normalizations(const MotionPoint& at, Parts wanted,
                                                 MotionValues& out) const {
  const Layout& l = layout();
  const Index first = elements_->holonomic.size();
  for (Index i = 0; i < body_count(); ++i) {
    const auto e = at.x.segment<4>(l.p.begin + 7 * i + 3);
    if (velocities_ == Velocities::angular) {
      if (wanted & part::n) out.n[i] = 0.5 * (e.squaredNorm() - 1);
      continue;
    }
    const auto rate = at.x.segment<4>(l.v.begin + 7 * i + 3);
    if (wanted & part::g) out.g[first + i] = 0.5 * (e.squaredNorm() - 1);
    if (wanted & part::gI) out.gI[first + i] = e.dot(rate);
    if (wanted & part::gII) out.gII[first + i] = rate.squaredNorm() + e.dot(at.a.segment<4>(7 * i + 3));
  }
}

void CartesianEquations::evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) {
  set_bodies(at);
  const Layout& l = layout();
  if (wanted & part::kinematics) {
    for (Index i = 0; i < body_count(); ++i) {
      const auto v = at.x.segment(l.v.begin + per_body_ * i, per_body_);
      if (velocities_ == Velocities::parameter_rates) {
        out.kinematics.segment<7>(7 * i) = v;
        continue;
      }
      out.kinematics.segment<3>(7 * i) = v.head<3>();
      out.kinematics.segment<4>(7 * i + 3) =
          0.5 * euler_matrix(at.x.segment<4>(l.p.begin + 7 * i + 3)).transpose() * v.tail<3>();
    }
  }
  const auto levels = [&](Parts value, Parts rate, Parts acceleration) {
    return ((wanted & value) ? unsigned{ConstraintBlock::position} : 0u) |
           ((wanted & rate) ? unsigned{ConstraintBlock::velocity} : 0u) |
           ((wanted & acceleration) ? unsigned{ConstraintBlock::acceleration} : 0u);
  };
  const auto span = [](Vector& values, Index size) {
    return std::span<double>(values.data(), at_index(size));
  };
  if (const unsigned rows = levels(part::g, part::gI, part::gII)) {
    const Index size = elements_->holonomic.size();
    evaluate_rows(elements_->holonomic, at.t, rows | (rest_ ? unsigned{ConstraintBlock::awake} : 0u),
                  {span(out.g, size), span(out.gI, size), span(out.gII, size)});
  }
  if (const unsigned rows = levels(0, part::h, part::hI)) {
    const Index size = elements_->nonholonomic.size();
    evaluate_rows(elements_->nonholonomic, at.t, rows, {{}, span(out.h, size), span(out.hI, size)});
  }
  evaluate_normalizations(at, wanted, out);
  if (wanted & (part::dynamics | part::b)) evaluate_inputs(at);
  if (wanted & part::dynamics) evaluate_dynamics(at, out);
  if (wanted & part::b) evaluate_states(at, out);
  if (wanted & part::mass) evaluate_mass(at, out);
}

void CartesianEquations::set_resting(const std::vector<char>& rows) {
  for (const std::unique_ptr<ConstraintBlock>& block : elements_->holonomic.blocks) {
    std::vector<char> resting;
    for (const ConstraintBlock::Element& element : block->elements()) {
      const auto first = rows.begin() + element.row;
      resting.push_back(std::all_of(first, first + block->rows(), [](char row) { return row != 0; }));
    }
    block->set_resting(std::move(resting));
  }
}

std::unique_ptr<ReducedMotion> CartesianEquations::reduced(double t, const VectorIn& x) {
  return PlanarMotion::find(*this, t, x);
}

void CartesianEquations::follow(double t, const VectorIn& x) {
  set_bodies({t, x, Vector()});
  for (const RowSystem* rows : {&elements_->holonomic, &elements_->nonholonomic, &elements_->measured})
    for (const std::unique_ptr<ConstraintBlock>& block : rows->blocks) block->track(states_);
}

// --- results ----------------------------------------------------------------------------------------------

void CartesianEquations::set_state(double t, const VectorIn& x, const VectorIn& a) {
  const MotionPoint at{t, x, a};
  set_bodies(at);
  evaluate_rows(elements_->measured, t,
                ConstraintBlock::position | ConstraintBlock::velocity | ConstraintBlock::acceleration,
                measured_view_);
  evaluate_inputs(at);
}

std::vector<MotionCorner> CartesianEquations::corners(double from, double to) const {
  std::vector<MotionCorner> corners;
  for (const ActingLaw& law : elements_->laws)
    for (const TimeCorner& corner : time_corners(law.expression, from, to))
      corners.push_back({corner.t, corner.order + law.order, law.name});
  std::stable_sort(corners.begin(), corners.end(), [](const auto& a, const auto& b) { return a.t < b.t; });
  return corners;
}

bool CartesianEquations::energy(double t, const VectorIn& x, EnergyState& state) {
  const MotionPoint at{t, x, Vector()};
  set_bodies(at);
  evaluate_inputs(at);
  state.kinetic = kinetic_energy();
  state.potential = potential_energy();

  // constraint forces do work only where the constraints move by themselves
  for (std::size_t i = 0; i < wrenches_.size(); ++i)
    wrenches_[i] = {elements_->gravity * elements_->bodies[i].mass, {}};
  for (const std::unique_ptr<ForceBlock>& block : elements_->forces)
    block->evaluate(states_, t, input_values_, wrenches_);
  state.force_power = 0;
  for (std::size_t i = 1; i < wrenches_.size(); ++i)
    state.force_power += dot(wrenches_[i].force, states_[i].v) + dot(wrenches_[i].torque, states_[i].omega);
  state.driver_power = 0;
  const auto add = [&](const RowSystem& rows, std::span<const double> multipliers) {
    for (const RowSystem::Driven& driven : rows.driven)
      state.driver_power -= multipliers[at_index(driven.row)] * (*driven.function)(t).first;
  };
  add(elements_->holonomic, multipliers_);
  add(elements_->nonholonomic, nonholonomic_multipliers_);
  return true;
}

double CartesianEquations::kinetic_energy() const {
  double energy = 0;
  for (std::size_t i = 1; i < states_.size(); ++i) {
    const BodyInertia& inertia = elements_->bodies[i];
    energy += 0.5 * inertia.mass * dot(states_[i].v, states_[i].v) +
              0.5 * dot(states_[i].omega, inertia.inertia * states_[i].omega);
  }
  return energy;
}

double CartesianEquations::potential_energy() const {
  double energy = 0;
  for (std::size_t i = 1; i < states_.size(); ++i)
    energy -= elements_->bodies[i].mass * dot(elements_->gravity, states_[i].r);
  for (const std::unique_ptr<ForceBlock>& block : elements_->forces)
    energy += block->potential(states_, t_, input_values_);
  return energy;
}

Wrench<double> CartesianEquations::reaction(const Elements::JointRows& rows, int body,
                                            const Vec3<double>& point_world) const {
  Wrench<double> sum;  // force in the world, torque about the centre of mass in body axes
  const auto collect = [&](const RowSystem& system, std::span<const double> multipliers, Index first,
                           Index count) {
    for (const std::unique_ptr<ConstraintBlock>& block : system.blocks)
      for (std::size_t i = 0; i < block->elements().size(); ++i) {
        const ConstraintBlock::Element& element = block->elements()[i];
        if (element.row < first || element.row >= first + count) continue;
        Wrench<double> on_a, on_b;
        block->react(states_, static_cast<Index>(i), multipliers, on_a, on_b);
        if (element.body_a == body) sum -= on_a;
        if (element.body_b == body) sum -= on_b;
      }
  };
  collect(elements_->holonomic, multipliers_, rows.first, rows.count);
  collect(elements_->nonholonomic, nonholonomic_multipliers_, rows.first_nonholonomic,
          rows.count_nonholonomic);
  const BodyState& state = states_[static_cast<std::size_t>(body)];
  const Vec3<double> torque = state.R * sum.torque - cross(point_world - state.r, sum.force);
  return {sum.force, torque};
}

}  // namespace trammel
