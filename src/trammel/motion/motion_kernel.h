// The derived functions of a templated system in one scalar T: the constraint Jacobian G, the dynamics with
// its constraint forces, and the hidden constraints gᴵ, gᴵᴵ, hᴵ by Taylor arithmetic along the motion.
//
// TemplatedEquations runs it with T = double for values and with T = Dual for derivatives.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "trammel/motion/point.h"
#include "trammel/numerics/dual.h"
#include "trammel/numerics/taylor.h"

namespace trammel {

// Which of the functions a system has.
namespace has {
template <class System>
concept M = requires(const System& s, const Point<double>& x, MatrixView<double> out) {
  s.M(x, out);
};
template <class System>
concept f = requires(const System& s, const Point<double>& x, std::span<double> out) {
  s.f(x, out);
};
template <class System>
concept Z = requires(const System& s, const Point<double>& x, MatrixView<double> out) {
  s.Z(x, out);
};
template <class System>
concept b = requires(const System& s, const Point<double>& x, std::span<double> out) {
  s.b(x, out);
};
template <class System>
concept d = requires(const System& s, const Point<double>& x, std::span<double> out) {
  s.d(x, out);
};
template <class System>
concept c = requires(const System& s, const Point<double>& x, std::span<double> out) {
  s.c(x, out);
};
template <class System>
concept g = requires(const System& s, const Point<double>& x, std::span<double> out) {
  s.g(x, out);
};
template <class System>
concept H = requires(const System& s, const Point<double>& x, MatrixView<double> out) {
  s.H(x, out);
};
template <class System>
concept h = requires(const System& s, const Point<double>& x, std::span<double> out) {
  s.h(x, out);
};
template <class System>
concept e = requires(const System& s, const Point<double>& x, std::span<double> out) {
  s.e(x, out);
};
template <class System>
concept n = requires(const System& s, const Point<double>& x, std::span<double> out) {
  s.n(x, out);
};
}  // namespace has

// Which names a system has as templates, whatever their arguments.
namespace named {
template <class System>
concept M = requires {
  &System::template M<double>;
};
template <class System>
concept f = requires {
  &System::template f<double>;
};
template <class System>
concept Z = requires {
  &System::template Z<double>;
};
template <class System>
concept h = requires {
  &System::template h<double>;
};
}  // namespace named

// Solves A x = b for a small column-major A by elimination with partial pivoting; both are overwritten. A
// singular A gives values that are not finite, which every caller of an evaluation checks for.
template <class T>
void solve_in_place(std::vector<T>& A, T* b, Index n) {
  const auto at = [&](Index i, Index j) -> T& { return A[static_cast<std::size_t>(i + n * j)]; };
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i)
      if (std::abs(plain(at(i, k))) > std::abs(plain(at(pivot, k)))) pivot = i;
    if (pivot != k) {
      for (Index j = k; j < n; ++j) std::swap(at(k, j), at(pivot, j));
      std::swap(b[k], b[pivot]);
    }
    for (Index i = k + 1; i < n; ++i) {
      const T factor = at(i, k) / at(k, k);
      for (Index j = k + 1; j < n; ++j) at(i, j) -= factor * at(k, j);
      b[i] -= factor * b[k];
    }
  }
  for (Index i = n - 1; i >= 0; --i) {
    for (Index j = i + 1; j < n; ++j) b[i] -= at(i, j) * b[j];
    b[i] = b[i] / at(i, i);
  }
}

// W: how many directions are differentiated at once for G.
template <class System, class T, int W>
class MotionKernel {
 public:
  MotionKernel(const System& system, const Layout& layout)
      : layout_(layout),
        x(size(layout.total)),
        a(size(layout.v.size)),
        system_(system),
        Z_(size(layout.p.size * layout.v.size)),
        H_(size(layout.mu.size * layout.p.size)),
        M_(size(layout.v.size * layout.v.size)),
        G_(size(layout.lambda.size * layout.p.size)),
        p_force_(size(layout.p.size)),
        out_(size(std::max({layout.total, layout.invariants, layout.normalizations}))),
        forbidden_(size(layout.total), T(std::numeric_limits<double>::quiet_NaN())),
        taylor_x_(size(layout.total)),
        taylor_rate_(size(layout.p.size)),
        taylor_forbidden_(size(layout.total), Taylor<T>(std::numeric_limits<double>::quiet_NaN())),
        taylor_out_(size(std::max({layout.lambda.size, layout.mu.size, layout.s.size}))),
        taylor_matrix_(size(std::max(layout.p.size * layout.v.size, layout.mu.size * layout.p.size))),
        inner_x_(size(layout.total)),
        inner_forbidden_(size(layout.total), Inner(std::numeric_limits<double>::quiet_NaN())),
        inner_out_(size(std::max(layout.lambda.size, layout.s.size))),
        c_s_(size(layout.s.size * layout.s.size)),
        c_s_copy_(c_s_),
        c_p_(size(layout.s.size * layout.p.size)),
        g_s_(size(layout.lambda.size * layout.s.size)) {}

 private:
  using Inner = Dual<T, W>;
  static std::size_t size(Index n) { return static_cast<std::size_t>(n); }
  const Layout layout_;

 public:
  // The point: set these before calling anything.
  std::vector<T> x;
  std::vector<T> a;
  T t{};

  // --- the user's functions
  // -------------------------------------------------------------------------------------

  // Z(p), or nothing if the system has none (then Z = I).
  const std::vector<T>& Z() {
    if constexpr (has::Z<System>) {
      std::fill(Z_.begin(), Z_.end(), T(0.0));
      system_.Z(position_only(), MatrixView<T>(Z_.data(), layout_.p.size, layout_.v.size));
    }
    return Z_;
  }

  void kinematics(T* out) {
    if constexpr (has::Z<System>) {
      Z();
      for (Index i = 0; i < layout_.p.size; ++i) {
        out[i] = T(0.0);
        for (Index j = 0; j < layout_.v.size; ++j) out[i] += Z_[size(i + layout_.p.size * j)] * velocity(j);
      }
    } else {
      for (Index i = 0; i < layout_.p.size; ++i) out[i] = velocity(i);
    }
  }

  const std::vector<T>& M() {
    std::fill(M_.begin(), M_.end(), T(0.0));
    if constexpr (has::M<System>)
      system_.M(position_only(), MatrixView<T>(M_.data(), layout_.v.size, layout_.v.size));
    else
      for (Index i = 0; i < layout_.v.size; ++i) M_[size(i + layout_.v.size * i)] = T(1.0);
    return M_;
  }

  std::span<T> f() {
    std::span<T> out = cleared(layout_.v.size);
    if constexpr (has::f<System>) system_.f(everything(), out);
    return out;
  }
  std::span<T> b() {
    std::span<T> out = cleared(layout_.r.size);
    if constexpr (has::b<System>) system_.b(everything(), out);
    return out;
  }
  std::span<T> d() {
    std::span<T> out = cleared(layout_.w.size);
    if constexpr (has::d<System>) system_.d(everything(), out);
    return out;
  }
  std::span<T> e() {
    std::span<T> out = cleared(layout_.invariants);
    if constexpr (has::e<System>) {
      Point<T> at = position_and_contact();
      at.v = span(x, layout_.v);
      system_.e(at, out);
    }
    return out;
  }
  std::span<T> n() {
    std::span<T> out = cleared(layout_.normalizations);
    if constexpr (has::n<System>) system_.n(position_only(), out);
    return out;
  }

  // --- derived functions
  // ----------------------------------------------------------------------------------------

  // G = g_p − g_s c_s⁻¹ c_p, the derivative of g along the positions with the contact coordinates following.
  const std::vector<T>& G() {
    if constexpr (has::g<System>) {
      const Index rows = layout_.lambda.size;
      differentiate_inner(layout_.p, G_, rows,
                          [this](const Point<Inner>& at, std::span<Inner> out) { system_.g(at, out); });
      if constexpr (has::c<System>) {
        differentiate_inner(layout_.s, g_s_, rows,
                            [this](const Point<Inner>& at, std::span<Inner> out) { system_.g(at, out); });
        differentiate_contact();
        differentiate_inner(layout_.p, c_p_, layout_.s.size,
                            [this](const Point<Inner>& at, std::span<Inner> out) { system_.c(at, out); });
        for (Index j = 0; j < layout_.p.size; ++j) {
          T* column = c_p_.data() + layout_.s.size * j;
          c_s_copy_ = c_s_;
          solve_in_place(c_s_copy_, column, layout_.s.size);
          for (Index i = 0; i < rows; ++i)
            for (Index k = 0; k < layout_.s.size; ++k)
              G_[size(i + rows * j)] -= g_s_[size(i + rows * k)] * column[k];
        }
      }
    }
    return G_;
  }

  const std::vector<T>& H() {
    if constexpr (has::H<System>) {
      std::fill(H_.begin(), H_.end(), T(0.0));
      system_.H(position_and_contact(), MatrixView<T>(H_.data(), layout_.mu.size, layout_.p.size));
    }
    return H_;
  }

  // f − Zᵀ (Gᵀ λ + Hᵀ μ), less M a if asked for
  void dynamics(T* out, bool less_inertia) {
    // constraint forces on the positions
    std::fill(p_force_.begin(), p_force_.end(), T(0.0));
    if constexpr (has::g<System>) {
      G();
      for (Index j = 0; j < layout_.p.size; ++j)
        for (Index i = 0; i < layout_.lambda.size; ++i)
          p_force_[size(j)] += G_[size(i + layout_.lambda.size * j)] * x[size(layout_.lambda.begin + i)];
    }
    if constexpr (has::H<System>) {
      H();
      for (Index j = 0; j < layout_.p.size; ++j)
        for (Index i = 0; i < layout_.mu.size; ++i)
          p_force_[size(j)] += H_[size(i + layout_.mu.size * j)] * x[size(layout_.mu.begin + i)];
    }
    // on the velocities
    if constexpr (has::Z<System>) Z();
    const std::span<T> applied = f();
    for (Index j = 0; j < layout_.v.size; ++j) {
      out[j] = applied[size(j)];
      if constexpr (has::Z<System>) {
        for (Index i = 0; i < layout_.p.size; ++i)
          out[j] -= Z_[size(i + layout_.p.size * j)] * p_force_[size(i)];
      } else {
        out[j] -= p_force_[size(j)];
      }
    }
    if (!less_inertia) return;
    M();
    for (Index j = 0; j < layout_.v.size; ++j)
      for (Index i = 0; i < layout_.v.size; ++i) out[i] -= M_[size(i + layout_.v.size * j)] * a[size(j)];
  }

  // Moves the point along the motion: positions, contact coordinates and time as Taylor numbers. Call before
  // g, h, c.
  void follow_motion() {
    // p' = Z v and p'' = (Z v)'
    const Index np = layout_.p.size, nv = layout_.v.size;
    taylor_t_ = Taylor<T>(t, T(1.0), T(0.0));
    if constexpr (has::Z<System>) {
      kinematics(p_force_.data());
      for (Index i = 0; i < np; ++i) taylor_x_[size(i)] = Taylor<T>(x[size(i)], p_force_[size(i)], T(0.0));
      std::fill(taylor_matrix_.begin(), taylor_matrix_.end(), Taylor<T>(0.0));
      Point<Taylor<T>> at = taylor_point();
      at.s = {taylor_forbidden_.data(), size(layout_.s.size)};
      system_.Z(at, MatrixView<Taylor<T>>(taylor_matrix_.data(), np, nv));
      for (Index i = 0; i < np; ++i) {
        Taylor<T> rate(0.0);
        for (Index j = 0; j < nv; ++j)
          rate += taylor_matrix_[size(i + np * j)] * Taylor<T>(velocity(j), a[size(j)], T(0.0));
        taylor_rate_[size(i)] = rate;
        taylor_x_[size(i)].second = rate.first;
      }
    } else {
      for (Index i = 0; i < np; ++i) {
        taylor_x_[size(i)] = Taylor<T>(x[size(i)], velocity(i), a[size(i)]);
        taylor_rate_[size(i)] = Taylor<T>(velocity(i), a[size(i)], T(0.0));
      }
    }
    // the contact coordinates follow from c(p, s, t) = 0
    if constexpr (has::c<System>) {
      const Index ns = layout_.s.size;
      for (Index i = 0; i < ns; ++i)
        taylor_x_[size(layout_.s.begin + i)] = Taylor<T>(x[size(layout_.s.begin + i)], T(0.0), T(0.0));
      differentiate_contact();
      for (int order = 1; order <= 2; ++order) {
        std::fill(taylor_out_.begin(), taylor_out_.end(), Taylor<T>(0.0));
        system_.c(taylor_point(), std::span<Taylor<T>>(taylor_out_.data(), size(ns)));
        for (Index i = 0; i < ns; ++i)
          out_[size(i)] = order == 1 ? -taylor_out_[size(i)].first : -taylor_out_[size(i)].second;
        c_s_copy_ = c_s_;
        solve_in_place(c_s_copy_, out_.data(), ns);
        for (Index i = 0; i < ns; ++i) {
          Taylor<T>& s = taylor_x_[size(layout_.s.begin + i)];
          (order == 1 ? s.first : s.second) = out_[size(i)];
        }
      }
    }
  }

  // g, gᴵ, gᴵᴵ
  std::span<Taylor<T>> g() {
    std::span<Taylor<T>> out = taylor_cleared(layout_.lambda.size);
    if constexpr (has::g<System>) system_.g(taylor_point(), out);
    return out;
  }
  // H Z v + h and its time derivative (the second derivative is not meaningful)
  std::span<Taylor<T>> h() {
    std::span<Taylor<T>> out = taylor_cleared(layout_.mu.size);
    if constexpr (has::H<System>) {
      if constexpr (has::h<System>) system_.h(taylor_point(), out);
      std::fill(taylor_matrix_.begin(), taylor_matrix_.end(), Taylor<T>(0.0));
      system_.H(taylor_point(),
                MatrixView<Taylor<T>>(taylor_matrix_.data(), layout_.mu.size, layout_.p.size));
      for (Index i = 0; i < layout_.mu.size; ++i)
        for (Index j = 0; j < layout_.p.size; ++j)
          out[size(i)] += taylor_matrix_[size(i + layout_.mu.size * j)] * taylor_rate_[size(j)];
    }
    return out;
  }
  std::span<T> c() {
    std::span<T> out = cleared(layout_.s.size);
    if constexpr (has::c<System>) system_.c(position_and_contact(), out);
    return out;
  }

 private:
  const T& velocity(Index j) const { return x[size(layout_.v.begin + j)]; }

  template <class U>
  static std::span<const U> span(const std::vector<U>& values, const Block& block) {
    return {values.data() + block.begin, size(block.size)};
  }
  std::span<T> cleared(Index n) {
    std::fill(out_.begin(), out_.begin() + n, T(0.0));
    return {out_.data(), size(n)};
  }
  std::span<Taylor<T>> taylor_cleared(Index n) {
    std::fill(taylor_out_.begin(), taylor_out_.begin() + n, Taylor<T>(0.0));
    return {taylor_out_.data(), size(n)};
  }

  template <class U>
  Point<U> point(const std::vector<U>& values, const std::vector<U>& forbidden, const U& time) const {
    return {span(values, layout_.p),     span(forbidden, layout_.v),
            span(forbidden, layout_.r),  span(forbidden, layout_.w),
            span(values, layout_.s),     span(forbidden, layout_.lambda),
            span(forbidden, layout_.mu), time};
  }
  Point<T> position_and_contact() const { return point(x, forbidden_, t); }
  Point<T> position_only() const {
    Point<T> at = position_and_contact();
    at.s = span(forbidden_, layout_.s);
    return at;
  }
  Point<Taylor<T>> taylor_point() const { return point(taylor_x_, taylor_forbidden_, taylor_t_); }
  Point<T> everything() const {
    return {span(x, layout_.p), span(x, layout_.v),      span(x, layout_.r),  span(x, layout_.w),
            span(x, layout_.s), span(x, layout_.lambda), span(x, layout_.mu), t};
  }

  // The derivative of a function of (p, s, t) by one block of the unknowns, W columns at a time.
  template <class Function>
  void differentiate_inner(const Block& by, std::vector<T>& jacobian, Index rows, const Function& function) {
    for (Index i = 0; i < layout_.p.size; ++i) inner_x_[size(i)] = Inner(x[size(i)]);
    for (Index i = layout_.s.begin; i < layout_.s.end(); ++i) inner_x_[size(i)] = Inner(x[size(i)]);
    for (Index begin = 0; begin < by.size; begin += W) {
      const int width = static_cast<int>(std::min<Index>(W, by.size - begin));
      for (int k = 0; k < width; ++k) {
        const std::size_t column = size(by.begin + begin + k);
        inner_x_[column] = Inner::variable(x[column], k);
      }
      std::fill(inner_out_.begin(), inner_out_.end(), Inner(0.0));
      function(point(inner_x_, inner_forbidden_, Inner(t)), std::span<Inner>(inner_out_.data(), size(rows)));
      for (int k = 0; k < width; ++k) {
        const Index column = begin + k;
        for (Index i = 0; i < rows; ++i)
          jacobian[size(i + rows * column)] = inner_out_[size(i)].derivative[size(k)];
        inner_x_[size(by.begin + column)] = Inner(x[size(by.begin + column)]);
      }
    }
  }
  void differentiate_contact() {
    if constexpr (has::c<System>)
      differentiate_inner(layout_.s, c_s_, layout_.s.size,
                          [this](const Point<Inner>& at, std::span<Inner> out) { system_.c(at, out); });
  }

  const System& system_;
  std::vector<T> Z_, H_, M_, G_, p_force_, out_, forbidden_;
  Taylor<T> taylor_t_;
  std::vector<Taylor<T>> taylor_x_, taylor_rate_, taylor_forbidden_, taylor_out_, taylor_matrix_;
  std::vector<Inner> inner_x_, inner_forbidden_, inner_out_;
  std::vector<T> c_s_, c_s_copy_, c_p_, g_s_;
};

}  // namespace trammel
