// The flexible beam of examples/models/beam.yaml, rigid pieces joined by bushings, against beam theory
// (Euler, Bernoulli), and its motion with the three stiff methods.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>

#include "trammel/analysis/equilibrium.h"
#include "trammel/analysis/linearization.h"
#include "trammel/model/model.h"
#include "trammel/motion/cartesian_equations.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {
namespace {

constexpr double bending_stiffness = 2e11 * 0.02 * 0.005 * 0.005 * 0.005 / 12;  // EI
constexpr double mass_per_length = 7800 * 0.02 * 0.005;

struct Beam {
  explicit Beam(int pieces, const std::vector<std::pair<std::string, std::string>>& parameters = {})
      : model(read_model(TRAMMEL_SOURCE_DIR "/examples/models/beam.yaml", overrides(pieces, parameters))),
        equations(model.mechanism),
        x(equations.initial_state()) {
    EXPECT_FALSE(assemble_mechanism(equations, 0, x).failure);
  }
  static ModelOverrides overrides(int pieces, std::vector<std::pair<std::string, std::string>> parameters) {
    parameters.emplace_back("n", std::to_string(pieces));
    return {parameters};
  }

  Model model;
  CartesianEquations equations;
  Vector x;
};

// How far the tip hangs down under its own weight.
double sag(int pieces) {
  Beam beam(pieces);
  const EquilibriumResult rest = find_equilibrium(beam.equations, 0, beam.x);
  EXPECT_FALSE(rest.failure) << rest.failure.message;
  // the tip is half a piece beyond the centre of the last body, whose seven coordinates stand last
  const auto last = rest.x.segment(7 * pieces, 7);
  const double w = last[3], z = last[6];
  return -(last[1] + 0.5 / pieces * 2 * w * z);  // sin of its angle about z
}

TEST(Beam, HangsAsBeamTheorySays) {
  const double theory = mass_per_length * 9.81 / (8 * bending_stiffness);  // q L⁴ / 8EI
  const double coarse = sag(5) - theory, fine = sag(10) - theory, finer = sag(20) - theory;
  EXPECT_LT(std::abs(fine), 0.006 * theory);
  // second order in the length of a piece, but for the 0.1 % by which a strip that bends is not the theory's
  EXPECT_NEAR((coarse - fine) / (fine - finer), 4, 0.5);
}

// Cantilever: λ_k² √(EI / ρA) / L² with cos λ cosh λ = −1.
TEST(Beam, SwingsAsBeamTheorySays) {
  constexpr std::array<double, 3> lambda{1.8751040687, 4.6940911330, 7.8547574382};
  double coarse = 0;
  for (const int pieces : {10, 20}) {
    Beam beam(pieces, {{"damping", "0"}});
    const Linearization linearization = linearize(beam.equations, 0, beam.x);
    ASSERT_FALSE(linearization.failure) << linearization.failure.message;
    // frequencies of bending about z; those about y are four times as high, as the strip is wide
    const std::vector<Mode> all = modes(linearization);
    double worst = 0;
    for (const double value : lambda) {
      const double theory = value * value * std::sqrt(bending_stiffness / mass_per_length);
      double nearest = 1;
      for (const Mode& mode : all)
        nearest = std::min(nearest, std::abs(std::abs(mode.eigenvalue.imag()) / theory - 1));
      worst = std::max(worst, nearest);
    }
    EXPECT_LT(worst, 0.03);
    if (coarse > 0) {
      EXPECT_NEAR(coarse / worst, 4, 1.0);  // second order
    }
    coarse = worst;
  }
}

// Smooth motion on springs of 2e8 N/m: 2 s, in which the highest mode would swing 50,000 times.
TEST(Beam, IsFollowedWithLargeSteps) {
  const auto run_beam = [](const std::string& method, double tolerance) {
    Beam beam(5);
    RunRequest request;
    request.method = method;
    request.rtol = tolerance;
    request.samples = 2;
    MechanismRun run(beam.model, request);
    EXPECT_EQ(run.run().status, Status::finished) << method << ": " << run.summary().failure.message;
    return std::pair{run.recording().find("bending")->values.back(), run.summary().statistics};
  };
  const double reference = run_beam("psf/radau5", 1e-8).first;
  EXPECT_GT(std::abs(reference), 0.01);
  const auto [psf, psf_statistics] = run_beam("psf/radau5", 1e-3);
  EXPECT_NEAR(psf, reference, 2e-4);
  EXPECT_LT(psf_statistics.accepted, 250);
  const auto [csm, csm_statistics] = run_beam("csm/radau5", 1e-3);
  EXPECT_NEAR(csm, reference, 2e-4);
  EXPECT_LT(csm_statistics.accepted, 250);
  EXPECT_LT(csm_statistics.rejected_convergence, 10);
  const auto [partitioned, partitioned_statistics] = run_beam("partitioned/sdirk4", 1e-3);
  EXPECT_NEAR(partitioned, reference, 1e-3);
  EXPECT_LT(partitioned_statistics.accepted, 2000);
}

// Forces along stiff bushings are inexact by much more than the motion; the summary says by how much, within
// a factor of five.
TEST(Beam, SaysHowWellItsForcesAreKnown) {
  const auto run_with = [](double rtol) {
    RunRequest request;
    request.rtol = rtol;
    request.end = 0.8;
    request.output_interval = 0.005;
    auto run =
        std::make_unique<MechanismRun>(read_model(TRAMMEL_SOURCE_DIR "/examples/models/beam.yaml"), request);
    EXPECT_EQ(run->run().status, Status::finished);
    return run;
  };
  const auto usual = run_with(1e-6), exact = run_with(1e-10);
  ASSERT_FALSE(usual->summary().force_accuracy.empty());
  for (const Summary::InexactForce& force : usual->summary().force_accuracy) {
    const std::vector<double>&found = usual->recording().find(force.channel)->values,
          &expected = exact->recording().find(force.channel)->values;
    double error = 0;
    for (std::size_t i = 0; i < found.size(); ++i) error = std::max(error, std::abs(found[i] - expected[i]));
    EXPECT_LT(error, 5 * force.error) << force.channel;
    EXPECT_GT(error, 0.02 * force.error) << force.channel;
  }
}

}  // namespace
}  // namespace trammel
