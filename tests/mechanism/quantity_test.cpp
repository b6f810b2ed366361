// Names in laws: what they mean, that what is measured once is shared, and what is said of names that mean
// nothing.
#include "trammel/mechanism/quantity.h"

#include <gtest/gtest.h>

#include "tests/mechanism/joint_rig.h"
#include "trammel/mechanism/measure_values.h"

namespace trammel {
namespace {

constexpr double accuracy = 1e-13;

// Two bodies on a revolute joint, in motion, with markers, states, measures and parameters.
class Quantities : public testing::Test {
 protected:
  Quantities() : rig_(JointType::revolute) {
    Mechanism& mechanism = rig_.mechanism;
    RandomBodies random(1);
    for (const char* name : {"P", "Q"}) {
      Marker marker;
      marker.name = name;
      marker.body = name[0] == 'P' ? 1 : 2;
      marker.frame.origin = random.vector();
      mechanism.markers.push_back(marker);
    }
    mechanism.parameters["k"] = 3;
    mechanism.tables.emplace("curve", Table(std::array{0.0, 1.0}, std::array{0.0, 10.0}));
    add_state("s", "-s", 0.25);
    bodies_ = rig_.bodies(turned({0, 0, 1}, 0.4));
    for (std::size_t i = 1; i < 3; ++i) {
      bodies_[i].v = random.vector();
      bodies_[i].omega = random.vector();
    }
  }

  void add_state(const std::string& name, const std::string& rate, double initial) {
    State state;
    state.name = name;
    state.rate = Law(rate);
    state.initial = initial;
    rig_.mechanism.states.push_back(state);
  }
  void add_measure(const std::string& name, const std::string& text) {
    Measure measure;
    measure.name = name;
    measure.place = {"model.yaml", 30, 3};
    measure.value = Law(text, {"model.yaml", 30, 10});
    rig_.mechanism.measures.push_back(measure);
  }
  void make() {
    rig_.make();
    compiler_ = std::make_unique<QuantityCompiler>(rig_.mechanism, *rig_.elements);
  }

  // The value of a law at t = 0.5 and where the bodies are; multipliers are 2, 3, 6, 0, ...
  double value(const std::string& text, const std::vector<std::string>& own = {},
               const std::vector<double>& own_values = {}) {
    if (!compiler_) make();
    const CompiledLaw law = compiler_->compile(Law(text), own);
    const SystemRows measured = evaluate_rows(rig_.elements->measured, bodies_);
    const double multipliers[] = {2, 3, 6, 0, 0};
    std::vector<double> arguments{0.5};
    arguments.insert(arguments.end(), own_values.begin(), own_values.end());
    for (const int index : law.inputs) {
      const Input& input = rig_.elements->inputs[static_cast<std::size_t>(index)];
      arguments.push_back(input.kind == Input::Kind::value   ? measured.value[input.index]
                          : input.kind == Input::Kind::rate  ? measured.rate[input.index]
                          : input.kind == Input::Kind::state ? 0.25
                                                             : multipliers[input.index]);
    }
    return law.expression.evaluate<double>(arguments);
  }

  std::string refusal(const Law& law) {
    if (!compiler_) make();
    try {
      compiler_->compile(law, {});
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  }

  // A point given in the frame of a body, and its velocity, in the world.
  Vec3<double> position(std::size_t body, const Vec3<double>& point) const {
    return bodies_[body].r + bodies_[body].R * (point - rig_.mechanism.bodies[body].com);
  }
  Vec3<double> velocity(std::size_t body, const Vec3<double>& point) const {
    const BodyState& state = bodies_[body];
    return state.v + state.R * cross(state.omega, point - rig_.mechanism.bodies[body].com);
  }

  JointRig rig_;
  std::vector<BodyState> bodies_;
  std::unique_ptr<QuantityCompiler> compiler_;
};

TEST_F(Quantities, TimeParametersTablesStates) {
  EXPECT_NEAR(value("t"), 0.5, accuracy);
  EXPECT_NEAR(value("2*time + k"), 4, accuracy);
  EXPECT_NEAR(value("table(curve, t)"), 5, accuracy);
  EXPECT_NEAR(value("s + 1"), 1.25, accuracy);
  compiler_.reset();
  EXPECT_EQ(rig_.elements->states.size(), 1u);
  EXPECT_EQ(rig_.elements->states[0].initial, 0.25);
}

TEST_F(Quantities, PositionsAndVelocities) {
  const Vec3<double> p = rig_.mechanism.markers[0].frame.origin;
  const std::string names[] = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i) {
    const std::string& axis = names[i];
    EXPECT_NEAR(value("P.position." + axis), position(1, p)[i], accuracy);
    EXPECT_NEAR(value("P.velocity." + axis), velocity(1, p)[i], accuracy);
    EXPECT_NEAR(value("second.position." + axis), position(2, {})[i], accuracy);
    EXPECT_NEAR(value("second.velocity." + axis), velocity(2, {})[i], accuracy);
    EXPECT_NEAR(value("second.angular_velocity." + axis), (bodies_[2].R * bodies_[2].omega)[i], accuracy);
    EXPECT_NEAR(value("P.angular_velocity." + axis), (bodies_[1].R * bodies_[1].omega)[i], accuracy);
  }
  EXPECT_NEAR(value("P.speed"), length(velocity(1, p)), accuracy);
  EXPECT_EQ(value("ground.position.x"), 0);
}

TEST_F(Quantities, DistancesAndJointCoordinates) {
  const Vec3<double> p = rig_.mechanism.markers[0].frame.origin, q = rig_.mechanism.markers[1].frame.origin;
  const Vec3<double> between = position(2, q) - position(1, p);
  EXPECT_NEAR(value("distance(P, Q)"), length(between), accuracy);
  EXPECT_NEAR(value("distance_rate(P, Q)"), dot(between, velocity(2, q) - velocity(1, p)) / length(between),
              accuracy);
  EXPECT_NEAR(value("J.angle"), 0.4, accuracy);
  const Vec3<double> axis = compose(rig_.mechanism.bodies[1].reference, rig_.joint.frame_a).axes.column[2];
  // of a motion that keeps the axes together
  bodies_[2].omega = transposed_times(bodies_[2].R, bodies_[1].R * bodies_[1].omega + axis * 7.0);
  EXPECT_NEAR(value("J.angle_rate"), 7, accuracy);
}

TEST_F(Quantities, Reaction) {
  EXPECT_NEAR(value("J.reaction"), 7, accuracy);
  // a slope at zero does no harm
  const CompiledLaw law = compiler_->compile(Law("J.reaction"));
  std::vector<Dual<double, 8>> zero(1 + law.inputs.size());
  for (std::size_t i = 0; i < zero.size(); ++i) zero[i] = Dual<double, 8>::variable(0.0, static_cast<int>(i));
  const Dual<double, 8> at_zero = law.expression.evaluate<Dual<double, 8>>(zero);
  EXPECT_TRUE(isfinite(at_zero));
}

TEST_F(Quantities, OwnNamesComeFirst) {
  EXPECT_NEAR(value("length + 2*rate + s", {"length", "rate"}, {10, 100}), 210.25, accuracy);
  EXPECT_NEAR(value("k*s", {"k", "s"}, {5, 7}), 35, accuracy);
  const CompiledLaw law = compiler_->compile(Law("s*length"), {"length"});
  EXPECT_EQ(law.own, 1);
  EXPECT_TRUE(law.expression.depends_on(1));
  EXPECT_TRUE(law.expression.depends_on(2));
  EXPECT_TRUE(compiler_->compile(Law(4.5)).is_constant());
}

TEST_F(Quantities, AreMeasuredOnce) {
  make();
  const Elements& elements = *rig_.elements;
  compiler_->compile(Law("P.position.x + J.angle"));
  const Index rows = elements.measured.size();
  const std::size_t inputs = elements.inputs.size();
  const CompiledLaw law = compiler_->compile(Law("J.angle * P.position.x * J.angle"));
  EXPECT_EQ(law.inputs.size(), 2u);
  EXPECT_EQ(elements.inputs.size(), inputs);
  // a rate is another input, of the same row
  compiler_->compile(Law("P.velocity.x"));
  EXPECT_EQ(elements.inputs.size(), inputs + 1);
  EXPECT_EQ(elements.measured.size(), rows);
  const QuantityCompiler::Row position = compiler_->measured_row("P.position.x", {});
  const QuantityCompiler::Row velocity = compiler_->measured_row("P.velocity.x", {});
  EXPECT_EQ(position.row, velocity.row);
  EXPECT_FALSE(position.rate);
  EXPECT_TRUE(velocity.rate);
  EXPECT_EQ(elements.measured.names[static_cast<std::size_t>(position.row)], "P.position.x");
}

TEST_F(Quantities, JointCoordinatesAreThoseOfTheElements) {
  make();
  ASSERT_EQ(rig_.elements->coordinates.size(), 1u);
  // laws of the model itself use the row that the joint has made
  JointRig other(JointType::revolute);
  Measure measure;
  measure.name = "m";
  measure.value = Law("J.angle");
  other.mechanism.measures = {measure};
  other.make();
  ASSERT_EQ(other.elements->measures.size(), 1u);
  ASSERT_EQ(other.elements->measures[0].inputs.size(), 1u);
  EXPECT_EQ(other.elements->inputs[0].index, other.elements->coordinates[0].row);
  EXPECT_EQ(other.elements->measured.size(), 1);
}

TEST_F(Quantities, MeasuresArePutInTheirPlace) {
  add_measure("half", "P.position.x / 2");
  add_measure("both", "half + s");
  const Vec3<double> p = rig_.mechanism.markers[0].frame.origin;
  EXPECT_NEAR(value("4*both"), 2 * position(1, p).x + 1, accuracy);
  // own names are not known in a measure
  add_measure("own", "length");
  rig_.mechanism.joints.clear();
  EXPECT_THROW(rig_.make(), ModelError);
}

// Each is compiled once, and none descends into the next.
TEST_F(Quantities, MeasuresMayBeALongChain) {
  constexpr int count = 20000;
  add_measure("m0", "P.position.x + t");
  for (int i = 1; i < count; ++i) add_measure(fmt::format("m{}", i), fmt::format("m{} + 1", i - 1));
  make();
  const Elements& elements = *rig_.elements;
  std::size_t instructions = 0;
  for (const MeasuredExpression& measure : elements.measures)
    instructions += measure.value.program().code.size();
  EXPECT_LT(instructions, 4U * count);
  const double first = value("P.position.x") + 0.5;
  EXPECT_NEAR(value("2*m10000"), 2 * (first + 10000), 1e-8);
  EXPECT_NEAR(value("m19990"), first + 19990, 1e-8);
}

TEST_F(Quantities, MeasuresThatShareAreEvaluatedOnce) {
  add_measure("m0", "P.position.x");
  for (int i = 1; i < 60; ++i) add_measure(fmt::format("m{}", i), fmt::format("(m{0} + m{0})/2", i - 1));
  make();
  const Elements& elements = *rig_.elements;
  EXPECT_EQ(measures_needed_by(elements, 59).size(), 60U);
  std::vector<double> inputs(elements.inputs.size(), 0.75), values(elements.measures.size()), arguments;
  evaluate_measures<double>(elements, elements.measure_order, 0.5, inputs, values, arguments);
  EXPECT_EQ(values[59], 0.75);
  // put into a law they would be 2^59 terms
  EXPECT_EQ(refusal(Law("m59")),
            "in 'm59': the expression is too long once the measures it names are put in");
  EXPECT_EQ(value("m10"), value("P.position.x"));
}

// Programs with jumps, and tables, put into others.
TEST_F(Quantities, MeasuresInMeasuresKeepTheirMeaning) {
  add_measure("third", "if(t > 0.25, second, 7)*table(curve, 0.1)");
  add_measure("second", "(t > 0.25 and first > 100) ? 3 : (first + table(curve, 0.3)) ");
  add_measure("first", "min(t, 2)*10 + (t > 1 ? 0 : 1)");
  // t = 0.5: first 6, second 9, third 9
  EXPECT_NEAR(value("first"), 6, accuracy);
  EXPECT_NEAR(value("second"), 9, accuracy);
  EXPECT_NEAR(value("third"), 9, accuracy);
  EXPECT_NEAR(value("1 + (third > 8 ? 2*third - second : first) - first"), 4, accuracy);
  EXPECT_NEAR(value("length*third + s", {"length"}, {2}), 18.25, accuracy);
  const Elements& elements = *rig_.elements;
  EXPECT_EQ(elements.measure_order, (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(elements.measures[0].name, "third");
}

TEST_F(Quantities, MeasuresThatDependOnThemselves) {
  add_measure("a", "2*b");
  add_measure("b", "a + 1");
  try {
    make();
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.message().find("measure '"), 0u);
    EXPECT_NE(error.message().find("' depends on itself"), std::string::npos);
    EXPECT_EQ(error.place().line, 30);
  }
}

TEST_F(Quantities, NamesWithOddCharacters) {
  rig_.mechanism.markers[0].name = "left-tip.1";
  const Vec3<double> p = rig_.mechanism.markers[0].frame.origin;
  EXPECT_NEAR(value("'left-tip.1'.position.y"), position(1, p).y, accuracy);
  // as coordinates they may stand as they are
  EXPECT_NO_THROW(compiler_->measured_row("left-tip.1.position.y", {}));
  EXPECT_NO_THROW(compiler_->measured_row("'left-tip.1'.position.y", {}));
  EXPECT_NO_THROW(compiler_->measured_row("distance('left-tip.1', Q)", {}));
}

TEST_F(Quantities, UnknownNames) {
  const auto refused = [this](const std::string& text) { return refusal(Law(text, {"model.yaml", 12, 20})); };
  EXPECT_EQ(refused("2 + J.angel"), "model.yaml:12:24: there is no 'J.angel' (did you mean 'J.angle'?)");
  EXPECT_EQ(refused("R.position.x"),
            "model.yaml:12:20: there is no 'R.position.x' (did you mean 'P.position.x'?)");
  EXPECT_EQ(refused("P.position"),
            "model.yaml:12:20: there is no 'P.position' (did you mean 'P.position.x'?)");
  EXPECT_EQ(refused("distance(P, seconde)"),
            "model.yaml:12:20: there is no marker or body 'seconde' (did you mean 'second'?)");
  EXPECT_EQ(refused("distance(P)"), "model.yaml:12:20: distance(P, Q) is of two markers or bodies");
  EXPECT_EQ(refused("distance_rat(P, Q)"),
            "model.yaml:12:20: there is no function 'distance_rat' (did you mean 'distance_rate'?)");
  EXPECT_EQ(refused("nothing.like.this"), "model.yaml:12:20: there is no 'nothing.like.this'");
  EXPECT_EQ(refused("table(kurve, 1)"),
            "model.yaml:12:26: there is no table 'kurve' (did you mean 'curve'?)");
  EXPECT_EQ(refused("J.angle.rate").find("model.yaml:12:20: there is no 'J.angle.rate'"), 0u);
  // where nothing is known of a place, the text is told
  EXPECT_EQ(refusal(Law("1 + ss")), "in '1 + ss': there is no 'ss' (did you mean 's'?)");
}

TEST_F(Quantities, NoReactionWithoutForce) {
  rig_.joint.type = JointType::translational;
  EXPECT_EQ(refusal(Law("J.reaction", {"model.yaml", 12, 20})),
            "model.yaml:12:20: 'J' is a translational joint, which carries no force");
}

TEST_F(Quantities, InitialValues) {
  rig_.mechanism.initial = {{"J.angle", {"model.yaml", 40, 3}, 13.0},
                            {"Q.velocity.y", {"model.yaml", 41, 3}, 2.0}};
  make();
  const std::vector<InitialCondition>& initial = rig_.elements->initial;
  ASSERT_EQ(initial.size(), 2u);
  EXPECT_EQ(initial[0].row, rig_.elements->coordinates[0].row);
  EXPECT_TRUE(initial[1].on_rate);
  EXPECT_EQ(initial[1].place.line, 41);
  // on the turn where it starts
  EXPECT_NEAR(rig_.coordinate("J.angle", turned({0, 0, 1}, 13.2)), 13.2, accuracy);
}

TEST_F(Quantities, InitialValuesThatAreWrong) {
  const auto refused = [](const std::string& coordinate, const std::string& quantity) {
    JointRig rig(JointType::revolute);
    rig.joint.place = {"model.yaml", 5, 3};
    if (!coordinate.empty()) rig.joint.initial = {{coordinate, 1.0}};
    if (!quantity.empty()) rig.mechanism.initial = {{quantity, {"model.yaml", 40, 3}, 1.0}};
    try {
      rig.make();
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused("angel", ""),
            "model.yaml:5:3: joint 'J' has no coordinate 'angel' (did you mean 'angle'?)");
  EXPECT_EQ(refused("", "J.angel"),
            "model.yaml:40:3: there is no quantity 'J.angel' (did you mean 'J.angle'?)");
  EXPECT_EQ(refused("angle", "J.angle"), "model.yaml:40:3: the initial value of 'J.angle' is given twice");
}

}  // namespace
}  // namespace trammel
