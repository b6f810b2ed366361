#include "tests/random/determined_channels.h"

#include <Eigen/SVD>
#include <cmath>

#include "trammel/motion/cartesian_equations.h"

namespace trammel {
namespace {

// Multipliers, (λ, μ) in columns, without any effect on the accelerations.
Matrix idle_multipliers(CartesianEquations& equations, double t, const Vector& x) {
  const Layout& layout = equations.layout();
  MotionDerivatives derivatives(layout);
  const Vector a = Vector::Zero(layout.v.size);
  equations.differentiate({t, x, a}, part::gI | part::h, derivatives);
  Matrix D(layout.lambda.size + layout.mu.size, layout.v.size);
  D << derivatives.gI.middleCols(layout.v.begin, layout.v.size),
      derivatives.h.middleCols(layout.v.begin, layout.v.size);
  if (D.rows() == 0) return Matrix::Zero(0, 0);
  const Eigen::JacobiSVD<Matrix> svd(D, Eigen::ComputeFullU);
  const Vector& values = svd.singularValues();
  Index rank = 0;
  while (rank < values.size() && values[rank] > 1e-8 * values[0]) ++rank;
  return svd.matrixU().rightCols(D.rows() - rank);
}

}  // namespace

std::set<std::string> undetermined_channels(const Model& model, const ModelRun& run) {
  std::set<std::string> names;
  CartesianEquations equations(model.mechanism);
  const Layout& layout = equations.layout();
  const std::pair<double, const Vector*> points[] = {{0.0, &run.start}, {run.request.end, &run.final_state}};
  for (const auto& [t, x] : points) {
    if (x->size() != layout.total) continue;
    const Matrix idle = idle_multipliers(equations, t, *x);
    if (idle.cols() == 0) continue;
    Recording recording;
    MechanismRecorder recorder(equations, recording);
    recorder.append(t, *x);
    for (Index i = 0; i < idle.cols(); ++i) {
      Vector changed = *x;
      changed.segment(layout.lambda.begin, layout.lambda.size) += idle.col(i).head(layout.lambda.size);
      changed.segment(layout.mu.begin, layout.mu.size) += idle.col(i).tail(layout.mu.size);
      recorder.append(t, changed);
    }
    for (const Channel& channel : recording.channels())
      for (const double value : channel.values)
        if (std::abs(value - channel.values[0]) > 1e-9 * (1 + std::abs(channel.values[0])))
          names.insert(channel.name);
  }
  return names;
}

}  // namespace trammel
