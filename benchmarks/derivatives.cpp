// What a derivative costs by number type: our Dual, Eigen's AutoDiffScalar, ceres::Jet (where its header is
// found) and central differences, next to a plain evaluation. docs/derivatives.md draws the conclusion.
//
// One iteration is a whole derivative: all columns of the Jacobian, or all second derivatives. `full` carries
// all directions at once, `by 8` takes eight at a time, `by 8x4` nests eight in four. Before anything is
// measured all types must agree.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unsupported/Eigen/AutoDiff>

#include "trammel/numerics/dual.h"

#ifdef TRAMMEL_HAS_CERES_JET
#include <ceres/jet.h>
#endif

namespace {

// --- what is differentiated -------------------------------------------------------------------------------

template <class T>
using Vector3 = std::array<T, 3>;

template <class T>
Vector3<T> cross(const T* a, const Vector3<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Where the point u of a body is, seen from its centre: u + e0 t + e × t with t = 2 e × u.
template <class T>
Vector3<T> arm(const T* e, const Vector3<double>& u) {
  const Vector3<double> w = {2 * u[0], 2 * u[1], 2 * u[2]};
  const Vector3<T> t = {e[2] * w[2] - e[3] * w[1], e[3] * w[0] - e[1] * w[2], e[1] * w[1] - e[2] * w[0]};
  const Vector3<T> s = cross(e + 1, t);
  return {e[0] * t[0] + s[0] + u[0], e[0] * t[1] + s[1] + u[1], e[0] * t[2] + s[2] + u[2]};
}

// The angular velocity: 2 (e0 ė − ė0 e + e × ė).
template <class T>
Vector3<T> angular_velocity(const T* e, const T* d) {
  const Vector3<T> s = cross(e + 1, Vector3<T>{d[1], d[2], d[3]});
  Vector3<T> result;
  for (int i = 0; i < 3; ++i) result[i] = (e[0] * d[i + 1] - d[0] * e[i + 1] + s[i]) * 2.0;
  return result;
}

constexpr Vector3<double> point_a = {0.3, -0.2, 0.5};
constexpr Vector3<double> point_b = {-0.4, 0.1, -0.6};

// A constraint: points of two bodies coincide. Each body has three positions and four Euler parameters.
struct SphericalJoint {
  static constexpr int inputs = 14, outputs = 3;

  template <class T>
  [[gnu::noinline]] static void evaluate(const T* x, T* y) {
    const Vector3<T> a = arm(x + 3, point_a);
    const Vector3<T> b = arm(x + 10, point_b);
    for (int i = 0; i < 3; ++i) y[i] = x[i] + a[i] - x[7 + i] - b[i];
  }
};

// A force element: a spring and a damper between points of two bodies, as force and torque on each. The
// positions of both bodies, then the rates of these.
struct SpringDamper {
  static constexpr int inputs = 28, outputs = 12;

  template <class T>
  [[gnu::noinline]] static void evaluate(const T* x, T* y) {
    using std::sqrt;
    constexpr double stiffness = 50.0, damping = 3.0, free_length = 0.8;
    const T* v = x + 14;
    const Vector3<T> a = arm(x + 3, point_a), b = arm(x + 10, point_b);
    const Vector3<T> turn_a = cross(angular_velocity(x + 3, v + 3).data(), a);
    const Vector3<T> turn_b = cross(angular_velocity(x + 10, v + 10).data(), b);

    Vector3<T> distance, rate;
    for (int i = 0; i < 3; ++i) {
      distance[i] = x[7 + i] + b[i] - x[i] - a[i];
      rate[i] = v[7 + i] + turn_b[i] - v[i] - turn_a[i];
    }
    const T length = sqrt(distance[0] * distance[0] + distance[1] * distance[1] + distance[2] * distance[2]);
    const T stretching = (distance[0] * rate[0] + distance[1] * rate[1] + distance[2] * rate[2]) / length;
    const T per_length = ((length - free_length) * stiffness + stretching * damping) / length;

    Vector3<T> force;
    for (int i = 0; i < 3; ++i) force[i] = per_length * distance[i];
    const Vector3<T> torque_a = cross(a.data(), force), torque_b = cross(b.data(), force);
    for (int i = 0; i < 3; ++i) {
      y[i] = force[i];
      y[3 + i] = torque_a[i];
      y[6 + i] = -force[i];
      y[9 + i] = -torque_b[i];
    }
  }
};

// --- the number types -------------------------------------------------------------------------------------

// How each makes a constant of a place in memory, and where it keeps its derivatives.
template <class T, int N>
struct Ours {
  using Number = trammel::Dual<T, N>;
  static constexpr int width = N;
  static void set(Number& number, const T& x) {
    number.value = x;
    number.derivative.fill(T(0.0));
  }
  static auto& derivative(auto& number, int direction) {
    return number.derivative[static_cast<std::size_t>(direction)];
  }
};

template <class T, int N>
struct EigenAutoDiff {
  using Number = Eigen::AutoDiffScalar<Eigen::Matrix<T, N, 1>>;
  static constexpr int width = N;
  static void set(Number& number, const T& x) {
    number.value() = x;
    number.derivatives().setConstant(T(0.0));
  }
  static auto& derivative(auto& number, int direction) { return number.derivatives()[direction]; }
};

#ifdef TRAMMEL_HAS_CERES_JET
template <class T, int N>
struct CeresJet {
  using Number = ceres::Jet<T, N>;
  static constexpr int width = N;
  static void set(Number& number, const T& x) {
    number.a = x;
    number.v.setConstant(T(0.0));
  }
  static auto& derivative(auto& number, int direction) { return number.v[direction]; }
};
#endif

// --- derivatives ------------------------------------------------------------------------------------------

template <class Function>
using Inputs = std::array<double, Function::inputs>;
template <class Function>
using Values = std::array<double, Function::outputs>;
template <class Function>
using Jacobian = std::array<double, Function::inputs * Function::outputs>;  // column by column
template <class Function>
using Hessians = std::array<double, Function::inputs * Function::inputs * Function::outputs>;

struct Plain {
  template <class Function>
  using Result = Values<Function>;
  template <class Function>
  static void compute(const Inputs<Function>& x, Values<Function>& result) {
    Function::evaluate(x.data(), result.data());
  }
};

struct CentralDifferences {
  template <class Function>
  using Result = Jacobian<Function>;
  template <class Function>
  static void compute(const Inputs<Function>& x, Jacobian<Function>& result) {
    constexpr double step = 6e-6;
    Inputs<Function> moved = x;
    Values<Function> right, left;
    for (int j = 0; j < Function::inputs; ++j) {
      moved[j] = x[j] + step;
      Function::evaluate(moved.data(), right.data());
      moved[j] = x[j] - step;
      Function::evaluate(moved.data(), left.data());
      moved[j] = x[j];
      for (int i = 0; i < Function::outputs; ++i)
        result[j * Function::outputs + i] = (right[i] - left[i]) * (0.5 / step);
    }
  }
};

// Inputs and outputs, kept from one evaluation to the next as the equations of motion keep theirs.
template <class Number, int size>
std::array<Number, size> memory;

template <class Type>
struct First {
  template <class Function>
  using Result = Jacobian<Function>;
  template <class Function>
  static void compute(const Inputs<Function>& x, Jacobian<Function>& result) {
    auto& in = memory<typename Type::Number, Function::inputs>;
    auto& out = memory<typename Type::Number, Function::outputs>;
    for (int begin = 0; begin < Function::inputs; begin += Type::width) {
      const int end = std::min(begin + Type::width, Function::inputs);
      for (int j = 0; j < Function::inputs; ++j) Type::set(in[j], x[j]);
      for (int j = begin; j < end; ++j) Type::derivative(in[j], j - begin) = 1.0;
      Function::evaluate(in.data(), out.data());
      for (int j = begin; j < end; ++j)
        for (int i = 0; i < Function::outputs; ++i)
          result[j * Function::outputs + i] = Type::derivative(out[i], j - begin);
    }
  }
};

// Outer carries numbers of type Inner.
template <class Outer, class Inner>
struct Second {
  template <class Function>
  using Result = Hessians<Function>;
  template <class Function>
  static void compute(const Inputs<Function>& x, Hessians<Function>& result) {
    constexpr int n = Function::inputs, m = Function::outputs;
    auto& in = memory<typename Outer::Number, n>;
    auto& out = memory<typename Outer::Number, m>;
    typename Inner::Number value;
    for (int outer = 0; outer < n; outer += Outer::width)
      for (int inner = 0; inner < n; inner += Inner::width) {
        const int outer_end = std::min(outer + Outer::width, n);
        const int inner_end = std::min(inner + Inner::width, n);
        for (int j = 0; j < n; ++j) {
          Inner::set(value, x[j]);
          if (j >= inner && j < inner_end) Inner::derivative(value, j - inner) = 1.0;
          Outer::set(in[j], value);
          if (j >= outer && j < outer_end) Inner::set(Outer::derivative(in[j], j - outer), 1.0);
        }
        Function::evaluate(in.data(), out.data());
        for (int j = outer; j < outer_end; ++j)
          for (int k = inner; k < inner_end; ++k)
            for (int i = 0; i < m; ++i)
              result[(j * n + k) * m + i] =
                  Inner::derivative(Outer::derivative(out[i], j - outer), k - inner);
      }
  }
};

// The derivatives of the Jacobian by differences, only to check with.
struct SecondByDifferences {
  template <class Function>
  using Result = Hessians<Function>;
  template <class Function>
  static void compute(const Inputs<Function>& x, Hessians<Function>& result) {
    constexpr double step = 6e-6;
    constexpr int size = Function::inputs * Function::outputs;
    Jacobian<Function> right, left;
    for (int j = 0; j < Function::inputs; ++j) {
      Inputs<Function> moved = x;
      moved[j] = x[j] + step;
      First<Ours<double, 8>>::compute<Function>(moved, right);
      moved[j] = x[j] - step;
      First<Ours<double, 8>>::compute<Function>(moved, left);
      for (int i = 0; i < size; ++i) result[j * size + i] = (right[i] - left[i]) * (0.5 / step);
    }
  }
};

// --- the check and the measurement ------------------------------------------------------------------------

// Two bodies apart, turned and moving.
template <class Function>
Inputs<Function> somewhere() {
  constexpr std::array<double, 28> x = {0.1,  -0.3, 0.2,  0.8,  0.2, -0.4, 0.4,  1.3, 0.6,  -0.7,
                                        0.5,  0.5,  -0.1, 0.7,  0.3, -0.2, 0.9,  0.1, -0.5, 0.3,
                                        -0.2, -0.6, 0.4,  0.25, 0.2, 0.15, -0.3, 0.35};
  Inputs<Function> result;
  std::copy_n(x.begin(), result.size(), result.begin());
  return result;
}

template <class Function, class Reference, class Method>
void check(const std::string& name, double tolerance) {
  static typename Reference::template Result<Function> expected;
  static typename Method::template Result<Function> actual;
  actual.fill(std::nan(""));
  Reference::template compute<Function>(somewhere<Function>(), expected);
  Method::template compute<Function>(somewhere<Function>(), actual);
  double error = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!std::isfinite(actual[i])) error = HUGE_VAL;
    error = std::max(error, std::abs(actual[i] - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  if (error <= tolerance * largest) return;
  std::fprintf(stderr, "%s: the derivative is wrong by %.3g, the largest entry is %.3g\n", name.c_str(),
               error, largest);
  std::exit(EXIT_FAILURE);
}

template <class Function, class Method>
void run(benchmark::State& state) {
  Inputs<Function> x = somewhere<Function>();
  static typename Method::template Result<Function> result;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(x.data());
    Method::template compute<Function>(x, result);
    benchmark::DoNotOptimize(result.data());
    benchmark::ClobberMemory();
  }
}

template <class Function, class Method>
void measure(const std::string& name) {
  benchmark::RegisterBenchmark(name.c_str(), run<Function, Method>);
}

constexpr double round_off = 1e-13, difference_error = 1e-8;

// Each method is checked when it is registered, hence before any is measured.
template <class Function, class Method>
void first(const std::string& name, double tolerance = round_off) {
  check<Function, First<Ours<double, 1>>, Method>(name, tolerance);
  measure<Function, Method>(name);
}
template <class Function, class Method>
void second(const std::string& name) {
  check<Function, Second<Ours<Ours<double, 1>::Number, 1>, Ours<double, 1>>, Method>(name, round_off);
  check<Function, SecondByDifferences, Method>(name, difference_error);
  measure<Function, Method>(name);
}

template <template <class, int> class Type, int N, int M>
using Nested = Second<Type<typename Type<double, N>::Number, M>, Type<double, N>>;

template <class Function>
void add(const std::string& function) {
  constexpr int n = Function::inputs;
  measure<Function, Plain>(function + "/plain");
  first<Function, CentralDifferences>(function + "/central differences", difference_error);
  first<Function, First<Ours<double, n>>>(function + "/full/trammel::Dual");
  first<Function, First<EigenAutoDiff<double, n>>>(function + "/full/Eigen::AutoDiffScalar");
#ifdef TRAMMEL_HAS_CERES_JET
  first<Function, First<CeresJet<double, n>>>(function + "/full/ceres::Jet");
#endif
  first<Function, First<Ours<double, 8>>>(function + "/by 8/trammel::Dual");
  first<Function, First<EigenAutoDiff<double, 8>>>(function + "/by 8/Eigen::AutoDiffScalar");
#ifdef TRAMMEL_HAS_CERES_JET
  first<Function, First<CeresJet<double, 8>>>(function + "/by 8/ceres::Jet");
#endif
  second<Function, Nested<Ours, 8, 4>>(function + "/second by 8x4/trammel::Dual");
  second<Function, Nested<EigenAutoDiff, 8, 4>>(function + "/second by 8x4/Eigen::AutoDiffScalar");
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return EXIT_FAILURE;
  add<SphericalJoint>("spherical joint");
  add<SpringDamper>("spring-damper");
  benchmark::RunSpecifiedBenchmarks();
  return EXIT_SUCCESS;
}
