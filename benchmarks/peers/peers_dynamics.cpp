// One evaluation of forward dynamics, Trammel in joint coordinates beside other programs: microseconds, ratios
// below one where Trammel is faster, and by how much accelerations differ.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <stdexcept>

#include "dynamics.h"
#include "trammel/model/model.h"
#include "trammel/motion/consistent_state.h"
#include "trammel/motion/joint_equations.h"
#include "trammel_mechanisms.h"

namespace peers {

#ifndef TRAMMEL_PEER_MUJOCO
std::unique_ptr<ForwardDynamics> mujoco_dynamics(const HingeTree&) { return nullptr; }
std::unique_ptr<ForwardDynamics> mujoco_loop_dynamics(int) { return nullptr; }
#endif
#ifndef TRAMMEL_PEER_DART
std::unique_ptr<ForwardDynamics> dart_dynamics(const HingeTree&) { return nullptr; }
#endif

// In a library of its own (simbody_peers.h).
template <class Argument>
std::unique_ptr<ForwardDynamics> of_simbody([[maybe_unused]] const char* name,
                                            [[maybe_unused]] Argument argument) {
#ifdef TRAMMEL_PEER_SIMBODY
  static void* const library = dlopen(TRAMMEL_PEER_SIMBODY, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  void* const symbol = library != nullptr ? dlsym(library, name) : nullptr;
  if (symbol == nullptr) throw std::runtime_error(dlerror());
  return std::unique_ptr<ForwardDynamics>(reinterpret_cast<ForwardDynamics* (*)(Argument)>(symbol)(argument));
#else
  return nullptr;
#endif
}
std::unique_ptr<ForwardDynamics> simbody_dynamics(const HingeTree& tree) {
  return of_simbody("simbody_dynamics", &tree);
}
std::unique_ptr<ForwardDynamics> simbody_loop_dynamics(int windows) {
  return of_simbody("simbody_loop_dynamics", windows);
}

namespace {

using namespace trammel;

// --- the trees --------------------------------------------------------------------------------------------

// Rods with hinges of two directions in turn; `branches` at the end of each.
Mechanism rods(int n, int branches) {
  Mechanism mechanism;
  mechanism.gravity = {0, -9.81, 0};
  int made = 0;
  const auto grow = [&](const auto& self, const std::string& parent, const Vec3<double>& from,
                        int count) -> void {
    if (count <= 0) return;
    const int i = made++;
    Body body;
    body.name = "body" + std::to_string(i);
    body.mass = 1;
    body.inertia = {{1e-2, 0, 0}, {0, 1 / 12.0, 0}, {0, 0, 1 / 12.0}};
    const double angle = 0.4 * std::sin(1.0 + i);
    const Vec3<double> to = from + Vec3<double>{std::cos(angle), std::sin(angle), 0};
    body.reference = {(from + to) * 0.5, rotation_about({0, 0, 1}, angle)};
    mechanism.add(body);
    mechanism.add_joint("hinge" + std::to_string(i), JointType::revolute, parent, body.name, from,
                        i % 2 == 0 ? Vec3<double>{0, 0, 1} : Vec3<double>{0, 1, 0});
    for (int b = 0; b < branches; ++b) self(self, body.name, to, (count - 1 + b) / branches);
  };
  if (branches > 1) {
    grow(grow, "ground", {}, n);
    return mechanism;
  }
  std::string parent = "ground";
  Vec3<double> from{};
  for (int i = 0; i < n; ++i) {  // no recursion for long chains
    grow(grow, parent, from, 1);
    parent = "body" + std::to_string(i);
    from = mechanism.bodies.back().reference.origin * 2.0 - from;
  }
  return mechanism;
}

// Without what resists in its joints: the others are told of bodies and hinges only.
Mechanism robot(const std::string& file) {
  Mechanism mechanism =
      read_model_text(fmt::format("trammel: 1\ngravity: [0, 0, -9.81]\nurdf: {{file: {}/{}, base: fixed}}\n",
                                  TRAMMEL_PEERS_MODELS, file),
                      "robot.yaml")
          .mechanism;
  mechanism.forces.clear();
  return mechanism;
}

HingeTree hinges_of(const JointEquations& equations) {
  const JointTree& tree = equations.tree();
  HingeTree result;
  const auto three = [](const Vec3<double>& a) { return std::array<double, 3>{a.x, a.y, a.z}; };
  const auto nine = [](const Mat3<double>& m) {
    std::array<double, 9> all{};
    for (int col = 0; col < 3; ++col)
      for (int row = 0; row < 3; ++row) all[static_cast<std::size_t>(3 * col + row)] = m(row, col);
    return all;
  };
  result.gravity = three(equations.elements().gravity);
  for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
    const JointTree::Node& node = tree.nodes()[i];
    if (node.kind != JointTree::Node::Kind::turn || node.axis != 2 || node.sign < 0)
      throw std::runtime_error("a joint that is no hinge outward");
    HingedBody body;
    body.parent = node.parent;
    body.origin = three(tree.frames()[i].origin);
    body.axes = nine(tree.frames()[i].axes);
    result.bodies.push_back(body);
  }
  for (std::size_t i = 1; i < tree.bodies().size(); ++i) {
    const JointTree::Place& place = tree.bodies()[i];
    if (place.node < 0) continue;
    const BodyInertia& inertia = equations.elements().bodies[i];
    HingedBody& body = result.bodies[static_cast<std::size_t>(place.node)];
    if (body.mass > 0) throw std::runtime_error("two bodies on one hinge");
    body.mass = inertia.mass;
    body.centre = three(place.frame.origin);
    body.inertia = nine(place.frame.axes * inertia.inertia * transposed(place.frame.axes));
  }
  return result;
}

// --- programs and clocks ----------------------------------------------------------------------------------

class TrammelDynamics final : public ForwardDynamics {
 public:
  explicit TrammelDynamics(JointEquations& equations)
      : layout_(equations.layout()),
        motion_(equations.tangent()),
        state_(*motion_),
        x_(equations.initial_state()) {
    if (Failure failure = state_.start(0, x_)) throw std::runtime_error(failure.message);
  }
  void evaluate(const double* angles, const double* rates, double* accelerations) override {
    std::copy(angles, angles + layout_.p.size, x_.data() + layout_.p.begin);
    std::copy(rates, rates + layout_.v.size, x_.data() + layout_.v.begin);
    if (Failure failure = state_.accelerate(0, x_)) throw std::runtime_error(failure.message);
    std::copy_n(state_.accelerations().data(), layout_.v.size, accelerations);
  }

 private:
  const Layout& layout_;
  std::unique_ptr<TangentMotion> motion_;
  ConsistentState state_;
  Vector x_;
};

class TrammelLoops final : public ForwardDynamics {
 public:
  explicit TrammelLoops(JointEquations& equations)
      : layout_(equations.layout()),
        motion_(equations.tangent()),
        state_(*motion_),
        x_(equations.initial_state()) {
    // hinges of cranks on the ground (A), of couplers on cranks (B), of cranks on couplers (C)
    const FourBarPose pose;
    for (Index i = 0; i < layout_.p.size; ++i) {
      const char hinge = equations.names().p[static_cast<std::size_t>(i)][0];
      if (hinge == 'A') cranks_.push_back(i);
      x_[layout_.p.begin + i] = hinge == 'A' ? pose.crank : hinge == 'B' ? pose.coupler : -pose.coupler;
      x_[layout_.v.begin + i] = hinge == 'A'   ? pose.crank_rate
                                : hinge == 'B' ? pose.coupler_rate
                                               : -pose.coupler_rate;
    }
    if (Failure failure = state_.start(0, x_)) throw std::runtime_error(failure.message);
  }
  void evaluate(const double* shift, const double*, double* accelerations) override {
    x_[layout_.p.begin + cranks_.front()] = FourBarPose().crank + *shift;
    if (Failure failure = state_.accelerate(0, x_)) throw std::runtime_error(failure.message);
    for (std::size_t i = 0; i < cranks_.size(); ++i) accelerations[i] = state_.accelerations()[cranks_[i]];
  }

 private:
  const Layout& layout_;
  std::unique_ptr<TangentMotion> motion_;
  ConsistentState state_;
  Vector x_;
  std::vector<Index> cranks_;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Contestant {
  std::string name;
  std::unique_ptr<ForwardDynamics> dynamics;
  Vector accelerations;
  double best = 1e300;
  int count = 1;
};

void sample(Contestant& one, const Vector& angles, const Vector& rates) {
  Vector q = angles;
  const double start = cpu_seconds();
  for (int i = 0; i < one.count; ++i) {
    q[0] += 1e-9;  // nothing is known from before
    one.dynamics->evaluate(q.data(), rates.data(), one.accelerations.data());
  }
  const double took = cpu_seconds() - start;
  one.best = std::min(one.best, took / one.count);
  if (took < 5e-3)
    one.count = std::max(2 * one.count, static_cast<int>(one.count * 5e-3 / std::max(took, 1e-7)));
}

// Those who take part, and what the others said.
struct Field {
  std::vector<Contestant> all;
  std::string refused;
  Index accelerations = 0;

  template <class Make>
  void enter(const char* program, const Make& make) {
    try {
      if (std::unique_ptr<ForwardDynamics> dynamics = make())
        all.push_back({program, std::move(dynamics), Vector::Zero(accelerations)});
    } catch (const std::exception& error) {
      refused += fmt::format("  {}: {}\n", program, error.what());
    }
  }
};

void compete(const std::string& name, Index bodies, Field field, const Vector& angles, const Vector& rates) {
  std::vector<Contestant>& all = field.all;
  for (Contestant& one : all) one.dynamics->evaluate(angles.data(), rates.data(), one.accelerations.data());
  std::vector<double> differences;
  for (const Contestant& one : all)
    differences.push_back((one.accelerations - all.front().accelerations).lpNorm<Eigen::Infinity>() /
                          (1 + all.front().accelerations.lpNorm<Eigen::Infinity>()));
  for (int round = 0; round < 25; ++round)
    for (Contestant& one : all) sample(one, angles, rates);
  fmt::print("{:<16} {:>6}", name, bodies);
  for (std::size_t i = 0; i < all.size(); ++i)
    fmt::print(" | {} {:.2f} us{}", all[i].name, 1e6 * all[i].best,
               i == 0 ? fmt::format(" ({:.3f} a body)", 1e6 * all[i].best / static_cast<double>(bodies))
                      : fmt::format(", ratio {:.2f}, differs by {:.0e}", all.front().best / all[i].best,
                                    differences[i]));
  fmt::print("\n{}", field.refused);
}

void compete(const std::string& name, const Mechanism& mechanism) {
  JointEquations equations(mechanism);
  HingeTree tree = hinges_of(equations);
  tree.name = name;
  const auto n = static_cast<Index>(tree.bodies.size());
  Vector angles(n), rates(n);
  for (Index i = 0; i < n; ++i) {
    angles[i] = 0.3 * std::sin(1.7 * static_cast<double>(i) + 0.4);
    rates[i] = 0.5 * std::sin(0.9 * static_cast<double>(i) + 0.1);
  }
  Field field;
  field.accelerations = n;
  field.enter("Trammel", [&]() -> std::unique_ptr<ForwardDynamics> {
    return std::make_unique<TrammelDynamics>(equations);
  });
  field.enter("MuJoCo", [&] { return mujoco_dynamics(tree); });
  field.enter("DART", [&] { return dart_dynamics(tree); });
  field.enter("Simbody", [&] { return simbody_dynamics(tree); });
  compete(name, n, std::move(field), angles, rates);
}

// DART closes loops in steps only, by impulses.
void compete_with_loops(int windows) {
  JointEquations equations(four_bar_mechanism(windows));
  Field field;
  field.accelerations = windows + 1;
  field.enter("Trammel", [&]() -> std::unique_ptr<ForwardDynamics> {
    return std::make_unique<TrammelLoops>(equations);
  });
  field.enter("MuJoCo", [&] { return mujoco_loop_dynamics(windows); });
  field.enter("Simbody", [&] { return simbody_loop_dynamics(windows); });
  compete("n-four-bar", 2 * windows + 1, std::move(field), Vector::Zero(1), Vector::Zero(1));
}

}  // namespace

}  // namespace peers

int main() {
  using namespace peers;
  for (const int n : {5, 20, 100, 1000}) compete("chain", rods(n, 1));
  for (const int n : {31, 127, 1023}) compete("binary tree", rods(n, 2));
  compete("six-axis arm", robot("six-axis-arm.urdf"));
  compete("humanoid", robot("humanoid.urdf"));
  for (const int windows : {1, 10, 40}) compete_with_loops(windows);
  return 0;
}
