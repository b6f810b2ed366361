#include "trammel/motion/cartesian_motion.h"

#include <algorithm>
#include <cmath>

namespace trammel {

CartesianMotion::Rows::Rows(const RowSystem& from) : system(from) {
  for (const std::unique_ptr<ConstraintBlock>& block : from.blocks) blocks.push_back(block->clone());
}

std::span<const CartesianMotion::Rows::Place> CartesianMotion::Rows::elements_of(Index first, Index count) {
  if (by_row.empty()) {
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (std::size_t i = 0; i < blocks[b]->elements().size(); ++i)
        by_row.push_back(
            {static_cast<int>(blocks[b]->elements()[i].row), static_cast<int>(b), static_cast<int>(i)});
    std::stable_sort(by_row.begin(), by_row.end(),
                     [](const Place& one, const Place& other) { return one.row < other.row; });
  }
  const auto at = [&](Index row) {
    return std::lower_bound(by_row.begin(), by_row.end(), row,
                            [](const Place& place, Index wanted) { return place.row < wanted; });
  };
  return {at(first), at(first + count)};
}

CartesianMotion::CartesianMotion(const CartesianEquations& equations, Use use)
    : MechanismMotion(equations),
      equations_(equations),
      elements_(equations.elements()),
      velocities_(equations.velocities()),
      per_body_(velocities_ == Velocities::angular ? 6 : 7),
      holonomic_(elements_.holonomic),
      nonholonomic_(elements_.nonholonomic),
      measured_(elements_.measured),
      rotors_(elements_.rotors) {
  for (const std::unique_ptr<ForceBlock>& block : elements_.forces) forces_.push_back(block->clone());
  for (const std::unique_ptr<ForceBlock>& block : forces_) force_switches_ += block->switch_count();
  switch_count_ = force_switches_;
  for (const StateEquation& state : elements_.states) switch_count_ += state.rate.switches();
  rest_unused_measures();
  states_.resize(elements_.bodies.size());
  wrenches_.resize(elements_.bodies.size());
  const std::size_t rows = at_index(elements_.measured.size());
  measured_value_.resize(rows);
  measured_rate_.resize(rows);
  measured_acceleration_.resize(rows);
  measured_view_ = {measured_value_, measured_rate_, measured_acceleration_};
  input_values_.resize(elements_.inputs.size());
  rotor_forces_.resize(elements_.rotor_inertias.size());
  rotor_rates_.resize(elements_.rotor_inertias.size());
  if (has_rotors()) drifting_.resize(states_.size());
  multipliers_.resize(at_index(elements_.holonomic.size()));
  nonholonomic_multipliers_.resize(at_index(elements_.nonholonomic.size()));

  const Index twist = 6 * body_count(), states = static_cast<Index>(elements_.states.size());
  const Index constraints = elements_.holonomic.size() + elements_.nonholonomic.size();
  set_sizes(slopes_, {twist, constraints, states});
  if (use == Use::by_itself) assemble_mass();
}

// --- values -----------------------------------------------------------------------------------------------

void CartesianMotion::set_bodies(const MotionPoint& at) {
  const Layout& l = layout();
  t_ = at.t;
  expect_turns(at.t);
  initial_known_ = false;
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
  take_multipliers(at);
}

void CartesianMotion::take_multipliers(const MotionPoint& at) {
  const Layout& l = layout();
  for (std::size_t i = 0; i < multipliers_.size(); ++i)
    multipliers_[i] = at.x[l.lambda.begin + static_cast<Index>(i)];
  for (std::size_t i = 0; i < nonholonomic_multipliers_.size(); ++i)
    nonholonomic_multipliers_[i] = at.x[l.mu.begin + static_cast<Index>(i)];
}

void CartesianMotion::evaluate_rows(const Rows& rows, double t, unsigned wanted, const RowValues& out) const {
  if (wanted & ConstraintBlock::position)
    for (std::size_t i = 0; i < out.value.size(); ++i) out.value[i] = -rows.system.offsets[i];
  if (wanted & ConstraintBlock::velocity) std::fill(out.rate.begin(), out.rate.end(), 0.0);
  if (wanted & ConstraintBlock::acceleration)
    std::fill(out.acceleration.begin(), out.acceleration.end(), 0.0);
  for (const std::unique_ptr<ConstraintBlock>& block : rows.blocks) block->evaluate(states_, wanted, out);
  for (const RowSystem::Driven& driven : rows.system.driven) {
    const Taylor<double> motion = (*driven.function)(t);
    const std::size_t row = at_index(driven.row);
    if (wanted & ConstraintBlock::position) out.value[row] -= motion.value;
    if (wanted & ConstraintBlock::velocity) out.rate[row] -= motion.first;
    if (wanted & ConstraintBlock::acceleration) out.acceleration[row] -= motion.second;
  }
}

// Most of what is measured is only shown: in a step those rows count that laws of forces or states use.
void CartesianMotion::rest_unused_measures() {
  std::vector<char> used(at_index(elements_.measured.size()), 0);
  const auto mark = [&](const std::vector<int>& inputs) {
    for (const int i : inputs)
      if (const Input& input = elements_.inputs[static_cast<std::size_t>(i)];
          input.kind == Input::Kind::value || input.kind == Input::Kind::rate)
        used[at_index(input.index)] = 1;
  };
  for (const std::unique_ptr<ForceBlock>& block : forces_)
    for (const ForceBlock::Element& element : block->elements()) mark(element.inputs);
  for (const StateEquation& state : elements_.states) mark(state.inputs);
  for (const std::unique_ptr<ConstraintBlock>& block : measured_.blocks) {
    std::vector<char> resting;
    for (const ConstraintBlock::Element& element : block->elements()) {
      const auto first = used.begin() + element.row;
      resting.push_back(std::none_of(first, first + block->rows(), [](char row) { return row != 0; }));
    }
    block->set_resting(std::move(resting));
  }
}

void CartesianMotion::evaluate_inputs(const MotionPoint& at, Inputs which) {
  if (elements_.inputs.empty()) return;
  if (which == Inputs::of_laws)
    evaluate_rows(measured_, at.t,
                  ConstraintBlock::position | ConstraintBlock::velocity | ConstraintBlock::awake,
                  measured_view_);
  for (std::size_t i = 0; i < input_values_.size(); ++i) {
    const Input& input = elements_.inputs[i];
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

// Applied forces less constraint forces, weight, the gyroscopic torque, and forces of rotors.
void CartesianMotion::evaluate_wrenches(const MotionPoint& at, Accelerations of_rotors) {
  for (std::size_t i = 0; i < wrenches_.size(); ++i) {
    const BodyInertia& inertia = elements_.bodies[i];
    const BodyState& body = states_[i];
    wrenches_[i] = {elements_.gravity * inertia.mass, -cross(body.omega, inertia.inertia * body.omega)};
  }
  add_element_wrenches(at);
  if (!has_rotors()) return;
  if (of_rotors == Accelerations::of_bodies) {
    evaluate_rotors(states_, true);
  } else {
    drifting_ = states_;
    for (std::size_t i = 1; i < drifting_.size(); ++i) {
      drifting_[i].a = drifting_[i].alpha = {};
      if (velocities_ == Velocities::angular) continue;
      const Index first = 7 * static_cast<Index>(i - 1) + 3;  // α without e''
      const Eigen::Vector4d e = at.x.segment<4>(layout().p.begin + first);
      const Eigen::Vector4d rate = at.x.segment<4>(layout().v.begin + first);
      drifting_[i].alpha = states_[i].omega * (-2 * e.dot(rate) / e.squaredNorm());
    }
    evaluate_rotors(drifting_, true);
  }
  add_rotor_wrenches();
}

void CartesianMotion::add_element_wrenches(const MotionPoint& at) {
  for (const std::unique_ptr<ForceBlock>& block : forces_)
    block->evaluate(states_, at.t, input_values_, wrenches_);
  const auto subtract = [&](const Rows& rows, std::span<const double> multipliers) {
    if (std::all_of(multipliers.begin(), multipliers.end(), [](double one) { return one == 0; })) return;
    for (const std::unique_ptr<ConstraintBlock>& block : rows.blocks)
      for (std::size_t i = 0; i < block->elements().size(); ++i) {
        if (rest_ && block->rests(i)) continue;
        const ConstraintBlock::Element& element = block->elements()[i];
        Wrench<double> on_a, on_b;
        block->react(states_, static_cast<Index>(i), multipliers, on_a, on_b);
        wrenches_[static_cast<std::size_t>(element.body_a)] -= on_a;
        wrenches_[static_cast<std::size_t>(element.body_b)] -= on_b;
      }
  };
  subtract(holonomic_, multipliers_);
  subtract(nonholonomic_, nonholonomic_multipliers_);
}

void CartesianMotion::evaluate_dynamics(const MotionPoint& at, MotionValues& out) {
  evaluate_wrenches(at, Accelerations::none);
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
    const Eigen::Matrix3d J = eigen(elements_.bodies[at_index(i + 1)].inertia);
    rows.tail<4>() = (2 / norm) * euler_matrix(e).transpose() * (eigen(wrench.torque) - J * alpha) -
                     at.x[l.lambda.begin + elements_.holonomic.size() + i] * e;
  }
}

double CartesianMotion::evaluate_state(std::size_t i, double t, const Switches& switches) const {
  std::array<double, 65> arguments;
  const StateEquation& state = elements_.states[i];
  arguments[0] = t;
  for (std::size_t k = 0; k < state.inputs.size(); ++k)
    arguments[k + 1] = input_values_[static_cast<std::size_t>(state.inputs[k])];
  return state.rate.evaluate<double>(std::span<const double>(arguments.data(), state.inputs.size() + 1),
                                     switches);
}

void CartesianMotion::evaluate_states(const MotionPoint& at, MotionValues& out) const {
  for (std::size_t i = 0; i < elements_.states.size(); ++i)
    out.b[static_cast<Index>(i)] = evaluate_state(i, at.t, state_switches(i));
}

void CartesianMotion::evaluate_normalizations(const MotionPoint& at, Parts wanted, MotionValues& out) const {
  const Layout& l = layout();
  const Index first = elements_.holonomic.size();
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

void CartesianMotion::evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) {
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
  evaluate_normalizations(at, wanted, out);
  evaluate_elements(at, wanted, out);
  if ((wanted & part::mass) && has_rotors()) {
    differentiate_rotors(jacobian);
    assemble_mass();
  }
}

void CartesianMotion::evaluate_elements(const MotionPoint& at, Parts wanted, MotionValues& out) {
  const auto levels = [&](Parts value, Parts rate, Parts acceleration) {
    return ((wanted & value) ? unsigned{ConstraintBlock::position} : 0u) |
           ((wanted & rate) ? unsigned{ConstraintBlock::velocity} : 0u) |
           ((wanted & acceleration) ? unsigned{ConstraintBlock::acceleration} : 0u);
  };
  const auto span = [](Vector& values, Index size) {
    return std::span<double>(values.data(), at_index(size));
  };
  if (const unsigned rows = levels(part::g, part::gI, part::gII)) {
    const Index size = elements_.holonomic.size();
    evaluate_rows(holonomic_, at.t, rows | (rest_ ? unsigned{ConstraintBlock::awake} : 0u),
                  {span(out.g, size), span(out.gI, size), span(out.gII, size)});
  }
  if (const unsigned rows = levels(0, part::h, part::hI)) {
    const Index size = elements_.nonholonomic.size();
    evaluate_rows(nonholonomic_, at.t, rows, {{}, span(out.h, size), span(out.hI, size)});
  }
  if (wanted & (part::dynamics | part::b)) evaluate_inputs(at);
  if (wanted & part::dynamics) evaluate_dynamics(at, out);
  if (wanted & part::b) evaluate_states(at, out);
}

void CartesianMotion::set_resting(const std::vector<char>& rows) {
  for (const std::unique_ptr<ConstraintBlock>& block : holonomic_.blocks) {
    std::vector<char> resting;
    for (const ConstraintBlock::Element& element : block->elements()) {
      const auto first = rows.begin() + element.row;
      resting.push_back(std::all_of(first, first + block->rows(), [](char row) { return row != 0; }));
    }
    block->set_resting(std::move(resting));
  }
  rest_ = true;
}

void CartesianMotion::evaluate_holonomic(double t, std::span<double> values) const {
  evaluate_rows(holonomic_, t, ConstraintBlock::position, {values, {}, {}});
}

void CartesianMotion::follow(double t, const VectorIn& x) {
  set_bodies({t, x, Vector()});
  follow_turns(t);
}

void CartesianMotion::follow_turns(double t) {
  const double since = t > followed_ ? t - followed_ : 0;
  double fastest = 0;
  for (const Rows* rows : {&holonomic_, &nonholonomic_, &measured_})
    for (const std::unique_ptr<ConstraintBlock>& block : rows->blocks) {
      block->track(states_, since);
      for (Index i = 0; i < static_cast<Index>(block->elements().size()); ++i)
        fastest = std::max(fastest, std::abs(block->turning(i).rate));
    }
  followed_ = expected_ = t;
  turn_time_ = 1 / std::max(fastest, 1e-100);  // less than half a turn
}

// A step may be longer than half a turn takes.
bool CartesianMotion::expect_turns(double t) {
  if (!(std::abs(t - expected_) > turn_time_)) return false;
  expected_ = t;
  for (const Rows* rows : {&holonomic_, &nonholonomic_, &measured_})
    for (const std::unique_ptr<ConstraintBlock>& block : rows->blocks) block->expect(t - followed_);
  return true;
}

void CartesianMotion::carry(Carrier& carried) {
  carried(followed_, expected_, turn_time_);
  for (const Rows* rows : {&holonomic_, &nonholonomic_, &measured_})
    for (const std::unique_ptr<ConstraintBlock>& block : rows->blocks) block->carry(carried);
}

// --- switches ---------------------------------------------------------------------------------------------

std::string CartesianMotion::switch_name(Index i) const {
  for (const std::unique_ptr<ForceBlock>& block : forces_) {
    if (i < block->switch_count()) return block->switch_name(i);
    i -= block->switch_count();
  }
  for (const StateEquation& state : elements_.states)
    if (i < state.first_switch + state.rate.switches()) return state.name;
  return {};
}

void CartesianMotion::hold_switches(std::span<const HeldBranch> held, double negligible) {
  const bool any = !held.empty();
  for (const std::unique_ptr<ForceBlock>& block : forces_) {
    const std::size_t count = any ? at_index(block->switch_count()) : 0;
    block->hold_switches(held.first(count), negligible);
    held = held.subspan(count);
  }
  held_states_.assign(held.begin(), held.end());
  negligible_ = negligible;
}

void CartesianMotion::read_switches(double t, const VectorIn& x, std::span<SwitchReading> readings) {
  const MotionPoint at{t, x, Vector()};
  set_bodies(at);
  read_switches(at, readings);
}

void CartesianMotion::read_switches(const MotionPoint& at, std::span<SwitchReading> readings) {
  evaluate_inputs(at);
  for (SwitchReading& reading : readings) reading = {};
  for (const std::unique_ptr<ForceBlock>& block : forces_) {
    if (block->switch_count() > 0) block->read_switches(states_, at.t, input_values_, readings);
    readings = readings.subspan(at_index(block->switch_count()));
  }
  for (std::size_t i = 0; i < elements_.states.size(); ++i)
    evaluate_state(i, at.t, state_switches(i, readings.data()));
}

// --- results

void CartesianMotion::set_state(double t, const VectorIn& x, const VectorIn& a) {
  const MotionPoint at{t, x, a};
  set_bodies(at);
  evaluate_rows(measured_, t,
                ConstraintBlock::position | ConstraintBlock::velocity | ConstraintBlock::acceleration,
                measured_view_);
  evaluate_inputs(at, Inputs::all);
}

bool CartesianMotion::energy(double t, const VectorIn& x, EnergyState& state) {
  const MotionPoint at{t, x, Vector()};
  set_bodies(at);
  state = energy_of_bodies(at);
  return true;
}

EnergyState CartesianMotion::energy_of_bodies(const MotionPoint& at) {
  const double t = at.t;
  EnergyState state;
  evaluate_inputs(at);
  state.kinetic = kinetic_energy();
  state.potential = potential_energy();

  // constraint forces do work only where the constraints move by themselves
  for (std::size_t i = 0; i < wrenches_.size(); ++i)
    wrenches_[i] = {elements_.gravity * elements_.bodies[i].mass, {}};
  for (const std::unique_ptr<ForceBlock>& block : forces_)
    block->evaluate(states_, t, input_values_, wrenches_);
  state.force_power = 0;
  for (std::size_t i = 1; i < wrenches_.size(); ++i)
    state.force_power += dot(wrenches_[i].force, states_[i].v) + dot(wrenches_[i].torque, states_[i].omega);
  state.driver_power = 0;
  const auto add = [&](const Rows& rows, std::span<const double> multipliers) {
    for (const RowSystem::Driven& driven : rows.system.driven)
      state.driver_power -= multipliers[at_index(driven.row)] * (*driven.function)(t).first;
  };
  add(holonomic_, multipliers_);
  add(nonholonomic_, nonholonomic_multipliers_);
  return state;
}

double CartesianMotion::kinetic_energy() const {
  double energy = has_rotors() ? kinetic_energy_of_rotors() : 0;
  for (std::size_t i = 1; i < states_.size(); ++i) {
    const BodyInertia& inertia = elements_.bodies[i];
    energy += 0.5 * inertia.mass * dot(states_[i].v, states_[i].v) +
              0.5 * dot(states_[i].omega, inertia.inertia * states_[i].omega);
  }
  return energy;
}

double CartesianMotion::potential_energy() const {
  double energy = 0;
  for (std::size_t i = 1; i < states_.size(); ++i)
    energy -= elements_.bodies[i].mass * dot(elements_.gravity, states_[i].r);
  for (const std::unique_ptr<ForceBlock>& block : forces_)
    energy += block->potential(states_, t_, input_values_);
  return energy;
}

Wrench<double> CartesianMotion::reaction(const Elements::JointRows& rows, int body,
                                         const Vec3<double>& point_world) {
  Wrench<double> sum;  // force in the world, torque about the centre of mass in body axes
  const auto collect = [&](Rows& system, std::span<const double> multipliers, Index first, Index count) {
    for (const Rows::Place& place : system.elements_of(first, count)) {
      const ConstraintBlock& block = *system.blocks[static_cast<std::size_t>(place.block)];
      const ConstraintBlock::Element& element = block.elements()[static_cast<std::size_t>(place.element)];
      Wrench<double> on_a, on_b;
      block.react(states_, place.element, multipliers, on_a, on_b);
      if (element.body_a == body) sum -= on_a;
      if (element.body_b == body) sum -= on_b;
    }
  };
  collect(holonomic_, multipliers_, rows.first, rows.count);
  collect(nonholonomic_, nonholonomic_multipliers_, rows.first_nonholonomic, rows.count_nonholonomic);
  const BodyState& state = states_[static_cast<std::size_t>(body)];
  const Vec3<double> torque = state.R * sum.torque - cross(point_world - state.r, sum.force);
  return {sum.force, torque};
}

double CartesianMotion::multiplier(const Elements::JointRows& row) {
  return row.count > 0 ? multipliers_[at_index(row.first)]
                       : nonholonomic_multipliers_[at_index(row.first_nonholonomic)];
}

}  // namespace trammel
