#include "trammel/analysis/linearization.h"

#include <fmt/format.h>

#include "trammel/analysis/constraint_kernel.h"
#include "trammel/analysis/linearization_chart.h"
#include "trammel/analysis/linearization_inputs.h"
#include "trammel/analysis/linearization_ports.h"
#include "trammel/motion/assembly.h"
#include "trammel/motion/mechanism_motion.h"
#include "trammel/numerics/norms.h"

namespace trammel {

namespace {

class Linearizer {
 public:
  Linearizer(EquationsOfMotion& equations, double t, const LinearizationOptions& options)
      : equations_(equations), options_(options), t_(t), motion_(equations) {
    if (!rotates_bodies(equations)) return;
    mechanism_ = equations.of_mechanism();
    bodies_ = mechanism_->mechanism_motion();
  }

  Failure run(Linearization& result) {
    if (Failure failure = prepare(result)) return failure;
    if (Failure failure = choose_states(result)) return failure;
    find_tangents(result);
    if (Failure failure = find_responses(result)) return failure;
    if (options_.ports)
      if (Failure failure = add_ports(result)) return failure;
    describe(result);
    return {};
  }

 private:
  // Accelerations and multipliers that answer forces and the curvature of the constraints.
  struct Response {
    Matrix acceleration, multipliers;
  };

  Failure prepare(Linearization& result);
  Failure choose_states(Linearization& result);
  void find_tangents(Linearization& result);
  Failure find_responses(Linearization& result);
  Failure add_ports(Linearization& result);
  void describe(Linearization& result) const;
  Response respond_uncoupled(const Matrix& force, const Matrix& curvature);
  Response respond(const Matrix& force, const Matrix& curvature);
  void prepare_coupling();

  EquationsOfMotion& equations_;
  const LinearizationOptions& options_;
  double t_;
  DisplacedMotion motion_;
  MechanismEquations* mechanism_ = nullptr;
  std::unique_ptr<MechanismMotion> bodies_;
  MeasuredSlopes measured_;
  PositionSlopes own_positions_;  // of equations that are not those of a mechanism
  ConstraintKernel position_kernel_, velocity_kernel_;
  Eigen::LLT<Matrix> inertia_;  // NᵀMN at velocity level
  PositionRows positions_;
  VelocityRows velocities_;
  Matrix by_pose_, by_twist_, by_state_;  // q, δv, δr of each state
  Matrix multipliers_;                    // δλ of each state
  // multipliers that forces depend on, how, and what they do to themselves
  std::vector<Index> coupled_;
  Matrix coupling_;
  Eigen::PartialPivLU<Matrix> feedback_;
};

// Consistent state, accelerations, slopes.
Failure Linearizer::prepare(Linearization& result) {
  const Layout& layout = motion_.layout();
  if (layout.v.size > options_.largest)
    return {Reason::invalid_options,
            fmt::format("a linearisation works with dense matrices and is limited to {} velocities; this "
                        "system has {}. Linearise a part of it, or raise the limit",
                        options_.largest, layout.v.size)};
  AssemblyOptions assembly;
  assembly.rank_tolerance = options_.rank_tolerance;
  assembly.meet_invariants = false;
  const Vector guess = result.x;
  AssemblyReport report = Assembly(equations_, assembly).run(t_, result.x);
  if (report.failure) return report.failure;
  const Index motion = layout.p.size + layout.v.size;
  if (largest((result.x - guess).head(motion)) > 1e-9 * (1 + largest(guess.head(motion))))
    result.notes.push_back(
        fmt::format("the state was made consistent first: largest change {}", report.largest_change));
  result.accelerations = report.accelerations;
  if (result.accelerations.size() != layout.v.size) result.accelerations.setZero(layout.v.size);
  motion_.follow(t_, result.x);
  if (Failure failure = motion_.differentiate(t_, result.x, result.accelerations)) return failure;
  result.mass = motion_.slopes().mass;
  if (mechanism_ != nullptr) {
    bodies_->follow(t_, result.x);
    bodies_->set_state(t_, result.x, result.accelerations);
    measured_ = bodies_->measured_slopes();
  } else {
    own_positions_ = motion_.position_slopes(t_, result.x);
  }
  return motion_.evaluate(t_, result.x, result.accelerations, part::b | part::dynamics);
}

Failure Linearizer::choose_states(Linearization& result) {
  const Layout& layout = motion_.layout();
  const TangentSlopes slopes = motion_.slopes();
  const SparseMatrix holonomic = slopes.jacobian.topRows(layout.lambda.size);
  if (!position_kernel_.factor(holonomic, options_.rank_tolerance) ||
      !velocity_kernel_.factor(slopes.jacobian, options_.rank_tolerance))
    return {Reason::position_rank,
            fmt::format("the constraints cannot be decomposed at t = {}: a singular position?", t_)};

  const ChartCandidates candidates = mechanism_ != nullptr
                                         ? mechanism_candidates(*mechanism_, *bodies_, measured_)
                                         : plain_candidates(equations_, own_positions_);
  // bases orthonormal in the mass
  const auto orthonormal = [&](const Matrix& N, Eigen::LLT<Matrix>& inertia, Matrix& basis) {
    if (N.cols() == 0) {
      basis = N;
      return true;
    }
    inertia.compute(Matrix(N.transpose() * (slopes.mass * N)));
    if (inertia.info() != Eigen::Success) return false;
    basis = inertia.matrixU().solve<Eigen::OnTheRight>(N);
    return true;
  };
  Matrix basis;
  Eigen::LLT<Matrix> position_inertia;
  if (!orthonormal(velocity_kernel_.basis(), inertia_, basis))
    return {Reason::mass_singular,
            "the mass matrix is singular in a direction that the constraints leave free"};
  const std::vector<Index> speeds =
      independent_rows(candidates.velocities.twist, candidates.velocity_preference, basis);
  // holonomic directions without mass may be left open by rolling constraints only: any metric will do
  if (!orthonormal(position_kernel_.basis(), position_inertia, basis)) basis = position_kernel_.basis();
  const std::vector<Index> places =
      independent_rows(candidates.positions.pose, candidates.position_preference, basis);
  if (static_cast<Index>(speeds.size()) != velocity_kernel_.freedom() ||
      static_cast<Index>(places.size()) != position_kernel_.freedom())
    return {Reason::position_rank, "no independent coordinates were found: does Z have full rank?"};
  positions_ = select(candidates.positions, places);
  velocities_ = select(candidates.velocities, speeds);
  result.positions = static_cast<Index>(places.size());
  result.velocities = static_cast<Index>(speeds.size());
  result.states = positions_.names;
  result.states.insert(result.states.end(), velocities_.names.begin(), velocities_.names.end());
  result.states.insert(result.states.end(), equations_.names().r.begin(), equations_.names().r.end());
  return {};
}

// q, δv and δr that belong to each state.
void Linearizer::find_tangents(Linearization& result) {
  const Layout& layout = motion_.layout();
  const Index np = result.positions, nu = result.velocities, nr = layout.r.size, n = np + nu + nr;
  by_pose_ = Matrix::Zero(layout.v.size, n);
  by_twist_ = Matrix::Zero(layout.v.size, n);
  by_state_ = Matrix::Zero(nr, n);
  if (np > 0) {
    const Matrix& N = position_kernel_.basis();
    const Matrix poses = Matrix(positions_.pose * N).partialPivLu().inverse();
    by_pose_.leftCols(np) = N * poses;
  }
  // D δv = −∂(Dv)/∂q q and U δv = δu − ∂U/∂q q
  const Matrix& N = velocity_kernel_.basis();
  by_twist_ = velocity_kernel_.particular(-(motion_.slopes().rate_pose * by_pose_));
  Matrix wanted = Matrix::Zero(nu, n);
  wanted.middleCols(np, nu).setIdentity();
  wanted -= velocities_.pose * by_pose_ + velocities_.twist * by_twist_;
  if (nu > 0) {
    const Matrix twists = Matrix(velocities_.twist * N).partialPivLu().solve(wanted);
    by_twist_ += N * twists;
  }
  by_state_.rightCols(nr).setIdentity();
  result.displacement = by_pose_;
}

Linearizer::Response Linearizer::respond_uncoupled(const Matrix& force, const Matrix& curvature) {
  const Matrix& N = velocity_kernel_.basis();
  const SparseMatrix& M = motion_.slopes().mass;
  Response response;
  response.acceleration = velocity_kernel_.particular(curvature);
  const Matrix rest = force - M * response.acceleration;
  if (N.cols() > 0 && rest.cols() > 0) {
    Matrix along = N.transpose() * rest;
    inertia_.solveInPlace(along);
    response.acceleration += N * along;
  }
  response.multipliers = velocity_kernel_.multipliers(force - M * response.acceleration);
  return response;
}

// Friction: f depends on λ. For the few multipliers that matter, λ = own answer + feedback · λ.
void Linearizer::prepare_coupling() {
  const SparseMatrix& slope = motion_.slopes().force_multiplier;
  for (int col = 0; col < slope.outerSize(); ++col) {
    bool matters = false;
    for (SparseMatrix::InnerIterator entry(slope, col); entry; ++entry) matters |= entry.value() != 0;
    if (matters && velocity_kernel_.active()[static_cast<std::size_t>(col)]) coupled_.push_back(col);
  }
  if (coupled_.empty()) return;
  coupling_ = Matrix(slope)(Eigen::all, coupled_);
  const Matrix curvature = Matrix::Zero(motion_.constraints(), coupling_.cols());
  const Matrix own = respond_uncoupled(coupling_, curvature).multipliers(coupled_, Eigen::all);
  feedback_.compute(Matrix::Identity(own.rows(), own.cols()) - own);
}

Linearizer::Response Linearizer::respond(const Matrix& force, const Matrix& curvature) {
  const Response own = respond_uncoupled(force, curvature);
  if (coupled_.empty() || force.cols() == 0) return own;
  const Matrix lambda = feedback_.solve(Matrix(own.multipliers(coupled_, Eigen::all)));
  return respond_uncoupled(force + coupling_ * lambda, curvature);
}

Failure Linearizer::find_responses(Linearization& result) {
  const TangentSlopes slopes = motion_.slopes();
  const Index np = result.positions, nu = result.velocities, n = by_pose_.cols();
  prepare_coupling();
  const Matrix force =
      slopes.force_pose * by_pose_ + slopes.force_twist * by_twist_ + slopes.force_state * by_state_;
  const Matrix curvature = -(slopes.acceleration_pose * by_pose_ + slopes.acceleration_twist * by_twist_);
  const Response response = respond(force, curvature);
  multipliers_ = response.multipliers;

  result.A.setZero(n, n);
  result.A.topRows(np) = positions_.rate_pose * by_pose_ + positions_.rate_twist * by_twist_;
  result.A.middleRows(np, nu) = velocities_.rate_pose * by_pose_ + velocities_.rate_twist * by_twist_ +
                                velocities_.rate_acceleration * response.acceleration;
  result.A.bottomRows(n - np - nu) = slopes.state_pose * by_pose_ + slopes.state_twist * by_twist_ +
                                     slopes.state_state * by_state_ + slopes.state_multiplier * multipliers_;
  if (!result.A.allFinite())
    return {Reason::not_finite, fmt::format("the linearised equations are not finite at t = {}", t_)};

  // redundant rows must agree with the others, or they are independent near by
  const Matrix left_over = slopes.jacobian * response.acceleration - curvature;
  const double scale = 1 + (curvature.size() > 0 ? curvature.cwiseAbs().maxCoeff() : 0.0);
  if (left_over.size() > 0 && left_over.cwiseAbs().maxCoeff() > 1e-6 * scale)
    result.notes.push_back(
        "constraints that depend on the others here do not do so near by: this is a singular position, where "
        "a linearisation says little");
  return {};
}

Failure Linearizer::add_ports(Linearization& result) {
  const TangentSlopes slopes = motion_.slopes();
  const Ports ports{equations_, mechanism_, bodies_.get(), measured_, slopes, own_positions_, t_};
  const Index np = result.positions, nu = result.velocities, n = by_pose_.cols();

  InputColumns inputs;
  if (options_.only_model_inputs)
    inputs.force.resize(motion_.layout().v.size, 0);
  else if (Failure failure = ports.inputs(options_.inputs, inputs))
    return failure;
  result.inputs = inputs.names;
  const Response response = respond(inputs.force, Matrix::Zero(motion_.constraints(), inputs.force.cols()));
  result.B.setZero(n, inputs.force.cols());
  result.B.middleRows(np, nu) = velocities_.rate_acceleration * response.acceleration;
  result.B.bottomRows(n - np - nu) = slopes.state_multiplier * response.multipliers;

  OutputRows outputs;
  if (Failure failure = ports.outputs(options_.outputs, outputs)) return failure;
  result.outputs = outputs.names;
  result.C = outputs.pose * by_pose_ + outputs.twist * by_twist_ + outputs.state * by_state_ +
             outputs.multiplier * multipliers_;
  result.D = outputs.multiplier * response.multipliers;
  return {};
}

void Linearizer::describe(Linearization& result) const {
  const Layout& layout = motion_.layout();
  result.directions = displacement_names(equations_);
  const Vector v = result.x.segment(layout.v.begin, layout.v.size);
  const Vector& a = result.accelerations;
  result.rate.setZero(by_pose_.cols());
  const Index np = result.positions, nu = result.velocities;
  // rates of the coordinates along the motion itself; u' has no part that the derivatives do not show
  result.rate.head(np) = positions_.rate_twist * v;
  result.rate.segment(np, nu) = velocities_.rate_acceleration * a;
  if (mechanism_ != nullptr)
    for (Index i = 0; i < nu; ++i)
      for (const JointCoordinate& coordinate : mechanism_->elements().coordinates)
        if (velocities_.names[static_cast<std::size_t>(i)] == coordinate.name + "_rate")
          result.rate[np + i] = bodies_->measured().acceleration[static_cast<std::size_t>(coordinate.row)];
  result.rate.tail(layout.r.size) = motion_.values().b;

  // forces that are not in balance, against those that are
  const Vector unbalanced = result.mass * a;
  Vector held = Vector::Zero(layout.v.size);
  if (motion_.constraints() > 0)
    held =
        motion_.slopes().jacobian.transpose() * result.x.segment(layout.lambda.begin, motion_.constraints());
  const double scale = largest(held) + largest(Vector(result.mass.diagonal()));
  const bool balanced = largest(unbalanced) <= 1e-6 * scale;
  const bool steady =
      largest(motion_.values().b) <= 1e-6 * (1 + largest(result.x.segment(layout.r.begin, layout.r.size)));
  const bool moving = largest(v) > 1e-9;
  result.at_rest = balanced && steady && !moving;
  if (!balanced) {
    Index worst = 0;
    a.cwiseAbs().maxCoeff(&worst);
    result.notes.push_back(fmt::format(
        "this is no equilibrium: the acceleration of {} is {:.3g}. The eigenvalues belong to this instant",
        equations_.names().v[static_cast<std::size_t>(worst)], a[worst]));
  } else if (!steady) {
    result.notes.push_back("this is no equilibrium: a force state changes");
  }
  if (moving) {
    Index fastest = 0;
    v.cwiseAbs().maxCoeff(&fastest);
    result.notes.push_back(
        fmt::format("linearised about a motion ({} is {:.3g}): the eigenvalues mean what they say if it is a "
                    "steady one",
                    equations_.names().v[static_cast<std::size_t>(fastest)], v[fastest]));
  }
}

}  // namespace

Linearization linearize(EquationsOfMotion& equations, double t, const Vector& x,
                        const LinearizationOptions& options) {
  Linearization result;
  result.x = x;
  if (x.size() != equations.layout().total) {
    result.failure = {Reason::invalid_model,
                      fmt::format("the state has {} entries, the equations have {} unknowns", x.size(),
                                  equations.layout().total)};
    return result;
  }
  // inputs, outputs and states have the same names whatever the coordinates
  if (options.ports)
    if (const EquationsOfMotion::EveryJoint every = equations.with_every_joint(t, x); every.equations)
      return linearize(*every.equations, t, every.x, options);
  try {
    LinearizationOptions others = options;
    std::vector<std::string> inputs;
    MechanismEquations* mechanism = equations.of_mechanism();
    if (mechanism != nullptr && options.ports) {
      inputs = take_inputs(mechanism->elements(), others.inputs);
      others.only_model_inputs = !inputs.empty() && others.inputs.empty();
    }
    result.failure = Linearizer(equations, t, others).run(result);
    if (mechanism != nullptr && !result.failure) set_inputs_apart(mechanism->elements(), inputs, result);
  } catch (const std::exception& error) {
    result.failure = {Reason::user_function_failed,
                      fmt::format("a function of the equations failed at t = {}: {}", t, error.what())};
  }
  return result;
}

}  // namespace trammel
