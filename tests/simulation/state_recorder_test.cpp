// Unknowns of equations of one's own as channels.
#include "trammel/simulation/state_recorder.h"

#include <gtest/gtest.h>

#include "trammel/motion/templated_equations.h"
#include "trammel/simulation/mechanism_recorder.h"

namespace trammel {
namespace {

// Two positions of which one has a name, a force state, and one constraint.
struct Named {
  Sizes sizes() const { return {.positions = 2, .force_states = 1, .holonomic = 1}; }
  Names names() const {
    Names names;
    names.p = {"height"};
    names.lambda = {"tension"};
    return names;
  }
  template <class T>
  void b(const Point<T>& x, std::span<T> b) const {
    b[0] = -x.r[0];
  }
  template <class T>
  void g(const Point<T>& x, std::span<T> g) const {
    g[0] = x.p[0] - x.p[1];
  }
};

TEST(StateRecorder, ChannelsByNameInTheOrderOfTheState) {
  const TemplatedEquations<Named> equations{Named{}};
  Recording recording;
  StateRecorder recorder(equations, {{"twice", [](const Vector& x) { return 2 * x[0]; }}}, recording);
  recorder.append(0.5, Vector::LinSpaced(6, 1, 6));
  recorder.append(0.75, Vector::LinSpaced(6, 11, 16));
  ASSERT_EQ(recording.channels().size(), 7u);
  EXPECT_EQ(recording.times(), (std::vector<double>{0.5, 0.75}));
  EXPECT_EQ(recording.channels()[0].name, "height");
  EXPECT_EQ(recording.find("tension")->values, (std::vector<double>{6, 16}));
  EXPECT_EQ(recording.find("twice")->values, (std::vector<double>{2, 22}));
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_EQ(recording.channels()[i].values[1], 11 + static_cast<double>(i)) << i;
  EXPECT_EQ(recording.groups(),
            (std::vector<std::string>{"positions", "velocities", "force states", "multipliers", "points"}));
}

TEST(StateRecorder, StepsWithTheirInvariants) {
  const std::vector<StepRecord> steps{{.t = 0.5,
                                       .h = 0.25,
                                       .position_violation = 1e-12,
                                       .velocity_violation = 2e-10,
                                       .acceleration_violation = 3e-8,
                                       .invariant_error = -4}};
  for (const bool with_invariants : {false, true}) {
    Recording recording;
    add_steps({}, recording, with_invariants);
    add_steps(steps, recording, with_invariants);
    add_steps(steps, recording, with_invariants);  // nothing new
    ASSERT_EQ(recording.steps.samples(), 1);
    EXPECT_EQ(recording.steps.times()[0], 0.5);
    ASSERT_EQ(recording.steps.channels().size(), with_invariants ? 5u : 4u);
    EXPECT_EQ(recording.steps.find("h")->values[0], 0.25);
    EXPECT_EQ(recording.steps.find("acceleration_violation")->values[0], 3e-8);
    const Channel* error = recording.steps.find("invariant_error");
    EXPECT_EQ(error != nullptr ? error->values[0] : 0, with_invariants ? -4 : 0);
  }
}

}  // namespace
}  // namespace trammel
