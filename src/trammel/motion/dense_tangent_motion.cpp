#include "trammel/motion/dense_tangent_motion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <stdexcept>

#include "trammel/numerics/eigen_rare_instances.h"
#include "trammel/numerics/norms.h"

namespace trammel {

namespace {

auto columns(const Matrix& matrix, const Block& block) { return matrix.middleCols(block.begin, block.size); }

Matrix stacked(const Matrix& upper, const Matrix& lower) {
  Matrix both(upper.rows() + lower.rows(), upper.cols());
  both << upper, lower;
  return both;
}

}  // namespace

DenseTangentMotion::DenseTangentMotion(EquationsOfMotion& equations)
    : TangentMotion(equations),
      equations_(equations),
      layout_(equations.layout()),
      values_(layout_),
      derivatives_(layout_),
      state_(Vector::Zero(layout_.total)),
      rest_(Vector::Zero(layout_.v.size)) {}

// --- what follows

NotDetermined DenseTangentMotion::not_determined(double t, bool contacts, const Vector& kernel) const {
  if (contacts)
    return {Reason::contact_singular,
            fmt::format("the contact equations ({}) do not determine the contact coordinates ({}) at t = {}: "
                        "∂c/∂s is singular",
                        fmt::join(names().c, ", "), fmt::join(names().s, ", "), t)};
  Index culprit = 0;
  kernel.cwiseAbs().maxCoeff(&culprit);
  return {Reason::auxiliary_singular,
          fmt::format("the auxiliary equations do not determine '{}' (∂d/∂w is singular at t = {})",
                      names().w[static_cast<std::size_t>(culprit)], t)};
}

// Newton's iteration for the contact coordinates or the auxiliary unknowns.
void DenseTangentMotion::solve_for(double t, Vector& x, Parts function, const Block& unknowns) {
  if (unknowns.size == 0) return;
  const bool contacts = function == part::c;
  const Vector& residual = contacts ? values_.c : values_.d;
  const Matrix& slope = contacts ? derivatives_.c : derivatives_.d;
  auto solved = x.segment(unknowns.begin, unknowns.size);
  for (int iteration = 0; iteration < 30; ++iteration) {
    equations_.evaluate({t, x, rest_}, function, values_);
    equations_.differentiate({t, x, rest_}, function, derivatives_);
    const Eigen::FullPivLU<Matrix> lu(columns(slope, unknowns));
    if (!lu.isInvertible()) throw not_determined(t, contacts, lu.kernel().col(0));
    const Vector change = lu.solve(-residual);
    if (!change.allFinite()) break;
    const double size = largest(change) / (1 + largest(solved));
    solved += change;
    // the derivative is exact: the next change would be about the square of this one
    if (size <= 1e-9) return;
  }
  throw NotDetermined(Reason::newton_failed, fmt::format("'{}' and its like cannot be solved for at t = {}",
                                                         names().variable(layout_, unknowns.begin), t));
}

void DenseTangentMotion::settle(double t, VectorOut x) {
  if (!has_followers()) return;
  Vector settled = x;
  solve_for(t, settled, part::c, layout_.s);
  solve_for(t, settled, part::d, layout_.w);
  x = settled;
}

// As far as `wanted` needs it: constraints do not depend on w.
MotionPoint DenseTangentMotion::settled(const MotionPoint& at, Parts wanted) {
  const bool with_w = (wanted & (part::dynamics | part::b | part::d)) != 0;
  if (layout_.s.size == 0 && (layout_.w.size == 0 || !with_w)) return at;
  state_ = at.x;
  solve_for(at.t, state_, part::c, layout_.s);
  if (with_w) solve_for(at.t, state_, part::d, layout_.w);
  return {at.t, state_, at.a};
}

// --- values

void DenseTangentMotion::take_mass(const MotionPoint& at) {
  if (mass_known_ && structure().constant_mass) return;
  equations_.evaluate(at, part::mass, values_);
  put(values_.M, slopes_.mass);
  mass_known_ = true;
}

void DenseTangentMotion::evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) {
  const MotionPoint here = settled(at, wanted);
  if ((wanted & part::mass) != 0) take_mass(here);
  const Parts others = wanted & ~Parts{part::mass};
  if (others != 0) equations_.evaluate(here, others, out);
}

// --- derivatives

void DenseTangentMotion::put(const Matrix& dense, PatternedMatrix& to, double negligible) {
  if (to.assign(dense, negligible) && learned_) ++pattern_;
}

std::string DenseTangentMotion::differentiate(const MotionPoint& at, unsigned wanted) {
  if (!learned_) learn_patterns(at);
  const MotionPoint here = settled(at, (wanted & forces) != 0 ? part::all : part::velocity_level);
  if ((wanted & everything) == jacobian) return differentiate_velocities(here);
  Parts parts = part::kinematics | part::velocity_level | part::acceleration_level | part::c;
  if ((wanted & forces) != 0) parts |= part::dynamics | part::b | part::d | part::e;
  equations_.differentiate(here, parts, derivatives_);
  const std::string trouble = describe_non_finite(names(), parts, derivatives_);
  if (!trouble.empty()) return trouble;
  take_mass(here);
  squeeze(wanted);
  return {};
}

// D and M alone.
std::string DenseTangentMotion::differentiate_velocities(const MotionPoint& at) {
  D_.resize(layout_.lambda.size + layout_.mu.size, layout_.v.size);
  if (!equations_.velocity_jacobian(at, D_)) {
    equations_.differentiate(at, part::velocity_level, derivatives_);
    D_ << columns(derivatives_.gI, layout_.v), columns(derivatives_.h, layout_.v);
  }
  for (Index row = 0; row < D_.rows(); ++row)
    if (!D_.row(row).allFinite()) {
      const auto i = static_cast<std::size_t>(row), holonomic = static_cast<std::size_t>(layout_.lambda.size);
      return fmt::format("the derivative of the constraint '{}'",
                         i < holonomic ? names().g[i] : names().h[i - holonomic]);
    }
  put(D_, slopes_.jacobian);
  take_mass(at);
  return {};
}

// At the point itself and at others near and far, in motion and under load, constraints met or not.
void DenseTangentMotion::learn_patterns(const MotionPoint& at) {
  const auto number = [](Index i, int sample) {
    return std::sin(1.7 * static_cast<double>(i + 1) + 2.3 * sample);
  };
  constexpr int samples = 3;
  for (int sample = 0; sample < samples; ++sample) {
    Vector x = at.x, a(layout_.v.size);
    for (Index i = 0; i < a.size(); ++i) a[i] = 0.3 + number(i, sample);
    const double far = sample == 0 ? 0.0 : 0.1;
    for (Index i = layout_.p.begin; i < layout_.p.end(); ++i) x[i] += far * number(i, sample);
    for (const Block* block : {&layout_.v, &layout_.r, &layout_.lambda, &layout_.mu})
      for (Index i = block->begin; i < block->end(); ++i) x[i] += 0.4 + number(i, sample);
    try {
      const MotionPoint here = settled({at.t, x, a}, part::all);
      equations_.differentiate(here, part::all & ~Parts{part::mass}, derivatives_);
      if (!describe_non_finite(names(), part::all & ~Parts{part::mass}, derivatives_).empty()) continue;
      mass_known_ = false;
      take_mass(here);
      squeeze(everything);
    } catch (const std::exception&) {
      // not everywhere has to be within reach
    }
  }
  mass_known_ = false;
  learned_ = true;
}

Matrix DenseTangentMotion::by_pose(const Matrix& slopes, const Matrix& Z, const Matrix& S) const {
  Matrix result = columns(slopes, layout_.p) * Z;
  if (layout_.s.size > 0) result += columns(slopes, layout_.s) * S;
  return result;
}

// δs = S q from c = 0.
Matrix DenseTangentMotion::contacts_by_pose(const Matrix& Z) const {
  if (layout_.s.size == 0) return Matrix(0, layout_.v.size);
  return -Eigen::FullPivLU<Matrix>(columns(derivatives_.c, layout_.s))
              .solve(columns(derivatives_.c, layout_.p) * Z);
}

Matrix DenseTangentMotion::contacts_by_pose(double t, const VectorIn& x) {
  if (layout_.s.size == 0) return Matrix(0, layout_.v.size);
  take_kinematics(x.segment(layout_.p.begin, layout_.p.size));
  const MotionPoint here = settled({t, x, rest_}, part::c);
  equations_.differentiate(here, part::c, derivatives_);
  return contacts_by_pose(Z_);
}

void DenseTangentMotion::squeeze(unsigned wanted) {
  const Matrix Z = columns(derivatives_.kinematics, layout_.v);
  const Matrix S = contacts_by_pose(Z);
  squeeze_constraints(Z, S);
  if ((wanted & forces) != 0) squeeze_forces(Z, S);
}

void DenseTangentMotion::squeeze_constraints(const Matrix& Z, const Matrix& S) {
  const MotionDerivatives& of = derivatives_;
  put(stacked(columns(of.gI, layout_.v), columns(of.h, layout_.v)), slopes_.jacobian);
  put(stacked(by_pose(of.gI, Z, S), by_pose(of.h, Z, S)), slopes_.rate_pose);
  put(stacked(by_pose(of.gII, Z, S), by_pose(of.hI, Z, S)), slopes_.acceleration_pose);
  put(stacked(columns(of.gII, layout_.v), columns(of.hI, layout_.v)), slopes_.acceleration_twist);
}

void DenseTangentMotion::squeeze_forces(const Matrix& Z, const Matrix& S) {
  const Layout& l = layout_;
  const MotionDerivatives& of = derivatives_;
  const Index nv = l.v.size, nr = l.r.size, nm = l.lambda.size + l.mu.size;
  const Block multipliers{l.lambda.begin, nm};  // λ and μ are neighbours in x

  // by (pose, twist, state, multipliers), w eliminated
  const auto by_all = [&](const Matrix& slopes) {
    Matrix all(slopes.rows(), 2 * nv + nr + nm);
    all << by_pose(slopes, Z, S), columns(slopes, l.v), columns(slopes, l.r), columns(slopes, multipliers);
    return all;
  };
  Matrix force = by_all(of.dynamics), state = by_all(of.b);
  if (l.w.size > 0) {
    const Matrix w = -Eigen::FullPivLU<Matrix>(columns(of.d, l.w)).solve(by_all(of.d));
    force += columns(of.dynamics, l.w) * w;
    state += columns(of.b, l.w) * w;
  }
  const Matrix D = stacked(columns(of.gI, l.v), columns(of.h, l.v));
  force.rightCols(nm) += D.transpose();
  // −Dᵀ was added to itself: what is left of it is round-off
  const double negligible = 1e-14 * (1 + D.norm());
  put(force.leftCols(nv), slopes_.force_pose);
  put(force.middleCols(nv, nv), slopes_.force_twist);
  put(force.middleCols(2 * nv, nr), slopes_.force_state);
  put(force.rightCols(nm), slopes_.force_multiplier, negligible);
  put(state.leftCols(nv), slopes_.state_pose);
  put(state.middleCols(nv, nv), slopes_.state_twist);
  put(state.middleCols(2 * nv, nr), slopes_.state_state);
  put(state.rightCols(nm), slopes_.state_multiplier);
  put(by_pose(of.e, Z, S), slopes_.invariant_pose);
  put(columns(of.e, l.v), slopes_.invariant_twist);

  // K = −Z⁺ ∂(Zv)/∂q
  Matrix turning = by_pose(of.kinematics, Z, S);
  if (!turning.isZero(0))
    turning = -Z.colPivHouseholderQr().solve(turning);
  else
    turning = Matrix::Zero(nv, nv);
  put(turning, slopes_.kinematics);
}

// --- positions and displacements

// Z and N at p; where p' = v they are known once for all.
void DenseTangentMotion::take_kinematics(const VectorIn& p) {
  if (kinematics_known_ && (plain_ || kinematics_p_ == p)) return;
  Vector x = Vector::Zero(layout_.total);
  x.segment(layout_.p.begin, layout_.p.size) = p;
  if (!kinematics_known_)  // velocities of ordinary size show whether Z is constant
    for (Index i = 0; i < layout_.v.size; ++i)
      x[layout_.v.begin + i] = 0.5 + 0.37 * static_cast<double>(i % 7);
  equations_.differentiate({0, x, rest_}, part::kinematics | part::n, derivatives_);
  Z_ = columns(derivatives_.kinematics, layout_.v);
  N_ = columns(derivatives_.n, layout_.p);
  if (!kinematics_known_)
    plain_ = layout_.p.size == layout_.v.size && layout_.normalizations == 0 && Z_.isIdentity(0) &&
             columns(derivatives_.kinematics, layout_.p).isZero(0);
  kinematics_p_ = p;
  kinematics_known_ = true;
}

void DenseTangentMotion::displacement_to_positions(const VectorIn& p, const VectorIn& q,
                                                   const VectorIn& residual, VectorOut change) {
  take_kinematics(p);
  if (plain_) {
    change = q;
    return;
  }
  change = Z_ * q;
  if (layout_.normalizations > 0)
    change -= N_.transpose() * (N_ * N_.transpose()).ldlt().solve(Vector(residual));
}

void DenseTangentMotion::pull_back(const VectorIn& p, const VectorIn& gradient, VectorOut by_displacement) {
  take_kinematics(p);
  if (plain_)
    by_displacement = gradient;
  else
    by_displacement = Z_.transpose() * gradient;
}

void DenseTangentMotion::pull_back_contacts(double t, const VectorIn& x, const VectorIn& gradient,
                                            VectorOut by_displacement) {
  if (layout_.s.size > 0) by_displacement += contacts_by_pose(t, x).transpose() * gradient;
}

void DenseTangentMotion::displacement_metric(double t, const VectorIn& x, const VectorIn& weights,
                                             SparseMatrix& metric) {
  take_kinematics(x.segment(layout_.p.begin, layout_.p.size));
  const Vector of_p = weights.segment(layout_.p.begin, layout_.p.size);
  if (plain_ && layout_.s.size == 0) {
    metric = SparseMatrix(of_p.cwiseAbs2().asDiagonal());
    return;
  }
  const Matrix positions = of_p.asDiagonal() * Z_;
  const Matrix contacts =
      weights.segment(layout_.s.begin, layout_.s.size).asDiagonal() * contacts_by_pose(t, x);
  const Matrix dense = positions.transpose() * positions + contacts.transpose() * contacts;
  // zeros, too
  metric.resize(dense.rows(), dense.cols());
  metric.reserve(Eigen::VectorXi::Constant(dense.cols(), static_cast<int>(dense.rows())));
  for (Index col = 0; col < dense.cols(); ++col)
    for (Index row = 0; row < dense.rows(); ++row) metric.insert(row, col) = dense(row, col);
  metric.makeCompressed();
}

void DenseTangentMotion::rates_to_velocities(const VectorIn& p, const VectorIn& rates, VectorOut v) {
  take_kinematics(p);
  if (plain_) {
    v = rates;
    return;
  }
  const Vector velocities = Z_.colPivHouseholderQr().solve(Vector(rates));
  v = velocities;
}

}  // namespace trammel
