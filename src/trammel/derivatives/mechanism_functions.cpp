#include "trammel/derivatives/mechanism_functions.h"

#include <fmt/format.h>

#include <stdexcept>

namespace trammel {

MechanismFunction mechanism_function(const std::string& name) {
  if (name == "Q") return MechanismFunction::forces;
  if (name == "M") return MechanismFunction::mass;
  if (name == "Phi") return MechanismFunction::constraints;
  throw std::invalid_argument(fmt::format("there is no function '{}'; there are Q, M, Phi", name));
}

std::string name(MechanismFunction function) {
  switch (function) {
    case MechanismFunction::forces:
      return "Q";
    case MechanismFunction::mass:
      return "M";
    case MechanismFunction::constraints:
      break;
  }
  return "Phi";
}

// Work space of the library at points of a recording.
struct FunctionOfMechanism::Evaluation {
  Evaluation(MechanismEquations& equations, MechanismFunction which, RecordedInputs places)
      : function(which),
        inputs(places),
        motion(equations.mechanism_motion()),
        values(equations.layout(), false),
        x(Vector::Zero(equations.layout().total)),
        rest(Vector::Zero(equations.layout().v.size)),
        change(equations.layout().p.size),
        no_residual(Vector::Zero(equations.layout().normalizations)) {}

  // Takes (q, v | t, p, ...) to a state.
  void take(std::span<const double> point) {
    const Layout& l = motion->layout();
    const auto part = [&](int first, Index size) {
      return Eigen::Map<const Vector>(point.data() + first, size);
    };
    t = point[static_cast<std::size_t>(inputs.t)];
    x.segment(l.v.begin, l.v.size) = part(inputs.v, l.v.size);
    x.segment(l.p.begin, l.p.size) = part(inputs.positions, l.p.size);
    x.segment(l.r.begin, l.r.size) = part(inputs.states, l.r.size);
    const auto q = part(inputs.q, l.v.size);
    if (!q.isZero(0)) {
      motion->displacement_to_positions(x.segment(l.p.begin, l.p.size), q, no_residual, change);
      x.segment(l.p.begin, l.p.size) += change;
    }
  }

  void evaluate(std::span<const double> point, std::span<double> out) {
    take(point);
    Eigen::Map<Vector> to(out.data(), static_cast<Index>(out.size()));
    if (function == MechanismFunction::forces) {
      motion->evaluate({t, x, rest}, part::dynamics, values);
      to = values.dynamics;
    } else {
      motion->evaluate({t, x, rest}, part::g | part::h, values);
      to.head(values.g.size()) = values.g;
      to.tail(values.h.size()) = values.h;
    }
  }

  MechanismFunction function;
  RecordedInputs inputs;
  std::unique_ptr<MechanismMotion> motion;
  MotionValues values;
  Vector x, rest, change, no_residual;
  double t = 0;
};

FunctionOfMechanism::FunctionOfMechanism(MechanismEquations& equations, MechanismFunction function)
    : equations_(equations), function_(function), recorded_(record_mechanism(equations)) {
  const bool of_velocities = function == MechanismFunction::forces || equations.layout().mu.size > 0;
  columns_ = recorded_.inputs.velocities * (of_velocities ? 2 : 1);
  if (has_slopes()) slopes_ = std::make_shared<Evaluation>(equations, function, recorded_.inputs);
}

const RecordedFunction& FunctionOfMechanism::graph() const {
  switch (function_) {
    case MechanismFunction::forces:
      return recorded_.forces;
    case MechanismFunction::mass:
      return recorded_.mass;
    case MechanismFunction::constraints:
      break;
  }
  return recorded_.constraints;
}

std::vector<double> FunctionOfMechanism::point(double t, const VectorIn& x) const {
  Vector free = x;
  const Layout& l = equations_.layout();
  free.segment(l.lambda.begin, l.lambda.size).setZero();
  free.segment(l.mu.begin, l.mu.size).setZero();
  return recorded_.at(equations_, t, free);
}

std::optional<DifferentiableFunction> FunctionOfMechanism::by_library() const {
  if (function_ == MechanismFunction::mass) return std::nullopt;
  const auto evaluation = std::make_shared<Evaluation>(equations_, function_, recorded_.inputs);
  DifferentiableFunction function{.inputs = columns_,
                                  .parameters = recorded_.inputs.count - columns_,
                                  .outputs = static_cast<int>(graph().outputs.size())};
  function.plain = [evaluation](std::span<const double> x, std::span<double> y) {
    evaluation->evaluate(x, y);
  };
  function.pattern = pattern_of(graph(), columns_);
  return function;
}

void FunctionOfMechanism::compute_slopes(std::span<const double> point) {
  slopes_->take(point);
  const unsigned wanted = function_ == MechanismFunction::forces ? unsigned{TangentMotion::forces}
                          : columns_ > recorded_.inputs.velocities
                              ? TangentMotion::jacobian | TangentMotion::hidden
                              : unsigned{TangentMotion::jacobian};
  slopes_->motion->differentiate({slopes_->t, slopes_->x, slopes_->rest}, wanted);
}

Matrix FunctionOfMechanism::slopes() const {
  const TangentSlopes slopes = slopes_->motion->slopes();
  const Index n = recorded_.inputs.velocities;
  Matrix J = Matrix::Zero(static_cast<Index>(graph().outputs.size()), columns_);
  if (function_ == MechanismFunction::forces) {
    J.leftCols(n) = Matrix(slopes.force_pose);
    J.rightCols(n) = Matrix(slopes.force_twist);
    return J;
  }
  const Matrix D(slopes.jacobian);
  const Index g = equations_.layout().lambda.size, h = equations_.layout().mu.size;
  J.topLeftCorner(g, n) = D.topRows(g);
  if (h > 0) {
    J.bottomLeftCorner(h, n) = Matrix(slopes.rate_pose).bottomRows(h);
    J.bottomRightCorner(h, n) = D.bottomRows(h);
  }
  return J;
}

}  // namespace trammel
