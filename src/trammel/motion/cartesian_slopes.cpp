// The derivatives of the Cartesian equations along the twists, as sparse matrices whose pattern is found
// once.
#include <algorithm>
#include <array>
#include <span>

#include "trammel/motion/cartesian_motion.h"

namespace trammel {

namespace {

// Adds a row-major block of `rows` by 12 whose columns are the twists of two bodies; the ground has none.
void add_columns(AssembledMatrix& matrix, Index row, Index rows, int body_a, int body_b,
                 std::span<const double> block, std::size_t stride = 12) {
  for (Index i = 0; i < rows; ++i)
    for (int side = 0; side < 2; ++side) {
      const int body = side == 0 ? body_a : body_b;
      if (body == 0) continue;
      for (int k = 0; k < 6; ++k)
        matrix.add(row + i, 6 * (body - 1) + k,
                   block[at_index(i) * stride + static_cast<std::size_t>(6 * side + k)]);
    }
}

}  // namespace

std::string CartesianMotion::differentiate(const MotionPoint& at, unsigned wanted) {
  set_bodies(at);
  differentiate_blocks(at, wanted);
  assemble_constraints(wanted);
  if (has_rotors()) {
    differentiate_rotors(wanted);
    assemble_mass();
  }
  if (wanted & forces) {
    assemble_forces();
    assemble_states(at);
    assemble_kinematics();
  }
  return {};
}

void CartesianMotion::differentiate_blocks(const MotionPoint& at, unsigned wanted) {
  unsigned levels = ConstraintBlock::position;
  if (wanted & (hidden | forces)) levels |= ConstraintBlock::velocity | ConstraintBlock::acceleration;
  if (wanted & forces) levels |= ConstraintBlock::reaction;
  for (const std::unique_ptr<ConstraintBlock>& block : holonomic_.blocks)
    block->differentiate(states_, multipliers_, levels | (rest_ ? unsigned{ConstraintBlock::awake} : 0u));
  for (const std::unique_ptr<ConstraintBlock>& block : nonholonomic_.blocks)
    block->differentiate(states_, nonholonomic_multipliers_, levels);
  if ((wanted & forces) == 0) return;
  evaluate_inputs(at);
  if (!elements_.inputs.empty())
    for (const std::unique_ptr<ConstraintBlock>& block : measured_.blocks)
      block->differentiate(states_, {},
                           ConstraintBlock::position | ConstraintBlock::velocity | ConstraintBlock::awake);
  for (const std::unique_ptr<ForceBlock>& block : forces_) block->differentiate(states_, at.t, input_values_);
}

void CartesianMotion::assemble_constraints(unsigned wanted) {
  const bool all = (wanted & (hidden | forces)) != 0;
  const std::array every = {&slopes_.jacobian, &slopes_.rate_pose, &slopes_.acceleration_pose,
                            &slopes_.acceleration_twist};
  const std::span<AssembledMatrix* const> matrices(every.data(), all ? every.size() : 1);
  for (AssembledMatrix* matrix : matrices) matrix->begin();
  const auto add = [&](const Rows& rows, Index first) {
    for (const std::unique_ptr<ConstraintBlock>& block : rows.blocks)
      for (std::size_t i = 0; i < block->elements().size(); ++i) {
        const ConstraintBlock::Element& element = block->elements()[i];
        const ConstraintSlopes slopes = block->slopes(static_cast<Index>(i));
        const Index row = first + element.row;
        add_columns(slopes_.jacobian, row, block->rows(), element.body_a, element.body_b, slopes.jacobian);
        if (!all) continue;
        add_columns(slopes_.rate_pose, row, block->rows(), element.body_a, element.body_b, slopes.rate_pose);
        add_columns(slopes_.acceleration_pose, row, block->rows(), element.body_a, element.body_b,
                    slopes.acceleration_pose);
        add_columns(slopes_.acceleration_twist, row, block->rows(), element.body_a, element.body_b,
                    slopes.acceleration_twist);
      }
  };
  add(holonomic_, 0);
  add(nonholonomic_, elements_.holonomic.size());
  for (AssembledMatrix* matrix : matrices) matrix->finish();
}

const SparseMatrix& CartesianMotion::all_constraints() {
  for (const Rows* rows : {&holonomic_, &nonholonomic_})
    for (const std::unique_ptr<ConstraintBlock>& block : rows->blocks)
      block->differentiate(states_, {}, ConstraintBlock::position);
  assemble_constraints(jacobian);
  return slopes_.jacobian.matrix();
}

void CartesianMotion::assemble_forces() {
  for (AssembledMatrix* matrix :
       {&slopes_.force_pose, &slopes_.force_twist, &slopes_.force_state, &slopes_.force_multiplier})
    matrix->begin();
  add_gyroscopic_slopes();
  add_element_slopes();
  if (has_rotors()) {
    add_rotor_reaction_slopes();
    add_rotor_acceleration_slopes();
  }
  for (AssembledMatrix* matrix :
       {&slopes_.force_pose, &slopes_.force_twist, &slopes_.force_state, &slopes_.force_multiplier})
    matrix->finish();
}

// Of the torque −ω × Jω.
void CartesianMotion::add_gyroscopic_slopes() {
  for (Index i = 0; i < body_count(); ++i) {
    const Eigen::Vector3d omega = eigen(states_[at_index(i + 1)].omega);
    const Eigen::Matrix3d J = eigen(elements_.bodies[at_index(i + 1)].inertia);
    const Eigen::Matrix3d slope = cross_matrix(J * omega) - cross_matrix(omega) * J;
    for (Index row = 0; row < 3; ++row)
      for (Index col = 0; col < 3; ++col)
        slopes_.force_twist.add(6 * i + 3 + row, 6 * i + 3 + col, slope(row, col));
  }
}

// Of constraint forces and of forces.
void CartesianMotion::add_element_slopes() {
  std::array<double, 144> negative;
  const auto subtract = [&](const Rows& rows) {
    for (const std::unique_ptr<ConstraintBlock>& block : rows.blocks)
      for (std::size_t i = 0; i < block->elements().size(); ++i) {
        if (rest_ && block->rests(i)) continue;
        const ConstraintBlock::Element& element = block->elements()[i];
        const std::span<const double> slopes = block->slopes(static_cast<Index>(i)).reaction_pose;
        for (std::size_t k = 0; k < 144; ++k) negative[k] = -slopes[k];
        for (int side = 0; side < 2; ++side) {
          const int body = side == 0 ? element.body_a : element.body_b;
          if (body == 0) continue;
          add_columns(slopes_.force_pose, 6 * (body - 1), 6, element.body_a, element.body_b,
                      std::span<const double>(negative).subspan(static_cast<std::size_t>(72 * side), 72));
        }
      }
  };
  subtract(holonomic_);
  subtract(nonholonomic_);

  // force elements
  const GradientTarget target{slopes_.force_pose, slopes_.force_twist, slopes_.force_state,
                              slopes_.force_multiplier};
  for (const std::unique_ptr<ForceBlock>& block : forces_)
    for (std::size_t i = 0; i < block->elements().size(); ++i) {
      const ForceBlock::Element& element = block->elements()[i];
      const std::span<const double> slopes = block->pose_and_twist_slopes(static_cast<Index>(i));
      const std::span<const double> by_input = block->input_slopes(static_cast<Index>(i));
      for (int side = 0; side < 2; ++side) {
        const int body = side == 0 ? element.body_a : element.body_b;
        if (body == 0) continue;
        const Index row = 6 * (body - 1);
        const std::size_t first = static_cast<std::size_t>(6 * side) * 24;
        add_columns(slopes_.force_pose, row, 6, element.body_a, element.body_b, slopes.subspan(first), 24);
        add_columns(slopes_.force_twist, row, 6, element.body_a, element.body_b, slopes.subspan(first + 12),
                    24);
        for (std::size_t k = 0; k < element.inputs.size(); ++k)
          for (Index j = 0; j < 6; ++j)
            add_input_gradient(
                element.inputs[k], row + j,
                by_input[(static_cast<std::size_t>(6 * side) + at_index(j)) * element.inputs.size() + k],
                target);
      }
    }
}

void CartesianMotion::add_input_gradient(int index, Index row, double slope,
                                         const GradientTarget& target) const {
  const Input& input = elements_.inputs[static_cast<std::size_t>(index)];
  switch (input.kind) {
    case Input::Kind::state:
      target.state.add(row, input.index, slope);
      return;
    case Input::Kind::multiplier:
      target.multiplier.add(row, input.index, slope);
      return;
    case Input::Kind::nonholonomic_multiplier:
      target.multiplier.add(row, elements_.holonomic.size() + input.index, slope);
      return;
    case Input::Kind::value:
    case Input::Kind::rate:
      break;
  }
  std::array<double, 12> scaled;
  for (const CartesianEquations::Source& source : equations_.sources()[at_index(input.index)]) {
    ConstraintBlock& block = *measured_.blocks[source.block];
    const ConstraintBlock::Element& element = block.elements()[at_index(source.element)];
    const ConstraintSlopes slopes = block.slopes(source.element);
    const auto add = [&](AssembledMatrix& matrix, std::span<const double> gradient) {
      for (std::size_t k = 0; k < 12; ++k)
        scaled[k] = slope * gradient[static_cast<std::size_t>(12 * source.row) + k];
      add_columns(matrix, row, 1, element.body_a, element.body_b, scaled);
    };
    if (input.kind == Input::Kind::value) {
      add(target.pose, slopes.jacobian);
    } else {
      add(target.pose, slopes.rate_pose);
      add(target.twist, slopes.jacobian);
    }
  }
}

void CartesianMotion::assemble_states(const MotionPoint& at) {
  constexpr int width = 32;
  using Number = Dual<double, width>;
  for (AssembledMatrix* matrix :
       {&slopes_.state_pose, &slopes_.state_twist, &slopes_.state_state, &slopes_.state_multiplier})
    matrix->begin();
  const GradientTarget target{slopes_.state_pose, slopes_.state_twist, slopes_.state_state,
                              slopes_.state_multiplier};
  std::array<Number, 65> arguments;
  for (std::size_t i = 0; i < elements_.states.size(); ++i) {
    const StateEquation& state = elements_.states[i];
    const int count = static_cast<int>(state.inputs.size());
    arguments[0] = Number(at.t);
    for (int first = 0; first < count; first += width) {
      for (int k = 0; k < count; ++k) {
        const double value =
            input_values_[static_cast<std::size_t>(state.inputs[static_cast<std::size_t>(k)])];
        arguments[static_cast<std::size_t>(k) + 1] =
            k >= first && k < first + width ? Number::variable(value, k - first) : Number(value);
      }
      const Number rate = state.rate.evaluate<Number>(
          std::span<const Number>(arguments.data(), static_cast<std::size_t>(count) + 1), state_switches(i));
      for (int k = first; k < std::min(count, first + width); ++k)
        add_input_gradient(state.inputs[static_cast<std::size_t>(k)], static_cast<Index>(i),
                           rate.derivative[static_cast<std::size_t>(k - first)], target);
    }
  }
  for (AssembledMatrix* matrix :
       {&slopes_.state_pose, &slopes_.state_twist, &slopes_.state_state, &slopes_.state_multiplier})
    matrix->finish();
}

void CartesianMotion::assemble_mass() {
  slopes_.mass.begin();
  for (Index i = 0; i < body_count(); ++i) {
    const BodyInertia& inertia = elements_.bodies[at_index(i + 1)];
    for (Index row = 0; row < 3; ++row) {
      slopes_.mass.add(6 * i + row, 6 * i + row, inertia.mass);
      for (Index col = 0; col < 3; ++col)
        slopes_.mass.add(6 * i + 3 + row, 6 * i + 3 + col,
                         inertia.inertia(static_cast<int>(row), static_cast<int>(col)));
    }
  }
  if (has_rotors()) add_rotor_mass();
  slopes_.mass.finish();
}

// The part of a rotation's rate that comes from turning the body: with e' held, the angular velocity of a
// displacement θ is θ' + ½ ω × θ.
void CartesianMotion::assemble_kinematics() {
  slopes_.kinematics.begin();
  for (Index i = 0; i < body_count(); ++i) {
    const Eigen::Matrix3d half = 0.5 * cross_matrix(eigen(states_[at_index(i + 1)].omega));
    for (Index row = 0; row < 3; ++row)
      for (Index col = 0; col < 3; ++col)
        if (row != col) slopes_.kinematics.add(6 * i + 3 + row, 6 * i + 3 + col, half(row, col));
  }
  slopes_.kinematics.finish();
}

MeasuredSlopes CartesianMotion::measured_slopes() {
  const Index rows = elements_.measured.size(), twists = 6 * body_count();
  std::array<AssembledMatrix, 4> matrices;
  for (AssembledMatrix& matrix : matrices) {
    matrix = AssembledMatrix(rows, twists);
    matrix.begin();
  }
  for (const std::unique_ptr<ConstraintBlock>& block : measured_.blocks) {
    block->differentiate(
        states_, {}, ConstraintBlock::position | ConstraintBlock::velocity | ConstraintBlock::acceleration);
    for (std::size_t i = 0; i < block->elements().size(); ++i) {
      const ConstraintBlock::Element& element = block->elements()[i];
      const ConstraintSlopes slopes = block->slopes(static_cast<Index>(i));
      const std::array from = {slopes.jacobian, slopes.rate_pose, slopes.acceleration_pose,
                               slopes.acceleration_twist};
      for (std::size_t k = 0; k < from.size(); ++k)
        add_columns(matrices[k], element.row, block->rows(), element.body_a, element.body_b, from[k]);
    }
  }
  for (AssembledMatrix& matrix : matrices) matrix.finish();
  return {matrices[0].matrix(), matrices[1].matrix(), matrices[2].matrix(), matrices[3].matrix()};
}

void CartesianMotion::displacement_to_positions(const VectorIn& p, const VectorIn& q,
                                                const VectorIn& residual, VectorOut change) {
  for (Index i = 0; i < body_count(); ++i) {
    const Eigen::Vector4d e = p.segment<4>(7 * i + 3);
    change.segment<3>(7 * i) = q.segment<3>(6 * i);
    change.segment<4>(7 * i + 3) =
        0.5 * euler_matrix(e).transpose() * q.segment<3>(6 * i + 3) - (residual[i] / e.squaredNorm()) * e;
  }
}

void CartesianMotion::pull_back(const VectorIn& p, const VectorIn& gradient, VectorOut by_displacement) {
  for (Index i = 0; i < body_count(); ++i) {
    by_displacement.segment<3>(6 * i) = gradient.segment<3>(7 * i);
    by_displacement.segment<3>(6 * i + 3) =
        0.5 * euler_matrix(p.segment<4>(7 * i + 3)) * gradient.segment<4>(7 * i + 3);
  }
}

void CartesianMotion::rates_to_velocities(const VectorIn& p, const VectorIn& rates, VectorOut v) {
  for (Index i = 0; i < body_count(); ++i) {
    const Eigen::Vector4d e = p.segment<4>(7 * i + 3);
    v.segment<3>(6 * i) = rates.segment<3>(7 * i);
    v.segment<3>(6 * i + 3) = (2 / e.squaredNorm()) * (euler_matrix(e) * rates.segment<4>(7 * i + 3));
  }
}

void CartesianMotion::displacement_metric(double /*t*/, const VectorIn& x, const VectorIn& weights,
                                          SparseMatrix& metric) {
  const Layout& l = layout();
  metric.resize(6 * body_count(), 6 * body_count());
  metric.reserve(12 * body_count());
  for (Index i = 0; i < body_count(); ++i) {
    const Eigen::Matrix<double, 7, 1> squares = weights.segment<7>(l.p.begin + 7 * i).cwiseAbs2();
    const EulerMatrix L = euler_matrix(x.segment<4>(l.p.begin + 7 * i + 3));
    const Eigen::Matrix3d rotations = 0.25 * L * squares.tail<4>().asDiagonal() * L.transpose();
    for (Index k = 0; k < 6; ++k) {
      metric.startVec(6 * i + k);
      if (k < 3)
        metric.insertBack(6 * i + k, 6 * i + k) = squares[k];
      else
        for (Index row = 0; row < 3; ++row)
          metric.insertBack(6 * i + 3 + row, 6 * i + k) = rotations(row, k - 3);
    }
  }
  metric.finalize();
}

}  // namespace trammel
