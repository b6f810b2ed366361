// Your own simulator with error-controlled coordinate projection: three operations, and no matrix in sight.
//
// A satellite that tumbles: orientation as four Euler parameters, and its spin in axes fixed to the body. Along every
// solution three things stay as they are, which a step keeps only nearly: the length of the Euler parameters, the
// energy, and the size of the angular momentum. The simulator knows the derivative, how to put a state back on all
// three, and what of an error that takes away. Trammel brings steps of variable size and order. What to see: the
// invariants drift without the projection, and hold with it.
#include <cmath>
#include <cstdio>

#include "trammel/formulation/invariant_ode.h"
#include "trammel/integrator/multistep.h"

using trammel::Outcome;
using trammel::Vector;
using trammel::VectorIn;
using trammel::VectorOut;

class Satellite : public trammel::InvariantOde {
 public:
  const Eigen::Vector3d inertia{1, 2, 3};
  const Eigen::Vector3d spin{0.1, 4, 0.1};  // about the middle axis: it tips over again and again

  Vector start() const { return (Vector(7) << 1, 0, 0, 0, spin).finished(); }

  Eigen::Index unknowns() const override { return 7; }

  Outcome derivative(double /*t*/, VectorIn y, VectorOut rates) override {
    const Eigen::Vector4d e = y.head(4);
    const Eigen::Vector3d w = y.tail(3);
    rates[0] = -0.5 * e.tail<3>().dot(w);
    rates.segment(1, 3) = 0.5 * (e[0] * w + e.tail<3>().cross(w));
    rates.tail(3) = inertia.cwiseProduct(w).cross(w).cwiseQuotient(inertia);
    return Outcome::ok;
  }

  // The Euler parameters to length one; the spin by Newton's steps along the two normals n₁ = ∇E and n₂ = ∇L².
  Outcome project(double t, VectorIn scale, double tolerance, VectorOut y) override {
    for (int iteration = 0; iteration < 10; ++iteration) {
      y.head(4).normalize();
      if (violation(t, y, scale) <= tolerance) return Outcome::ok;
      const auto [n1, n2] = normals(y);
      const double c1 = energy(y) - energy(start()), c2 = momentum(y) - momentum(start());
      const auto [a, b] = combination(n1, n2, c1, c2);
      y.tail(3) -= a * n1 + b * n2;
    }
    return Outcome::retry;  // a shorter step may do
  }

  Outcome project_error(double /*t*/, VectorIn y, VectorIn /*scale*/, VectorOut error) override {
    error.head(4) -= y.head(4).dot(error.head(4)) * y.head(4);
    const auto [n1, n2] = normals(y);
    const auto [a, b] = combination(n1, n2, n1.dot(error.tail(3)), n2.dot(error.tail(3)));
    error.tail(3) -= a * n1 + b * n2;
    return Outcome::ok;
  }

  // In tolerated errors: by how much each invariant is off, over what it changes by for an error of one.
  double violation(double /*t*/, VectorIn y, VectorIn scale) override {
    const auto [n1, n2] = normals(y);
    const Eigen::Vector3d unit = scale.tail(3);
    return std::max({std::abs(y.head(4).norm() - 1) / scale.head(4).cwiseProduct(y.head(4)).norm(),
                     std::abs(energy(y) - energy(start())) / unit.cwiseProduct(n1).norm(),
                     std::abs(momentum(y) - momentum(start())) / unit.cwiseProduct(n2).norm()});
  }

  double energy(VectorIn y) const { return 0.5 * inertia.dot(Eigen::Vector3d(y.tail(3)).cwiseAbs2()); }
  double momentum(VectorIn y) const { return inertia.cwiseProduct(Eigen::Vector3d(y.tail(3))).squaredNorm(); }

 private:
  std::pair<Eigen::Vector3d, Eigen::Vector3d> normals(VectorIn y) const {
    const Eigen::Vector3d w = y.tail(3);
    return {inertia.cwiseProduct(w), 2 * inertia.cwiseAbs2().cwiseProduct(w)};
  }
  // a and b such that a n₁ + b n₂ has these products with the two.
  static std::pair<double, double> combination(const Eigen::Vector3d& n1, const Eigen::Vector3d& n2,
                                               double c1, double c2) {
    const double aa = n1.squaredNorm(), ab = n1.dot(n2), bb = n2.squaredNorm();
    const double determinant = aa * bb - ab * ab;
    return {(c1 * bb - c2 * ab) / determinant, (c2 * aa - c1 * ab) / determinant};
  }
};

struct Figures {
  long steps = 0, evaluations = 0;
  double violation = 0, energy = 0;
  bool finished = false;
};

Figures simulate(bool project, double tolerance) {
  Satellite satellite;
  trammel::InvariantOdeProblem problem(satellite);
  trammel::MultistepOptions options;  // Adams, orders 1 to 12
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  options.projection.frequency = project ? 1 : 0;

  const double end = 200;
  trammel::Multistep steps(problem, options);
  Figures figures;
  Outcome outcome = steps.start(0, satellite.start(), end, 0);
  while (outcome == Outcome::ok && steps.t() < end) {
    outcome = steps.step(end);
    const Vector scale = tolerance * (1 + steps.x().array().abs()).matrix();
    figures.violation = std::max(figures.violation, satellite.violation(steps.t(), steps.x(), scale));
  }
  if (outcome != Outcome::ok) std::printf("%s\n", steps.failure().message.c_str());
  figures.finished = outcome == Outcome::ok;
  figures.steps = problem.statistics().accepted;
  figures.evaluations = problem.statistics().evaluations;
  figures.energy = satellite.energy(steps.x()) / satellite.energy(satellite.start()) - 1;
  return figures;
}

int main() {
  bool good = true;
  std::printf("tolerance            steps  evaluations  violation/tolerance  energy\n");
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    const Figures free = simulate(false, tolerance), held = simulate(true, tolerance);
    for (const Figures* figures : {&free, &held})
      std::printf("%.0e %-12s %8ld %12ld %20.1e %8.1e\n", tolerance,
                  figures == &held ? "projected" : "as it goes", figures->steps, figures->evaluations,
                  figures->violation, figures->energy);
    good = good && free.finished && held.finished && held.violation < 2e-3 && free.violation > 1;
  }
  return good ? 0 : 1;
}
