// Blocks of forces: bodies, lists of inputs, and as many of them as there are; and laws as functions.
#include "trammel/mechanism/force_block.h"

#include <numeric>

#include "tests/mechanism/force_check.h"
#include "trammel/mechanism/force_kernels.h"

namespace trammel::force_check {
namespace {

// A force on B that uses all of its inputs, so that every column of derivatives is another.
struct ManyInputs {
  template <class T>
  void operator()(const BodyMotion<T>& A, const BodyMotion<T>& B, const ForceInputs<T>& inputs,
                  Wrench<T>& on_a, Wrench<T>& on_b) const {
    T sum(0.0);
    for (std::size_t i = 0; i < inputs.values.size(); ++i)
      sum += (static_cast<double>(i) + 1.0) * inputs.values[i] * inputs.values[i];
    on_b.force += B.r * sum;
    on_b.torque += A.omega * sum;
    on_a.force -= A.v * sum;
    on_a.torque += B.R * B.omega * sum;
  }
};

TEST(ForceBlock, DifferentiatesByAnyNumberOfInputs) {
  std::mt19937 random(1);
  for (const int count : {0, 1, 7, 8, 9, 16, 17, 70}) {
    auto block = block_of(ManyInputs{}, count);
    Situation at = random_situation(random, static_cast<std::size_t>(count));
    for (double& input : at.inputs) input /= count;
    expect_exact_derivatives(block, at);
  }
}

TEST(ForceBlock, GivesEachElementItsOwnBodiesAndInputs) {
  std::mt19937 random(2);
  Forces<ManyInputs> block;
  block.add({"first", 0, 2, {3, 1}}, {});
  block.add({"second", 2, 1, {}}, {});
  block.add({"third", 1, 2, {0, 2, 3}}, {});
  Situation at{{random_body(random), random_body(random), random_body(random)}, 0, {0.1, 0.2, 0.3, 0.4}};
  block.differentiate(at.bodies, at.t, at.inputs);
  std::vector<Wrench<double>> sum(3);
  for (Index i = 0; i < 3; ++i) {
    const ForceBlock::Element& element = block.elements()[static_cast<std::size_t>(i)];
    Situation alone{{at.bodies[static_cast<std::size_t>(element.body_a)],
                     at.bodies[static_cast<std::size_t>(element.body_b)]},
                    0,
                    {}};
    for (const int input : element.inputs) alone.inputs.push_back(at.inputs[static_cast<std::size_t>(input)]);
    auto single = block_of(ManyInputs{}, static_cast<int>(element.inputs.size()));
    const std::vector<Wrench<double>> all = wrenches(single, alone);
    sum[static_cast<std::size_t>(element.body_a)] += all[0];
    sum[static_cast<std::size_t>(element.body_b)] += all[1];
    single.differentiate(alone.bodies, alone.t, alone.inputs);
    const auto equal = [](std::span<const double> a, std::span<const double> b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end());
    };
    EXPECT_TRUE(equal(block.pose_and_twist_slopes(i), single.pose_and_twist_slopes(0)));
    EXPECT_TRUE(equal(block.input_slopes(i), single.input_slopes(0)));
  }
  const std::vector<Wrench<double>> all = wrenches(block, at);
  for (std::size_t i = 0; i < 3; ++i) {
    expect_near(all[i].force, sum[i].force, 1e-14);
    expect_near(all[i].torque, sum[i].torque, 1e-14);
  }
}

TEST(ForceBlock, AsksOnlyForWhatAKernelHas) {
  const auto block = block_of(ManyInputs{});
  std::mt19937 random(3);
  const Situation at = random_situation(random);
  EXPECT_EQ(block.potential(at.bodies, 0, {}), 0);
  EXPECT_TRUE(block.output_names(0).empty());
  block.outputs(at.bodies, 0, {}, 0, {});
}

TEST(ForceBlock, SumsPotentials) {
  SpringDamper spring;
  spring.stiffness = 3;
  Situation at{std::vector<BodyState>(2), 0, {}};
  at.bodies[1].r.x = 2;
  Forces<SpringDamper> block;
  block.add({"a", 0, 1, {}}, spring);
  block.add({"b", 1, 0, {}}, spring);
  EXPECT_EQ(block.potential(at.bodies, 0, {}), 12);
}

TEST(LawFunction, IsWhatItsTextSays) {
  std::vector<int> element_inputs{7};
  CompiledLaw law = compiled("length*u0 + t*u1", {"length", "rate"}, 2);
  law.inputs = {4, 7};
  const LawFunction function(law, element_inputs);
  // what was in the list stays where it was
  EXPECT_EQ(element_inputs, (std::vector<int>{7, 4}));
  const double values[] = {100, 10};
  const ForceInputs<double> inputs{0.5, values};
  EXPECT_DOUBLE_EQ(function(inputs, 3.0, 0.0), 3 * 10 + 0.5 * 100);
  EXPECT_TRUE(function.uses_own(0));
  EXPECT_FALSE(function.uses_own(1));
  EXPECT_FALSE(function.is_zero());
}

TEST(LawFunction, MayBeAConstantATimeFunctionOrAnInput) {
  std::vector<int> element_inputs;
  const ForceInputs<double> at{0.5, {}};
  EXPECT_EQ(LawFunction()(at), 0);
  EXPECT_TRUE(LawFunction().is_zero());
  EXPECT_EQ(LawFunction(4.0)(at), 4);
  EXPECT_EQ(LawFunction(compiled("2*3", {"x"}), element_inputs)(at, 9.0), 6);
  EXPECT_EQ(LawFunction(compiled("t^2", {"x"}), element_inputs)(at, 9.0), 0.25);
  EXPECT_EQ(LawFunction(compiled("x", {"x"}), element_inputs)(at, 9.0), 9);
  EXPECT_TRUE(element_inputs.empty());
  const double values[] = {5, 6};
  const LawFunction input(compiled("u1", {"x"}, 2), element_inputs);
  EXPECT_EQ(input(ForceInputs<double>{0, values}, 9.0), 6);
}

TEST(LawFunction, HasNoLimitOfNames) {
  std::string text = "u0";
  for (int i = 1; i < 100; ++i) text += " + " + std::to_string(i + 1) + "*u" + std::to_string(i);
  std::vector<int> element_inputs;
  const LawFunction function(compiled(text, {"x"}, 100), element_inputs);
  std::vector<Slope> values(100);
  for (std::size_t i = 0; i < 100; ++i) values[i] = static_cast<double>(i);
  values[99] = Slope::variable(99, 3);
  const Slope sum = function(ForceInputs<Slope>{0, values}, Slope(1.0));
  EXPECT_EQ(sum.value, 99 * 100 * 199 / 6 + 99 * 100 / 2);
  EXPECT_EQ(sum.derivative[3], 100);
}

}  // namespace
}  // namespace trammel::force_check
