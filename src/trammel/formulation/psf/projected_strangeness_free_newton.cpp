// Newton's corrections of the sparse projected-strangeness-free form, reduced to velocity size.
#include <algorithm>

#include "trammel/formulation/psf/projected_strangeness_free.h"

namespace trammel {

namespace {

// Patterns stay, or grow: the same number of entries is the same pattern, and needs no memory.
void copy(const SparseMatrix& from, SparseMatrix& to) {
  if (from.rows() != to.rows() || from.cols() != to.cols() || from.nonZeros() != to.nonZeros())
    to = from;
  else
    std::copy_n(from.valuePtr(), from.nonZeros(), to.valuePtr());
}

void keep_rows(const std::vector<char>& active, SparseMatrix& matrix) {
  for (int col = 0; col < matrix.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(matrix, col); entry; ++entry)
      if (!active[at_index(entry.row())]) entry.valueRef() = 0;
}

}  // namespace

const std::vector<char>& ProjectedStrangenessFree::position_rows() {
  position_rows_ = rows_.active;
  std::fill(position_rows_.begin() + holonomic_, position_rows_.end(), char{0});
  return position_rows_;
}

// Keeps what the last differentiation found. False where the constraints are singular.
bool ProjectedStrangenessFree::take(const VectorIn& x, Linearization& out) {
  const TangentSlopes slopes = tangent_->slopes();
  out.p = x.segment(layout_.p.begin, positions_);
  copy(slopes.mass, out.mass);
  if (invariants_ > 0) {
    out.invariant_pose = slopes.invariant_pose;
    out.invariant_twist = slopes.invariant_twist;
  }
  copy(slopes.kinematics, out.kinematics);
  copy(slopes.force_twist, out.force_twist);
  copy(slopes.force_pose, out.force_pose);
  copy(slopes.force_state, out.force_state);
  copy(slopes.force_multiplier, out.force_multiplier);
  copy(slopes.state_pose, out.state_pose);
  copy(slopes.state_twist, out.state_twist);
  copy(slopes.state_state, out.state_state);
  copy(slopes.state_multiplier, out.state_multiplier);
  out.mass_kinematics.update(slopes.mass, slopes.kinematics);
  out.force_kinematics.update(slopes.force_twist, slopes.kinematics);
  out.state_kinematics.update(slopes.state_twist, slopes.kinematics);
  copy(slopes.jacobian, out.jacobian);
  out.curvature.update(slopes.rate_pose, slopes.jacobian, slopes.kinematics);
  keep_rows(rows_.active, out.jacobian);
  keep_rows(rows_.active, out.curvature.matrix());
  return out.selector.factor(metric_, slopes.jacobian, position_rows());
}

// The system for (q, r, κ/σ²), entry by entry with the power of σ that goes with it.
template <class Put>
void ProjectedStrangenessFree::put_system(const Linearization& at, const Put& put) const {
  const Index r = velocities_, kappa = r + states_;
  for_entries(at.mass, [&](Index i, Index j, double value) { put(i, j, 0, value); });
  for_entries(at.mass_kinematics.matrix(), [&](Index i, Index j, double value) { put(i, j, -1, value); });
  for_entries(at.force_twist, [&](Index i, Index j, double value) { put(i, j, -1, -value); });
  for_entries(at.force_kinematics.matrix(), [&](Index i, Index j, double value) { put(i, j, -2, -value); });
  for_entries(at.force_pose, [&](Index i, Index j, double value) { put(i, j, -2, -value); });
  for_entries(at.force_state, [&](Index i, Index j, double value) { put(i, r + j, -2, -value); });
  for_entries(at.force_multiplier,
              [&](Index i, Index j, double value) { put(i, kappa + j, 0, rows_[j] ? -value : 0.0); });
  for_entries(at.jacobian, [&](Index i, Index j, double value) {
    put(j, kappa + i, 0, value);
    put(kappa + i, j, 0, value);
  });
  for_entries(at.curvature.matrix(), [&](Index i, Index j, double value) {
    if (i >= holonomic_) put(kappa + i, j, -1, value);
  });
  for (Index i = 0; i < constraints_; ++i) put(kappa + i, kappa + i, 0, rows_[i] ? 0.0 : 1.0);
  for (Index i = 0; i < states_; ++i) put(r + i, r + i, 0, 1);
  for_entries(at.state_state, [&](Index i, Index j, double value) { put(r + i, r + j, -1, -value); });
  for_entries(at.state_pose, [&](Index i, Index j, double value) { put(r + i, j, -1, -value); });
  for_entries(at.state_kinematics.matrix(),
              [&](Index i, Index j, double value) { put(r + i, j, -1, -value); });
  for_entries(at.state_twist, [&](Index i, Index j, double value) { put(r + i, j, 0, -value); });
  for_entries(at.state_multiplier,
              [&](Index i, Index j, double value) { put(r + i, kappa + j, 1, rows_[j] ? -value : 0.0); });
}

void ProjectedStrangenessFree::assemble_system() {
  const bool first = system_.empty();
  if (first) system_ = ShiftedMatrix(velocities_ + states_ + constraints_);
  system_.begin();
  put_system(here_,
             [&](Index row, Index col, int power, double value) { system_.add(row, col, power, value); });
  system_.finish();
  if (!first) return;
  real_.analyze(system_);
  complex_.analyze(system_);
}

// η and y = −M⁻¹Dᵀη from D M⁻¹Dᵀ η = excess; η takes the place of the excess.
void ProjectedStrangenessFree::normal_velocity(Linearization& at, Vector& excess, Vector& y) {
  y.setZero(velocities_);
  excess = -excess;
  at.selector.solve(y, excess);
}

void ProjectedStrangenessFree::normal_velocity(Linearization& at, ComplexVector& excess, ComplexVector& y) {
  y.resize(velocities_);
  part_ = excess.real();
  normal_velocity(at, part_, part_y_);
  y.real() = part_y_;
  excess.real() = part_;
  part_ = excess.imag();
  normal_velocity(at, part_, part_y_);
  y.imag() = part_y_;
  excess.imag() = part_;
}

// Rows of the residual: kinematics, n, g, dynamics, velocity constraints, b, e.
template <class Scalar>
void ProjectedStrangenessFree::correct(Shifted<Scalar>& work, const ColumnOf<Scalar>& residual) {
  const Scalar shift = work.shift;
  ColumnOf<Scalar>&x = work.x, &q = work.q;
  x.resize(unknowns());
  const Index r = velocities_, kappa = r + states_;
  Index row = 0;
  const auto take_rows = [&](Index count) {
    row += count;
    return residual.segment(row - count, count);
  };
  const auto kinematics = take_rows(velocities_);
  work.normalizations = take_rows(normalizations_);
  const auto positions = take_rows(holonomic_), dynamics = take_rows(velocities_);
  const auto velocities = take_rows(constraints_), states = take_rows(states_);

  // η as if q did not turn the constraints
  work.eta.noalias() = here_.jacobian * kinematics;
  work.eta -= velocities;
  work.eta.tail(constraints_ - holonomic_).setZero();
  work.eta.head(holonomic_) += shift * positions;
  normal_velocity(here_, work.eta, work.y);

  // q, r and κ/σ²
  work.known = kinematics + work.y;
  auto& solution = work.solution;
  solution.resize(velocities_ + states_ + constraints_);
  work.momentum.noalias() = here_.mass * work.known;
  work.force.noalias() = here_.force_twist * work.known;
  solution.head(velocities_) = (dynamics + shift * work.momentum - work.force) / (shift * shift);
  work.states.noalias() = here_.state_twist * work.known;
  solution.segment(r, states_) = (states - work.states) / shift;
  work.along.noalias() = here_.jacobian * work.known;
  for (Index i = 0; i < constraints_; ++i) {
    Scalar& entry = solution[kappa + i];
    if (!rows_[i])
      entry = velocities[i] / (shift * shift);
    else
      entry = i < holonomic_ ? Scalar(-positions[i]) : Scalar((work.along[i] - velocities[i]) / shift);
  }
  work.lu.solve(solution);
  q = solution.head(velocities_);

  // η once more, with q; κ takes up what the difference does to the dynamics
  work.more.noalias() = here_.curvature.matrix() * q;
  work.more = -work.more;
  work.more.tail(constraints_ - holonomic_).setZero();
  normal_velocity(here_, work.more, work.more_y);
  work.momentum.noalias() = here_.kinematics * q;
  x.segment(layout_.v.begin, velocities_) = shift * q + work.momentum - kinematics - work.y - work.more_y;
  x.segment(layout_.r.begin, states_) = solution.segment(r, states_);
  x.segment(layout_.lambda.begin, constraints_) = (shift * shift) * solution.tail(constraints_);
  for (Index i = 0; i < holonomic_; ++i) {
    if (rows_[i]) {
      x[layout_.lambda.begin + i] -= shift * work.more[i];
      x[layout_.total + i] = work.eta[i] + work.more[i];
    } else {
      x[layout_.total + i] = positions[i];
    }
  }
  x.segment(layout_.w.begin, followers_).setZero();  // they follow the rest
  to_positions(here_.p, q, work.normalizations, x.segment(layout_.p.begin, positions_));
}

// The response to a unit of each ν, and what it does to the invariants.
template <class Scalar>
bool ProjectedStrangenessFree::find_border(Shifted<Scalar>& at) {
  if (invariants_ == 0) return true;
  Border<Scalar>& out = at.border;
  out.solution.resize(unknowns(), invariants_);
  out.displacement.resize(velocities_, invariants_);
  for (Index i = 0; i < invariants_; ++i) {
    ColumnOf<Scalar> acting = ColumnOf<Scalar>::Zero(equations());
    Vector along = here_.invariant_pose.row(i).transpose();
    metric_lu_.solve(along);
    acting.head(velocities_) = along.cast<Scalar>();
    acting.segment(velocities_ + normalizations_ + holonomic_, velocities_) =
        here_.invariant_twist.row(i).transpose().template cast<Scalar>();
    correct(at, acting);
    at.x.tail(invariants_).setZero();
    out.solution.col(i) = at.x;
    out.displacement.col(i) = at.q;
  }
  out.answer.compute(here_.invariant_pose.cast<Scalar>() * out.displacement +
                     here_.invariant_twist.cast<Scalar>() *
                         out.solution.middleRows(layout_.v.begin, velocities_));
  return out.answer.matrixLU().diagonal().cwiseAbs().minCoeff() > 0;
}

template <class Scalar>
bool ProjectedStrangenessFree::factor_shifted(Scalar shift) {
  Shifted<Scalar>& at = shifted<Scalar>();
  return at.factor(system_, shift) && find_border(at);
}

template <class Scalar>
void ProjectedStrangenessFree::solve_shifted(const Eigen::Ref<const ColumnOf<Scalar>>& residual,
                                             Eigen::Ref<ColumnOf<Scalar>> x) {
  Shifted<Scalar>& at = shifted<Scalar>();
  at.residual = residual;
  correct(at, at.residual);
  if (invariants_ > 0) {
    const ColumnOf<Scalar> nu = at.border.answer.solve(here_.invariant_pose.cast<Scalar>() * at.q +
                                                       here_.invariant_twist.cast<Scalar>() *
                                                           at.x.segment(layout_.v.begin, velocities_) +
                                                       residual.tail(invariants_));
    at.x.tail(invariants_).setZero();
    at.x -= at.border.solution * nu;
    at.x.tail(invariants_) = nu;
  }
  x = at.x;
}

template class ShiftedSolves<ProjectedStrangenessFree>;

// The part of the positions' error across the constraints, a tenth of it: enough to keep a step short where a
// driver alone moves the mechanism, without making the constraints an affair of accuracy.
void ProjectedStrangenessFree::add_error_across(VectorIn residual, VectorOut error) {
  if (holonomic_ == 0) return;
  constexpr double share = 0.1;
  lower_.noalias() = here_.jacobian * residual.head(velocities_);
  lower_.tail(constraints_ - holonomic_).setZero();
  normal_velocity(here_, lower_, upper_);
  upper_ *= -share / real_.shift;
  real_.normalizations.setZero(normalizations_);
  change_.resize(positions_);
  to_positions(here_.p, upper_, real_.normalizations, change_);
  error.segment(layout_.p.begin, positions_) += change_;
}

// --- full Newton on the stages
// ------------------------------------------------------------------------------

Outcome ProjectedStrangenessFree::linearize_stage(int stage, double t, VectorIn x, VectorIn /*xdot*/) {
  Linearization& at = stages_[static_cast<std::size_t>(stage)];
  if (const Outcome outcome = differentiate(t, x, TangentMotion::everything); outcome != Outcome::ok)
    return outcome;
  selector_ = &at;  // for the residual of this stage, which comes next
  if (take(x, at)) return Outcome::ok;
  return try_again(Reason::position_rank, "the constraints are singular at a stage");
}

// The same reduction for three stages with p'_i = Σ_j w_ij (p_j − p_k), σ² replaced by s² = w₁₁².
Outcome ProjectedStrangenessFree::factor_stages(const Eigen::Matrix3d& weights) {
  ++statistics().decompositions;
  stage_weights_ = weights;
  const Eigen::Matrix3d squares = weights * weights;
  const double s = weights(0, 0);
  const Index size = velocities_ + states_ + constraints_, r = velocities_, kappa = r + states_;
  if (stage_system_.rows() == 0) stage_system_ = AssembledMatrix(3 * size, 3 * size);
  stage_system_.begin();
  for (int i = 0; i < 3; ++i) {
    const SparseMatrix& mass = stages_[static_cast<std::size_t>(i)].mass;
    const Linearization& at = stages_[static_cast<std::size_t>(i)];
    const auto put = [&](Index row, int j, Index col, double value) {
      stage_system_.add(i * size + row, j * size + col, value);
    };
    for (int j = 0; j < 3; ++j) {
      const double w = weights(i, j);
      const Linearization& other = stages_[static_cast<std::size_t>(j)];
      for_entries(mass,
                  [&](Index a, Index b, double value) { put(a, j, b, squares(i, j) * value / (s * s)); });
      for_entries(other.mass_kinematics.matrix(),
                  [&](Index a, Index b, double value) { put(a, j, b, w * value / (s * s)); });
      for_entries(at.force_twist,
                  [&](Index a, Index b, double value) { put(a, j, b, -w * value / (s * s)); });
      for_entries(at.jacobian, [&](Index a, Index b, double value) {
        if (a >= holonomic_) put(kappa + a, j, b, w * value / s);
      });
      for (Index a = 0; a < states_; ++a) put(r + a, j, r + a, w / s);
      for_entries(at.state_twist, [&](Index a, Index b, double value) { put(r + a, j, b, -w * value / s); });
    }
    // the rest concerns the stage alone: the entries of put_system with σ = s, less what was coupled
    put_system(at, [&](Index row, Index col, int power, double value) {
      const bool dynamics = row < velocities_ && col < velocities_;
      const bool state = row >= r && row < kappa;
      if (dynamics && power > -2) return;
      if (state && power == 0) return;
      if (row >= kappa + holonomic_ && col < velocities_ && power == 0) return;
      const double scale = power == 1 ? s : power == 0 ? 1 : power == -1 ? 1 / s : 1 / (s * s);
      put(row, i, col, scale * value);
    });
  }
  stage_system_.finish();
  if (!stage_analyzed_) {
    stage_lu_.analyze_copies(stage_system_.matrix(), real_.lu);
    stage_analyzed_ = true;
  }
  if (stage_lu_.factor(stage_system_.matrix())) return Outcome::ok;
  return try_again(Reason::differential_singular,
                   "the matrix of Newton's iteration on the stages is singular");
}

void ProjectedStrangenessFree::solve_stages(const std::array<Vector, 3>& residuals,
                                            std::array<Vector, 3>& changes) {
  const Index size = velocities_ + states_ + constraints_, r = velocities_, kappa = r + states_;
  const Index n = velocities_, g = n + normalizations_, f = g + holonomic_, h = f + velocities_,
              b = h + constraints_;
  const double s = stage_weights_(0, 0);
  auto& [y, eta, known, q, all, velocity, momentum, along, states] = stage_work_;
  all.resize(3 * size);
  for (Vector& displacement : q) displacement.setZero(velocities_);

  // η and (q, κ) in turn: q turns the constraints only a little
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Linearization& at = stages_[i];
      velocity = -residuals[i].head(velocities_);
      for (int j = 0; j < 3; ++j)
        velocity += stage_weights_(static_cast<Index>(i), j) * q[static_cast<std::size_t>(j)];
      eta[i].noalias() = at.jacobian * velocity;
      along.noalias() = at.curvature.matrix() * q[i];
      eta[i] = -eta[i] - along - residuals[i].segment(h, constraints_);
      eta[i].tail(constraints_ - holonomic_).setZero();
      if (round == 0)  // nothing is known of q but D q
        for (int j = 0; j < 3; ++j)
          eta[i].head(holonomic_) += stage_weights_(static_cast<Index>(i), j) *
                                     residuals[static_cast<std::size_t>(j)].segment(g, holonomic_);
      normal_velocity(stages_[i], eta[i], y[i]);
      known[i] = residuals[i].head(velocities_) + y[i];
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const Linearization& at = stages_[i];
      auto part = all.segment(static_cast<Index>(i) * size, size);
      const SparseMatrix& mass = at.mass;
      velocity.noalias() = at.force_twist * known[i];
      momentum = residuals[i].segment(f, velocities_) - velocity;
      for (int j = 0; j < 3; ++j) {
        velocity.noalias() = mass * known[static_cast<std::size_t>(j)];
        momentum += stage_weights_(static_cast<Index>(i), j) * velocity;
      }
      part.head(velocities_) = momentum / (s * s);
      states.noalias() = at.state_twist * known[i];
      part.segment(r, states_) = (residuals[i].segment(b, states_) - states) / s;
      along.noalias() = at.jacobian * known[i];
      for (Index k = 0; k < constraints_; ++k) {
        const double rate = residuals[i][h + k];
        part[kappa + k] = !rows_[k]        ? rate / (s * s)
                          : k < holonomic_ ? -residuals[i][g + k]
                                           : (along[k] - rate) / s;
      }
    }
    stage_lu_.solve(all);
    for (std::size_t i = 0; i < 3; ++i) q[i] = all.segment(static_cast<Index>(i) * size, velocities_);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const auto part = all.segment(static_cast<Index>(i) * size, size);
    Vector& x = changes[i];
    velocity.noalias() = stages_[i].kinematics * q[i];
    velocity -= known[i];
    for (int j = 0; j < 3; ++j)
      velocity += stage_weights_(static_cast<Index>(i), j) * q[static_cast<std::size_t>(j)];
    x.segment(layout_.v.begin, velocities_) = velocity;
    x.segment(layout_.r.begin, states_) = part.segment(r, states_);
    x.segment(layout_.lambda.begin, constraints_) = (s * s) * part.tail(constraints_);
    for (Index k = 0; k < holonomic_; ++k) x[layout_.total + k] = rows_[k] ? eta[i][k] : residuals[i][g + k];
    x.segment(layout_.w.begin, followers_).setZero();
    to_positions(stages_[i].p, q[i], residuals[i].segment(n, normalizations_),
                 x.segment(layout_.p.begin, positions_));
  }
}

Outcome ProjectedStrangenessFree::guess_multipliers(double t, VectorOut x) { return close(t, x); }

}  // namespace trammel
