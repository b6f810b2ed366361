// How the cost of a mechanism grows with the number of its bodies: the N-four-bar (benchmark A02 of the
// IFToMM library) for one second, N parallelograms with 2N+1 bodies. Prints CPU time and memory per step and
// body, and the exponents of both for N from 10 on. With an argument: the largest N (default 100).
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "trammel/motion/cartesian_equations.h"
#include "trammel/simulation/simulation.h"

namespace {

using namespace trammel;

Body rod(const std::string& name, const Vec3<double>& from, const Vec3<double>& to) {
  Body body;
  body.name = name;
  body.mass = 1;
  const Vec3<double> along = to - from;
  body.reference.origin = (from + to) * 0.5;
  body.reference.axes = rotation_about({0, 0, 1}, std::atan2(along.y, along.x));
  body.inertia = {{1e-4, 0, 0}, {0, 1 / 12.0, 0}, {0, 0, 1 / 12.0}};
  return body;
}

Mechanism n_four_bar(int n) {
  Mechanism mechanism;
  mechanism.gravity = {0, -9.81, 0};
  for (int i = 0; i <= n; ++i) {
    Body crank = rod("crank" + std::to_string(i), {1.0 * i, 0, 0}, {1.0 * i, 1, 0});
    crank.velocity = {0.5, 0, 0};
    crank.angular_velocity = {0, 0, -1};
    mechanism.add(crank);
  }
  for (int i = 0; i < n; ++i) {
    Body coupler = rod("coupler" + std::to_string(i), {1.0 * i, 1, 0}, {i + 1.0, 1, 0});
    coupler.velocity = {1, 0, 0};
    mechanism.add(coupler);
  }
  const auto crank = [](int i) { return "crank" + std::to_string(i); };
  for (int i = 0; i <= n; ++i)
    mechanism.add_joint("A" + std::to_string(i), JointType::revolute, "ground", crank(i), {1.0 * i, 0, 0});
  for (int i = 0; i < n; ++i) {
    const std::string coupler = "coupler" + std::to_string(i);
    mechanism.add_joint("B" + std::to_string(i), JointType::revolute, crank(i), coupler, {1.0 * i, 1, 0});
    mechanism.add_joint("C" + std::to_string(i), JointType::revolute, coupler, crank(i + 1), {i + 1.0, 1, 0});
  }
  return mechanism;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct Measurement {
  double bodies, seconds_per_step, megabytes;
};

// The exponent of a power law, by least squares of logarithms.
double exponent(const std::vector<Measurement>& measured, double Measurement::*value) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const Measurement& one : measured) {
    if (one.bodies < 21) continue;
    const double x = std::log(one.bodies), y = std::log(one.*value);
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 100;
  std::printf("%6s %8s %8s %14s %16s %12s\n", "N", "bodies", "steps", "ms per step", "us/step/body",
              "MB more");
  std::vector<Measurement> measured;
  const double before = peak_megabytes();
  for (const int n : {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000}) {
    if (n > largest) break;
    CartesianEquations equations(n_four_bar(n));
    Options options;
    options.radau.newton_matrix_at = 2;
    options.record = false;
    Simulation simulation(equations, {"psf", "radau5"}, options);
    const double start = cpu_seconds();
    const Summary summary = simulation.run(equations.initial_state(), 0, 1);
    const double seconds = cpu_seconds() - start;
    if (summary.status != Status::finished) {
      std::printf("N = %d: %s\n", n, summary.failure.message.c_str());
      return 1;
    }
    const double bodies = 2 * n + 1, steps = static_cast<double>(summary.statistics.steps);
    measured.push_back({bodies, seconds / steps, peak_megabytes() - before});
    std::printf("%6d %8.0f %8.0f %14.3f %16.2f %12.1f\n", n, bodies, steps, 1e3 * seconds / steps,
                1e6 * seconds / steps / bodies, measured.back().megabytes);
    std::fflush(stdout);
  }
  if (largest >= 20)
    std::printf("exponent of time per step %.3f, of memory %.3f\n",
                exponent(measured, &Measurement::seconds_per_step),
                exponent(measured, &Measurement::megabytes));
  return 0;
}
