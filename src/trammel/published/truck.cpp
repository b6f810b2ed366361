// A planar truck that drives over a hump: rear axle, chassis, front axle, cabin and loading area on seven
// spring-dampers, the loading area hinged to the chassis (two constraints).
//
// E. Eich-Soellner, C. Führer, Numerical Methods in Multibody Dynamics (Teubner, 1998), the constrained
// truck, as in the code of the authors' course (O. Verdier, C. Führer, 2009/2011), to which the letters below
// belong: m mass, l inertia, a, b, c, h places of the attachments on their bodies, k stiffness, d damping, fN
// nominal force, index ij: between body i and body j (0 the road, 1 rear axle, 2 chassis, 3 front axle, 4
// cabin, 5 loading area). SI units, z upwards.
//
// The source has M v' = f + Gᵀλ with g = (hinge on the loading area) − (hinge on the chassis). Here M v' = f
// − Gᵀλ with the same g taken negative, so that λ is the λ of the source: the force of the chassis on the
// loading area.
//
// The reference solution is an independent one in quadruple precision; the book prints figures only.
#include <algorithm>
#include <cmath>

#include "trammel/motion/templated_equations.h"
#include "trammel/published/builtin.h"
#include "trammel/published/parameter_checks.h"

namespace trammel {

namespace {

// A place in the plane with its velocity, and a force.
template <class T>
struct Place {
  T x, z, vx, vz;
};
template <class T>
struct Force {
  T x, z;
};

// The point (sx, sz) of a body that has its origin at a place and is turned by an angle.
template <class T>
Place<T> point_of_body(const Place<T>& origin, const T& angle, const T& rate, double sx, double sz) {
  using std::cos, std::sin;
  const T x = cos(angle) * sx - sin(angle) * sz;
  const T z = sin(angle) * sx + cos(angle) * sz;
  return {origin.x + x, origin.z + z, origin.vx - rate * z, origin.vz + rate * x};
}

struct SpringDamper {
  double k, d, fN;
};

// An air spring of adiabatic exponent kappa, nominal length and load, with atmospheric pressure on the area
// A.
struct PneumaticSpringDamper {
  double d, load;
  double kappa = 1.4, nominal_length = 0.16, atmosphere = 1e5, s = 39.13228, A = 0.0562;
};

template <class T>
T force_of(const SpringDamper& law, const T& length, const T& rate) {
  return law.k * length + law.d * rate + law.fN;
}
template <class T>
T force_of(const PneumaticSpringDamper& law, const T& length, const T& rate) {
  using std::pow;
  const double air = law.atmosphere * law.A;
  const T compression = (1.0 + law.s * law.nominal_length) / (1.0 + law.s * length);
  return (law.load + air) * pow(compression, law.kappa) - air + law.d * rate;
}

// The force F ρ/|ρ| along the line from one end to the other.
template <class T, class Law>
Force<T> between(const Place<T>& from, const Place<T>& to, const Law& law) {
  using std::sqrt;
  const T x = to.x - from.x, z = to.z - from.z;
  const T length = sqrt(x * x + z * z);
  const T rate = (x * (to.vx - from.vx) + z * (to.vz - from.vz)) / length;
  const T force = force_of(law, length, rate);
  return {force * x / length, force * z / length};
}

struct Truck {
  bool pneumatic;
  double speed;

  static constexpr double m1 = 1450, m2 = 3335, m3 = 600, m4 = 1100, m5 = 11515, l2 = 14313, l4 = 948,
                          l5 = 33000;
  static constexpr double a12 = -2.06, a23 = 2.44, a24 = 1.94, a42 = 3.64, a25 = 0.98, b24 = -0.8, b42 = 0.9,
                          c25 = 2.44;
  static constexpr double ac1 = -3.07, ac2 = 0.15, cc1 = -1.61, cc2 = -0.75, h1 = -1.34;
  static constexpr double gravity = 9.81;
  static constexpr SpringDamper s10{44e5, 600, -2.329145162e6}, s12{8.247e5, 21593, -0.246872662e6},
      s30{22e5, 300, -1.147434838e6}, s23{2.711e5, 38537, -0.084924838e6},
      s24{1.357e5, 12218, -0.12784288235294e6}, s42{1.357e5, 12218, -0.12720811764706e6},
      s25{9.0e5, 38500, -0.85490594111111e6};
  // carries at its nominal length what the linear spring carries there, so that the truck stands as before;
  // its stiffness there is 2.711e5 too
  static constexpr PneumaticSpringDamper pneumatic23{s23.d, s23.k * 0.16 + s23.fN};

  Sizes sizes() const { return {.positions = 9, .holonomic = 2}; }
  Structure structure() const { return {.constant_mass = true, .diagonal_mass = true}; }
  Names names() const {
    Names names;
    names.p = {"rear_axle_z", "chassis_z", "chassis_angle", "front_axle_z", "cabin_z",
               "cabin_angle", "load_x",    "load_z",        "load_angle"};
    names.lambda = {"lambda_x", "lambda_z"};
    names.g = {"hinge x", "hinge z"};
    return names;
  }

  // The road under a wheel that reaches the hump at t0: 0.001 τ⁶ exp(−τ), τ = t − t0, 12 cm high.
  template <class T>
  static Place<T> road(const T& t, double t0, double x) {
    using std::exp;
    const T tau = t - t0;
    if (!(plain(tau) > 0)) return {T(x), T(0.0), T(0.0), T(0.0)};
    const T hump = 0.001 * tau * tau * tau * tau * tau * exp(-tau);
    return {T(x), tau * hump, T(0.0), (6.0 - tau) * hump};
  }

  template <class T>
  void M(const Point<T>&, MatrixView<T> M) const {
    const double masses[] = {m1, m2, l2, m3, m4, l4, m5, m5, l5};
    for (Index i = 0; i < 9; ++i) M(i, i) = masses[i];
  }

  template <class T>
  void f(const Point<T>& x, std::span<T> f) const {
    using std::cos, std::sin;
    const auto& p = x.p;
    const auto& v = x.v;
    const T zero(0.0);
    // the bodies
    const Place<T> rear{T(a12), p[0], zero, v[0]}, front{T(a23), p[3], zero, v[3]};
    const auto chassis = [&](double sx, double sz) {
      return point_of_body({zero, p[1], zero, v[1]}, p[2], v[2], sx, sz);
    };
    const auto cabin = [&](double sx) {
      return point_of_body({T(a24 - b24), p[4], zero, v[4]}, p[5], v[5], sx, 0.0);
    };
    const auto load = [&](double sx) { return point_of_body({p[6], p[7], v[6], v[7]}, p[8], v[8], sx, 0.0); };
    const double at_front = 2 / speed, at_rear = at_front + (a23 - a12) / speed;

    const Force<T> f10 = between(road(x.t, at_rear, a12), rear, s10);
    const Force<T> f30 = between(road(x.t, at_front, a23), front, s30);
    const Force<T> f12 = between(rear, chassis(a12, h1), s12);
    const Force<T> f23 =
        pneumatic ? between(front, chassis(a23, h1), pneumatic23) : between(front, chassis(a23, h1), s23);
    const Force<T> f24 = between(chassis(a24, 0), cabin(b24), s24);
    const Force<T> f42 = between(chassis(a42, 0), cabin(b42), s42);
    const Force<T> f25 = between(chassis(a25, 0), load(c25), s25);

    f[0] = f12.z - f10.z - m1 * gravity;
    f[1] = f24.z + f42.z + f25.z - f12.z - f23.z - m2 * gravity;
    // the sign of h1 beside sin is that of the source; a moment would have the opposite one
    f[2] = (a25 * f25.z + a42 * f42.z + a24 * f24.z - a23 * f23.z - a12 * f12.z - h1 * (f23.x + f12.x)) *
               cos(p[2]) -
           (a25 * f25.x + a42 * f42.x + a24 * f24.x - a23 * f23.x - a12 * f12.x - h1 * (f23.z + f12.z)) *
               sin(p[2]);
    f[3] = f23.z - f30.z - m3 * gravity;
    f[4] = -f42.z - f24.z - m4 * gravity;
    f[5] = (b42 * f42.x + b24 * f24.x) * sin(p[5]) - (b42 * f42.z + b24 * f24.z) * cos(p[5]);
    f[6] = -f25.x;
    f[7] = -f25.z - m5 * gravity;
    f[8] = c25 * (f25.x * sin(p[8]) - f25.z * cos(p[8]));
  }

  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    using std::cos, std::sin;
    const auto& p = x.p;
    g[0] = ac1 * cos(p[2]) - ac2 * sin(p[2]) - (p[6] + cc1 * cos(p[8]) - cc2 * sin(p[8]));
    g[1] = p[1] + ac1 * sin(p[2]) + ac2 * cos(p[2]) - (p[7] + cc1 * sin(p[8]) + cc2 * cos(p[8]));
  }
};

// The positions, with linear springs and at 15 m/s, computed in quadruple precision (two grids agree to 12
// digits).
struct Reference {
  double t;
  double p[9];
};
constexpr Reference references[] = {
    {5,
     {5.944035887275714542e-01, 2.097729330975250708e+00, 1.258512840338078049e-03, 6.021497585728680397e-01,
      3.001256670316892931e+00, 1.255225803652849004e-03, -1.461155234993959148e+00, 2.995941961150114481e+00,
      1.290066485546606642e-03}},
    {10,
     {5.536009608850898151e-01, 2.051278825366635101e+00, -9.203829991124574753e-04, 5.479859275762861634e-01,
      2.948739803977986160e+00, -9.195772585655757178e-04, -1.459163098398098124e+00,
      2.952605120264533543e+00, -9.309889232905072401e-04}},
    {20,
     {5.001777786222601899e-01, 2.000163777125959968e+00, -5.219169265063816953e-06, 5.001454081416157802e-01,
      2.900149172470335826e+00, -5.186642943055164872e-06, -1.459995206638554770e+00,
      2.900171190826452727e+00, -5.347289680379118662e-06}},
};

// The largest relative error of the positions. The angles pass through zero, so that an error is never
// divided by less than 1e-3, their size during the ride.
std::optional<double> truck_digits(double t, const Vector& x) {
  for (const Reference& reference : references) {
    if (std::abs(t - reference.t) > 1e-12 * reference.t) continue;
    double error = 0;
    for (Index i = 0; i < 9; ++i)
      error = std::max(error, std::abs(x[i] - reference.p[i]) / std::max(std::abs(reference.p[i]), 1e-3));
    return digits_of(error);
  }
  return std::nullopt;
}

ProblemCase make_truck(const std::map<std::string, double>& values) {
  const bool pneumatic = whole_number(values, "pneumatic", 0, 1) == 1;
  const double speed = positive(values, "speed");
  ProblemCase result;
  result.equations = std::make_unique<TemplatedEquations<Truck>>(Truck{pneumatic, speed});
  result.x0 = Vector::Zero(20);
  result.x0.head(9) << 0.5, 2.0, 0, 0.5, 2.9, 0, -1.46, 2.9, 0;
  result.x0.tail(2) << 0, 6.80562088888888e4;
  result.t_end = 20;
  if (!pneumatic && speed == 15) result.digits = truck_digits;
  return result;
}

}  // namespace

BuiltinProblem truck_problem() {
  return {"truck",
          "planar truck on springs and dampers, driving over a hump (9 positions, 2 constraints)",
          "Eich-Soellner, Führer, Numerical Methods in Multibody Dynamics (1998), constrained truck",
          "largest relative error of the nine positions, divided by 1e-3 at least, at t = 5, 10 and 20; own "
          "reference "
          "in quadruple precision, good for 12 digits",
          {{"pneumatic", 0, "1: an air spring between front axle and chassis instead of the linear one"},
           {"speed", 15, "speed, which sets when the wheels reach the hump [m/s]"}},
          make_truck};
}

}  // namespace trammel
