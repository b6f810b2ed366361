// Rods between two ball joints as distances: what becomes of their mass, and how near the motion is.
#include "trammel/mechanism/rods_as_distances.h"

#include <fmt/format.h>

#include "tests/models/run_text.h"

namespace trammel {
namespace {

// Two discs on parallel shafts, tied by a rod between ball joints: a spatial four-bar.
std::string tied_discs(const std::string& rod, const std::string& rest = "") {
  return fmt::format(R"(
trammel: 1
gravity: [0, 0, -9.81]
bodies:
  driver: {{at: [0, 0, 0], mass: 4, inertia: [0.05, 0.05, 0.05]}}
  follower: {{at: [1, 0, 0], mass: 4, inertia: [0.05, 0.05, 0.05]}}
  link: {}
joints:
  A: {{type: revolute, between: [ground, driver], at: [0, 0, 0], axis: [0, 1, 0], initial: {{angle_rate: 2}}}}
  D: {{type: revolute, between: [ground, follower], at: [1, 0, 0], axis: [0, 1, 0.2]}}
  B: {{type: spherical, between: [driver, link], at: [0.1, 0, 0.2]}}
  C: {{type: spherical, between: [link, follower], at: [1.1, 0.1, 0.3]}}
forces:
  spring: {{type: torsion_spring, joint: A, stiffness: 3}}
simulation: {{end: 1, output: 0.05, rtol: 1e-9{}}}
)",
                     rod, rest);
}

const char* const light = "{rod: {from: [0.1, 0, 0.2], to: [1.1, 0.1, 0.3], mass: 1e-6, radius: 1 cm}}";
const char* const heavy = "{rod: {from: [0.1, 0, 0.2], to: [1.1, 0.1, 0.3], mass: 0.5, radius: 1 cm}}";
const char* const as_distances = ", rods: distances";

TEST(RodsAsDistances, OneEquationInPlaceOfABody) {
  const Model model = read_model_text(tied_discs(heavy, as_distances), "test.yaml");
  EXPECT_EQ(model.mechanism.body("link"), -1);
  ASSERT_EQ(model.mechanism.joints.size(), 3u);
  const Joint* link = model.mechanism.joint("link");
  ASSERT_NE(link, nullptr);
  EXPECT_EQ(link->type, JointType::distance);
  EXPECT_NEAR(link->length, std::sqrt(1 + 0.01 + 0.01), 1e-12);
  ASSERT_EQ(model.notes.size(), 1u);
  EXPECT_NE(model.notes[0].find("'link' is a distance"), std::string::npos) << model.notes[0];
}

// Mass, centre of mass and the sum of all that moves stay; a uniform rod goes half to each end.
TEST(RodsAsDistances, ShareTheirMass) {
  const Model exact = read_model_text(tied_discs(heavy), "test.yaml");
  const Model shared = read_model_text(tied_discs(heavy, as_distances), "test.yaml");
  const auto moment = [](const Mechanism& mechanism) {
    Vec3<double> sum{};
    for (const Body& body : mechanism.bodies)
      sum += (body.reference.origin + body.reference.axes * body.com) * body.mass;
    return sum;
  };
  EXPECT_LT(length(moment(exact.mechanism) - moment(shared.mechanism)), 1e-12);
  const auto body = [&](const char* name) {
    return shared.mechanism.bodies[static_cast<std::size_t>(shared.mechanism.body(name))];
  };
  EXPECT_NEAR(body("driver").mass, 4.25, 1e-12);
  EXPECT_NEAR(body("follower").mass, 4.25, 1e-12);
  // a point of 0.25 kg at (0.1, 0, 0.2) of a body of 4 kg: reduced mass 4·0.25/4.25
  EXPECT_NEAR(body("driver").inertia.column[1].y, 0.05 + 4 * 0.25 / 4.25 * 0.05, 1e-12);
  EXPECT_NEAR(body("driver").com.x, 0.1 * 0.25 / 4.25, 1e-12);
}

// A rod without weight is a distance: the motion is the same. One with weight differs, and a run says what was done.
TEST(RodsAsDistances, MoveAsTheBodyWhereItIsLight) {
  for (const char* coordinates : {"cartesian", "joint"}) {
    const std::string in = fmt::format(", coordinates: {}", coordinates);
    const MechanismRun exact = run_text(tied_discs(light, in));
    const MechanismRun distance = run_text(tied_discs(light, in + as_distances));
    // its inertia is of the order of 1e-6 of that of the discs
    expect_same(distance, "A.angle", exact, "A.angle", 1e-5);
    expect_same(distance, "D.angle", exact, "D.angle", 1e-5);
    const std::vector<std::string>& notes = distance.summary().notes;
    EXPECT_EQ(std::count_if(notes.begin(), notes.end(),
                            [](const std::string& note) { return note.starts_with("rod 'link'"); }),
              1);
  }
  const MechanismRun exact = run_text(tied_discs(heavy)), shared = run_text(tied_discs(heavy, as_distances));
  const double difference = std::abs(last(exact, "A.angle") - last(shared, "A.angle"));
  EXPECT_GT(difference, 1e-5);
  EXPECT_LT(difference, 0.1);
}

TEST(RodsAsDistances, StayBodiesWhereSomethingRefersToThem) {
  const std::string force = R"(
  push: {type: force, on: link, at: [0.6, 0, 0.25], components: [0, 0, 1]}
simulation:)";
  std::string text = tied_discs(heavy, as_distances);
  text.replace(text.find("\nsimulation:"), 12, force);
  const Model pushed = read_model_text(text, "test.yaml");
  EXPECT_GT(pushed.mechanism.body("link"), 0);
  ASSERT_EQ(pushed.notes.size(), 1u);
  EXPECT_NE(pushed.notes[0].find("force 'push' acts on it"), std::string::npos) << pushed.notes[0];

  text = tied_discs(heavy, as_distances);
  text.replace(text.find("\nsimulation:"), 12, "\nmeasures: {pull: \"B.reaction\"}\nsimulation:");
  const Model measured = read_model_text(text, "test.yaml");
  EXPECT_GT(measured.mechanism.body("link"), 0);
  ASSERT_EQ(measured.notes.size(), 1u);
  EXPECT_NE(measured.notes[0].find("stays a body"), std::string::npos) << measured.notes[0];
}

}  // namespace
}  // namespace trammel
