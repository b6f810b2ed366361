// Equations of motion from a system written once, as functions templated on the scalar:
//
//   struct Pendulum {
//     double mass = 1, length = 1, gravity = 9.81;
//     trammel::Sizes sizes() const { return {.positions = 2, .holonomic = 1}; }
//     template <class T>
//     void M(const trammel::Point<T>&, trammel::MatrixView<T> M) const {
//       M(0, 0) = M(1, 1) = mass;
//     }
//     template <class T>
//     void f(const trammel::Point<T>&, std::span<T> f) const {
//       f[1] = -mass * gravity;
//     }
//     template <class T>
//     void g(const trammel::Point<T>& x, std::span<T> g) const {
//       g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - length * length;
//     }
//   };
//   trammel::TemplatedEquations<Pendulum> equations{Pendulum{}};
//
// A system has `sizes()` and whichever of M, f, Z, b, d, c, g, H, h, e, n it needs (H and h belong together,
// h may be missing; no Z means Z = I, no M means M = I). Optional: `structure()` and `names()`. Outputs are
// zero on entry. G, gᴵ, gᴵᴵ, hᴵ and all derivatives follow exactly.
#pragma once

#include <stdexcept>
#include <string>

#include "trammel/motion/equations.h"
#include "trammel/motion/motion_kernel.h"

namespace trammel {

template <class System>
Structure structure_of(const System& system) {
  if constexpr (requires { system.structure(); }) return system.structure();
  return {};
}
template <class System>
Names names_of(const System& system) {
  if constexpr (requires { system.names(); }) return system.names();
  return {};
}

template <class System>
class TemplatedEquations final : public EquationsOfMotion {
 public:
  explicit TemplatedEquations(System system)
      : EquationsOfMotion(checked(system.sizes()), structure_of(system), names_of(system)),
        system_(std::move(system)),
        values_(system_, layout()),
        derivatives_(system_, layout()) {}

  const System& system() const { return system_; }

  void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) override {
    set(values_, at);
    auto& k = values_;
    if (wanted & part::kinematics) k.kinematics(out.kinematics.data());
    if (wanted & part::dynamics) k.dynamics(out.dynamics.data(), false);
    if (wanted & part::mass) copy(k.M(), out.M);
    if (wanted & part::b) copy(k.b(), out.b);
    if (wanted & part::d) copy(k.d(), out.d);
    if (wanted & part::e) copy(k.e(), out.e);
    if (wanted & part::c) copy(k.c(), out.c);
    if (wanted & part::n) copy(k.n(), out.n);
    if (wanted & along_motion) {
      k.follow_motion();
      if (wanted & (part::g | part::gI | part::gII)) {
        const auto g = k.g();
        for (std::size_t i = 0; i < g.size(); ++i) {
          if (wanted & part::g) out.g[Index(i)] = g[i].value;
          if (wanted & part::gI) out.gI[Index(i)] = g[i].first;
          if (wanted & part::gII) out.gII[Index(i)] = g[i].second;
        }
      }
      if (wanted & (part::h | part::hI)) {
        const auto h = k.h();
        for (std::size_t i = 0; i < h.size(); ++i) {
          if (wanted & part::h) out.h[Index(i)] = h[i].value;
          if (wanted & part::hI) out.hI[Index(i)] = h[i].first;
        }
      }
    }
  }

  void differentiate(const MotionPoint& at, Parts wanted, MotionDerivatives& out) override {
    set(derivatives_, at);
    const Layout& l = layout();
    // constraint functions depend on p and s; hidden ones on v too; forces on everything
    for (const Block* block : {&l.p, &l.s}) differentiate_by(*block, wanted, true, out);
    differentiate_by(l.v, wanted & ~(Parts{part::c} | part::g | part::n), false, out);
    for (const Block* block : {&l.r, &l.w, &l.lambda, &l.mu})
      differentiate_by(*block, wanted & (part::dynamics | part::b | part::d), false, out);
    // the constraint forces are linear in the multipliers: −ZᵀGᵀ and −ZᵀHᵀ
    if (wanted & part::dynamics) {
      set(values_, at);
      subtract_transposed(values_.G(), l.lambda, out.dynamics);
      subtract_transposed(values_.H(), l.mu, out.dynamics);
    }
  }

  bool velocity_jacobian(const MotionPoint& at, Matrix& D) override {
    set(values_, at);
    const Index rows = layout().lambda.size;
    put_jacobian(values_.G(), rows, D.topRows(rows));
    put_jacobian(values_.H(), layout().mu.size, D.bottomRows(layout().mu.size));
    return true;
  }

 private:
  static constexpr int width = 8;        // directions at once for a derivative
  static constexpr int inner_width = 4;  // and for the constraint Jacobian inside it
  static constexpr Parts along_motion = part::g | part::gI | part::gII | part::h | part::hI;
  using Number = Dual<double, width>;

  // A function that is there under its name but cannot be called as it must be would count as missing, and M
  // = I or f = 0 be used in its place.
  static_assert(!named::M<System> || has::M<System>, "M must be: M(const Point<T>&, MatrixView<T>) const");
  static_assert(!named::f<System> || has::f<System>, "f must be: f(const Point<T>&, std::span<T>) const");
  static_assert(!named::Z<System> || has::Z<System>, "Z must be: Z(const Point<T>&, MatrixView<T>) const");
  static_assert(!named::h<System> || has::h<System>, "h must be: h(const Point<T>&, std::span<T>) const");
  static_assert(!has::h<System> || has::H<System>, "h belongs to H: 0 = H Z v + h");

  // A count without its function, or a function without its count, is a slip worth a message.
  static Sizes checked(const Sizes& sizes) {
    const auto check = [](bool counted, bool written, const char* count, const char* function) {
      if (counted != written)
        throw std::invalid_argument(std::string("sizes().") + count +
                                    (counted ? " is set but " : " is zero but ") + "the system has " +
                                    (written ? "a" : "no") + " function " + function);
    };
    check(sizes.force_states > 0, has::b<System>, "force_states", "b");
    check(sizes.auxiliaries > 0, has::d<System>, "auxiliaries", "d");
    check(sizes.contacts > 0, has::c<System>, "contacts", "c");
    check(sizes.holonomic > 0, has::g<System>, "holonomic", "g");
    check(sizes.nonholonomic > 0, has::H<System>, "nonholonomic", "H");
    check(sizes.invariants > 0, has::e<System>, "invariants", "e");
    check(sizes.normalizations > 0, has::n<System>, "normalizations", "n");
    if (!has::Z<System> && sizes.velocities != Sizes::same_as_positions &&
        sizes.velocities != sizes.positions)
      throw std::invalid_argument(
          "the numbers of positions and velocities differ, so the system needs a function Z");
    return sizes;
  }

  template <class Kernel>
  static void set(Kernel& kernel, const MotionPoint& at) {
    for (Index i = 0; i < at.x.size(); ++i) kernel.x[std::size_t(i)] = at.x[i];
    for (Index i = 0; i < at.a.size(); ++i) kernel.a[std::size_t(i)] = at.a[i];
    kernel.t = at.t;
  }
  template <class Range, class Out>
  static void copy(const Range& from, Out& to) {
    std::copy(from.begin(), from.end(), to.data());
  }

  // C Z for C = G or H
  void put_jacobian(const std::vector<double>& C, Index rows, Eigen::Ref<Matrix> to) {
    if (rows == 0) return;
    const Eigen::Map<const Matrix> by_position(C.data(), rows, layout().p.size);
    if constexpr (has::Z<System>)
      to = by_position * Eigen::Map<const Matrix>(values_.Z().data(), layout().p.size, layout().v.size);
    else
      to = by_position;
  }

  // by −= Zᵀ Cᵀ in the columns of the multipliers of C
  void subtract_transposed(const std::vector<double>& C, const Block& multipliers, Matrix& by) {
    const Index np = layout().p.size, rows = multipliers.size;
    if (rows == 0) return;
    [[maybe_unused]] const std::vector<double>& Z = values_.Z();
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < layout().v.size; ++j) {
        double force = 0;
        if constexpr (has::Z<System>)
          for (Index k = 0; k < np; ++k) force += Z[std::size_t(k + np * j)] * C[std::size_t(i + rows * k)];
        else
          force = C[std::size_t(i + rows * j)];
        by(j, multipliers.begin + i) -= force;
      }
    }
  }

  // One block of columns. The constraint forces and M a depend on the positions only.
  void differentiate_by(const Block& block, Parts wanted, bool with_constraint_forces,
                        MotionDerivatives& out) {
    auto& k = derivatives_;
    for (Index begin = block.begin; begin < block.end(); begin += width) {
      const int columns = static_cast<int>(std::min<Index>(width, block.end() - begin));
      for (int i = 0; i < columns; ++i) {
        Number& variable = k.x[std::size_t(begin + i)];
        variable = Number::variable(variable.value, i);
      }
      const auto scatter = [&](const auto& row, Index i, Matrix& to) {
        for (int j = 0; j < columns; ++j) to(i, begin + j) = row.derivative[std::size_t(j)];
      };
      const auto scatter_all = [&](const auto& rows, Matrix& to) {
        for (std::size_t i = 0; i < rows.size(); ++i) scatter(rows[i], Index(i), to);
      };
      if (wanted & part::kinematics) {
        row_.resize(std::size_t(layout().p.size));
        k.kinematics(row_.data());
        scatter_all(row_, out.kinematics);
      }
      if (wanted & part::dynamics) {
        if (with_constraint_forces) {
          row_.resize(std::size_t(layout().v.size));
          k.dynamics(row_.data(), true);
          scatter_all(row_, out.dynamics);
        } else {
          scatter_all(k.f(), out.dynamics);
        }
      }
      if (wanted & part::b) scatter_all(k.b(), out.b);
      if (wanted & part::d) scatter_all(k.d(), out.d);
      if (wanted & part::e) scatter_all(k.e(), out.e);
      if (wanted & part::c) scatter_all(k.c(), out.c);
      if (wanted & part::n) scatter_all(k.n(), out.n);
      if (wanted & along_motion) {
        k.follow_motion();
        if (wanted & (part::g | part::gI | part::gII)) {
          const auto g = k.g();
          for (std::size_t i = 0; i < g.size(); ++i) {
            if (wanted & part::g) scatter(g[i].value, Index(i), out.g);
            if (wanted & part::gI) scatter(g[i].first, Index(i), out.gI);
            if (wanted & part::gII) scatter(g[i].second, Index(i), out.gII);
          }
        }
        if (wanted & (part::h | part::hI)) {
          const auto h = k.h();
          for (std::size_t i = 0; i < h.size(); ++i) {
            if (wanted & part::h) scatter(h[i].value, Index(i), out.h);
            if (wanted & part::hI) scatter(h[i].first, Index(i), out.hI);
          }
        }
      }
      for (int i = 0; i < columns; ++i) {
        Number& variable = k.x[std::size_t(begin + i)];
        variable = Number(variable.value);
      }
    }
  }

  System system_;
  MotionKernel<System, double, width> values_;
  MotionKernel<System, Number, inner_width> derivatives_;
  std::vector<Number> row_;
};

}  // namespace trammel
