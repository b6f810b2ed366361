#include "trammel/analysis/displaced_motion.h"

#include <fmt/format.h>

#include <cmath>

#include "trammel/motion/cartesian_equations.h"
#include "trammel/motion/sparse_motion.h"

namespace trammel {

namespace {

SparseMotion* sparse_of(EquationsOfMotion& equations) {
  const Layout& layout = equations.layout();
  return layout.w.size == 0 && layout.s.size == 0 ? equations.sparse() : nullptr;
}

double largest(const Vector& values) { return values.size() > 0 ? values.lpNorm<Eigen::Infinity>() : 0.0; }

SparseMatrix squeezed(const Matrix& dense) {
  SparseMatrix sparse = dense.sparseView();
  sparse.makeCompressed();
  return sparse;
}

}  // namespace

DisplacedMotion::DisplacedMotion(EquationsOfMotion& equations)
    : equations_(equations),
      sparse_(sparse_of(equations)),
      layout_(equations.layout()),
      values_(layout_, sparse_ == nullptr),
      rest_(Vector::Zero(layout_.v.size)) {
  if (sparse_ == nullptr) derivatives_ = MotionDerivatives(layout_);
}

Failure DisplacedMotion::evaluate(double t, const Vector& x, const Vector& a, Parts wanted) {
  equations_.evaluate({t, x, a}, wanted, values_);
  const std::string trouble = describe_non_finite(equations_.names(), wanted, values_);
  if (trouble.empty()) return {};
  return {Reason::not_finite, fmt::format("{} is not finite at t = {}", trouble, t)};
}

Failure DisplacedMotion::differentiate(double t, const Vector& x, const Vector& a, Wanted wanted) {
  const MotionPoint at{t, x, a};
  if (sparse_ != nullptr) {
    // the first time everything, for the mass
    const bool all = wanted == Wanted::everything || slopes_.mass.rows() == 0;
    sparse_->differentiate_sparse(at, all ? SparseMotion::everything : SparseMotion::jacobian);
    copy_sparse_slopes(all ? Wanted::everything : Wanted::jacobian);
    const auto finite = [](const SparseMatrix& matrix) {
      return matrix.nonZeros() == 0 || matrix.coeffs().allFinite();
    };
    if (finite(slopes_.jacobian) && finite(slopes_.force_pose) && finite(slopes_.acceleration_pose))
      return {};
    return {Reason::not_finite, fmt::format("a derivative of the equations is not finite at t = {}", t)};
  }
  constexpr Parts of_jacobian = part::kinematics | part::velocity_level | part::c | part::n;
  const Parts parts = wanted == Wanted::jacobian
                          ? of_jacobian
                          : of_jacobian | part::dynamics | part::acceleration_level | part::b | part::d;
  equations_.differentiate(at, parts, derivatives_);
  equations_.evaluate(at, part::mass, values_);
  const std::string trouble = describe_non_finite(equations_.names(), parts, derivatives_);
  if (!trouble.empty()) return {Reason::not_finite, fmt::format("{} is not finite at t = {}", trouble, t)};
  return squeeze_dense_slopes(t, wanted);
}

void DisplacedMotion::copy_sparse_slopes(Wanted wanted) {
  const SparseSlopes from = sparse_->slopes();
  slopes_.jacobian = from.jacobian;
  if (wanted == Wanted::jacobian) return;
  slopes_.mass = from.mass;
  slopes_.rate_pose = from.rate_pose;
  slopes_.acceleration_pose = from.acceleration_pose;
  slopes_.acceleration_twist = from.acceleration_twist;
  slopes_.force_pose = from.force_pose;
  slopes_.force_twist = from.force_twist;
  slopes_.force_state = from.force_state;
  slopes_.force_multiplier = from.force_multiplier;
  slopes_.state_pose = from.state_pose;
  slopes_.state_twist = from.state_twist;
  slopes_.state_state = from.state_state;
  slopes_.state_multiplier = from.state_multiplier;
}

// With δp = Z q, δs = S q from c = 0 and δw from d = 0.
Failure DisplacedMotion::squeeze_dense_slopes(double t, Wanted wanted) {
  const Layout& l = layout_;
  const MotionDerivatives& of = derivatives_;
  const auto columns = [](const Matrix& matrix, const Block& block) {
    return matrix.middleCols(block.begin, block.size);
  };
  const Index nm = constraints();  // λ and μ are neighbours in x
  const Block multipliers{l.lambda.begin, nm};
  const Matrix Z = columns(of.kinematics, l.v);
  Matrix S(l.s.size, l.v.size);
  if (l.s.size > 0) {
    const Eigen::FullPivLU<Matrix> c_s(columns(of.c, l.s));
    if (!c_s.isInvertible())
      return {Reason::contact_singular,
              fmt::format("the contact equations do not determine their coordinates at t = {}", t)};
    S = -c_s.solve(columns(of.c, l.p) * Z);
  }
  const auto by_pose = [&](const Matrix& matrix) -> Matrix {
    Matrix result = columns(matrix, l.p) * Z;
    if (l.s.size > 0) result += columns(matrix, l.s) * S;
    return result;
  };
  const auto stacked = [](const Matrix& upper, const Matrix& lower) {
    Matrix both(upper.rows() + lower.rows(), upper.cols());
    both << upper, lower;
    return squeezed(both);
  };
  slopes_.mass = squeezed(values_.M);
  slopes_.jacobian = stacked(columns(of.gI, l.v), columns(of.h, l.v));
  if (wanted == Wanted::jacobian) return {};

  slopes_.rate_pose = stacked(by_pose(of.gI), by_pose(of.h));
  slopes_.acceleration_pose = stacked(by_pose(of.gII), by_pose(of.hI));
  slopes_.acceleration_twist = stacked(columns(of.gII, l.v), columns(of.hI, l.v));
  slopes_.position_pose = squeezed(Z);
  slopes_.position_rate_pose = squeezed(by_pose(of.kinematics));

  // derivatives by (pose, twist, state, multipliers), w eliminated
  const auto by_all = [&](const Matrix& matrix) {
    Matrix all(matrix.rows(), 2 * l.v.size + l.r.size + nm);
    all << by_pose(matrix), columns(matrix, l.v), columns(matrix, l.r), columns(matrix, multipliers);
    return all;
  };
  Matrix force = by_all(of.dynamics), state = by_all(of.b);
  if (l.w.size > 0) {
    const Eigen::FullPivLU<Matrix> d_w(columns(of.d, l.w));
    if (!d_w.isInvertible())
      return {Reason::auxiliary_singular,
              fmt::format("the auxiliary equations do not determine their unknowns at t = {}", t)};
    const Matrix w = -d_w.solve(by_all(of.d));
    force += columns(of.dynamics, l.w) * w;
    state += columns(of.b, l.w) * w;
  }
  const Index nv = l.v.size, nr = l.r.size;
  force.rightCols(nm) += Matrix(slopes_.jacobian).transpose();
  slopes_.force_pose = squeezed(force.leftCols(nv));
  slopes_.force_twist = squeezed(force.middleCols(nv, nv));
  slopes_.force_state = squeezed(force.middleCols(2 * nv, nr));
  // −ZᵀGᵀ was added to itself: what is left of it is round-off
  const double negligible = 1e-14 * (1 + (nm > 0 && nv > 0 ? slopes_.jacobian.norm() : 0.0));
  slopes_.force_multiplier =
      squeezed((force.rightCols(nm).array().abs() > negligible).select(force.rightCols(nm), 0.0));
  slopes_.state_pose = squeezed(state.leftCols(nv));
  slopes_.state_twist = squeezed(state.middleCols(nv, nv));
  slopes_.state_state = squeezed(state.middleCols(2 * nv, nr));
  slopes_.state_multiplier = squeezed(state.rightCols(nm));
  return {};
}

Failure DisplacedMotion::move(double t, const Vector& q, Vector& x) {
  auto p = x.segment(layout_.p.begin, layout_.p.size);
  Vector change(layout_.p.size);
  if (Failure failure = evaluate(t, x, rest_, part::n)) return failure;
  if (sparse_ != nullptr) {
    sparse_->displacement_to_positions(p, q, values_.n, change);
  } else {
    equations_.differentiate({t, x, rest_}, part::kinematics | part::n, derivatives_);
    change = derivatives_.kinematics.middleCols(layout_.v.begin, layout_.v.size) * q;
    if (layout_.normalizations > 0) {
      const Matrix n_p = derivatives_.n.middleCols(layout_.p.begin, layout_.p.size);
      change -= n_p.transpose() * (n_p * n_p.transpose()).ldlt().solve(values_.n);
    }
  }
  p += change;
  return {};
}

Vector DisplacedMotion::displacement(double t, const Vector& from, const Vector& to) {
  const Vector middle = 0.5 * (from + to);
  const Vector change = (to - from).segment(layout_.p.begin, layout_.p.size);
  if (sparse_ != nullptr) {
    Vector q(layout_.v.size);
    sparse_->rates_to_velocities(middle.segment(layout_.p.begin, layout_.p.size), change, q);
    // between Euler parameters a rotation by θ looks like 4 tan(θ/4)
    if (rotates_bodies(equations_))
      for (Index body = 0; 6 * body < q.size(); ++body) {
        auto turn = q.segment<3>(6 * body + 3);
        const double seen = turn.norm();
        if (seen > 0) turn *= 4 * std::atan(seen / 4) / seen;
      }
    return q;
  }
  equations_.differentiate({t, middle, rest_}, part::kinematics, derivatives_);
  const Matrix Z = derivatives_.kinematics.middleCols(layout_.v.begin, layout_.v.size);
  return Z.colPivHouseholderQr().solve(change);
}

Failure DisplacedMotion::solve_for(double t, Vector& x, Parts function, const Block& unknowns) {
  if (unknowns.size == 0) return {};
  auto solved = x.segment(unknowns.begin, unknowns.size);
  for (int iteration = 0; iteration < 30; ++iteration) {
    if (Failure failure = evaluate(t, x, rest_, function)) return failure;
    equations_.differentiate({t, x, rest_}, function, derivatives_);
    const Matrix& slope = function == part::c ? derivatives_.c : derivatives_.d;
    const Vector& residual = function == part::c ? values_.c : values_.d;
    const Vector change = slope.middleCols(unknowns.begin, unknowns.size).fullPivLu().solve(-residual);
    if (!change.allFinite()) break;
    solved += change;
    if (largest(change) <= 1e-13 * (1 + largest(solved))) return {};
  }
  return {Reason::newton_failed, fmt::format("'{}' and its like could not be solved for at t = {}",
                                             equations_.names().variable(layout_, unknowns.begin), t)};
}

Failure DisplacedMotion::settle(double t, Vector& x) {
  if (sparse_ != nullptr) return {};
  if (Failure failure = solve_for(t, x, part::c, layout_.s)) return failure;
  return solve_for(t, x, part::d, layout_.w);
}

bool rotates_bodies(const EquationsOfMotion& equations) {
  const auto* cartesian = dynamic_cast<const CartesianEquations*>(&equations);
  return cartesian != nullptr && cartesian->velocities() == CartesianEquations::Velocities::angular;
}

std::vector<std::string> displacement_names(const EquationsOfMotion& equations) {
  const Layout& layout = equations.layout();
  const Names& names = equations.names();
  if (rotates_bodies(equations)) {
    const Mechanism& mechanism = dynamic_cast<const CartesianEquations&>(equations).mechanism();
    std::vector<std::string> result;
    for (std::size_t i = 1; i < mechanism.bodies.size(); ++i)
      for (const char* suffix : {".x", ".y", ".z", ".rx", ".ry", ".rz"})
        result.push_back(mechanism.bodies[i].name + suffix);
    return result;
  }
  return layout.p.size == layout.v.size ? names.p : names.v;
}

std::string owner_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(0, dot);
}

bool is_large(EquationsOfMotion& equations) {
  constexpr Index large = 300;
  return equations.layout().total > large && sparse_of(equations) != nullptr &&
         equations.layout().invariants == 0;
}

}  // namespace trammel
