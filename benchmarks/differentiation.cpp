// What a Jacobian of Q(z, ż) costs in every way of differentiation, and how that grows: four-bar loops as a star (all on the
// ground), a chain (each on the one before) and a comb (all on a chain of three bodies), in joint coordinates.
//
//   differentiation                 the table: 15 loops of each kind, and models
//   differentiation growth [1000]   the star up to so many loops, chain and comb up to a tenth of it
//   differentiation MODEL.yaml ...  models of one's own
//
// Ratios of one run: all ways take turns on the same machine, two states take turns in each, the least of three counts.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "trammel/derivatives/way_comparison.h"
#include "trammel/model/model.h"

namespace {

using namespace trammel;

Body rod(const std::string& name, const Vec3<double>& from, const Vec3<double>& to) {
  Body body;
  body.name = name;
  body.mass = 1;
  const Vec3<double> along = to - from;
  body.reference.origin = (from + to) * 0.5;
  body.reference.axes = rotation_about({0, 0, 1}, std::atan2(along.y, along.x));
  body.inertia = {{1e-2, 0, 0}, {0, 1 / 12.0, 0}, {0, 0, 1 / 12.0}};
  return body;
}

void add_hinge(Mechanism& mechanism, const std::string& name, const std::string& a, const std::string& b,
               const Vec3<double>& at) {
  mechanism.add_joint(name, JointType::revolute, a, b, at, {0, 0, 1});
}

// A loop on a body, its two hinges there at `first` and `second`; its coupler is one above.
void add_loop(Mechanism& mechanism, int i, const std::string& base, const Vec3<double>& first,
              const Vec3<double>& second) {
  const std::string n = std::to_string(i);
  const Vec3<double> a = first + Vec3<double>{0.1, 1, 0}, b = second + Vec3<double>{0.2, 1.1, 0};
  mechanism.add(rod("crank" + n, first, a));
  mechanism.add(rod("coupler" + n, a, b));
  mechanism.add(rod("rocker" + n, second, b));
  add_hinge(mechanism, "A" + n, base, "crank" + n, first);
  add_hinge(mechanism, "B" + n, "crank" + n, "coupler" + n, a);
  add_hinge(mechanism, "C" + n, base, "rocker" + n, second);
  add_hinge(mechanism, "D" + n, "rocker" + n, "coupler" + n, b);
  // each loop has a spring of its own, so that forces depend on positions and velocities beyond their inertia
  Force::SpringDamper spring;
  spring.stiffness = 200;
  spring.damping = 3;
  spring.body_a = mechanism.body(base);
  spring.body_b = mechanism.body("coupler" + n);
  mechanism.forces.push_back({spring});
  mechanism.forces.back().ends().name = "spring" + n;
}

Mechanism star(int loops) {
  Mechanism mechanism;
  mechanism.gravity = {0, -9.81, 0};
  for (int i = 0; i < loops; ++i) add_loop(mechanism, i, "ground", {2.0 * i, 0, 0}, {2.0 * i + 1, 0, 0});
  return mechanism;
}

Mechanism chain(int loops) {
  Mechanism mechanism;
  mechanism.gravity = {0, -9.81, 0};
  Vec3<double> first{0, 0, 0}, second{1, 0, 0};
  for (int i = 0; i < loops; ++i) {
    add_loop(mechanism, i, i == 0 ? "ground" : "coupler" + std::to_string(i - 1), first, second);
    first = first + Vec3<double>{0.1, 1, 0};
    second = second + Vec3<double>{0.2, 1.1, 0};
  }
  return mechanism;
}

Mechanism comb(int loops) {
  Mechanism mechanism;
  mechanism.gravity = {0, -9.81, 0};
  const int on_each = (loops + 2) / 3;
  std::string before = "ground";
  for (int k = 0; k < 3; ++k) {
    const Vec3<double> from{2.0 * on_each * k, 0, 0}, to{2.0 * on_each * (k + 1), 0, 0};
    const std::string name = "beam" + std::to_string(k);
    mechanism.add(rod(name, from, to));
    add_hinge(mechanism, "E" + std::to_string(k), before, name, from);
    before = name;
  }
  for (int i = 0; i < loops; ++i)
    add_loop(mechanism, i, "beam" + std::to_string(i / on_each), {2.0 * i, 0, 0}, {2.0 * i + 1, 0, 0});
  return mechanism;
}

Vector moving_state(const MechanismEquations& equations) {
  Vector x = equations.initial_state();
  const Layout& l = equations.layout();
  for (Index i = 0; i < l.v.size; ++i) x[l.v.begin + i] += 0.3 + 0.1 * std::sin(static_cast<double>(i));
  return x;
}

const WayCost* find(const WayComparison& comparison, const std::string& way) {
  for (const WayCost& cost : comparison.ways)
    if (cost.way == way && cost.failure.empty()) return &cost;
  return nullptr;
}

void print(const std::string& name, const WayComparison& c) {
  std::printf("\n%s: Q %d x %d, %zu entries, %zu operations\n", name.c_str(), c.rows, c.columns,
              c.pattern.entries(), c.operations);
  std::printf(
      "  one evaluation, us: library %.2f, recorded %.2f, generated %.2f (%.1f times faster than the "
      "library, %.1f than "
      "recorded)\n",
      1e6 * c.library_seconds, 1e6 * c.recorded_seconds, 1e6 * c.generated_seconds,
      c.library_seconds / c.generated_seconds, c.recorded_seconds / c.generated_seconds);
  std::printf("  differences of generated code: 2 x %d evaluations, %.2f us\n", c.columns,
              2e6 * c.columns * c.generated_seconds);
  const WayCost* differences = find(c, "central");
  std::printf("  %-17s %12s %12s %12s %10s %12s %10s\n", "way", "us", "evaluations", "differences/", "kB",
              "directions", "error");
  for (const WayCost& way : c.ways) {
    if (way.failure.empty())
      std::printf("  %-17s %12.2f %12.2f %12.2f %10.1f %12d %10.1e\n", way.way.c_str(), 1e6 * way.seconds,
                  way.ratio, differences != nullptr ? differences->seconds / way.seconds : 0.0,
                  static_cast<double>(way.bytes) / 1024, way.directions, way.error);
    else
      std::printf("  %-17s %s\n", way.way.c_str(), way.failure.c_str());
  }
}

WayComparison compare(const Mechanism& mechanism, std::vector<std::string> ways = {}) {
  const std::unique_ptr<MechanismEquations> equations = make_equations(mechanism, "joint");
  FunctionOfMechanism function(*equations, MechanismFunction::forces);
  return compare_ways(function, 0.0, moving_state(*equations), std::move(ways), {.seconds = 0.2});
}

void print_growth(const char* name, Mechanism (*make)(int), int most) {
  std::printf("\n%s: evaluations that a Jacobian costs\n  %6s %8s %8s %10s %10s %12s %12s %14s %14s\n", name,
              "loops", "entries", "colours", "library", "sparse", "sparse/rec.", "coloured", "us/entry, lib.",
              "us/entry, sp.");
  for (int loops = 1; loops <= most;
       loops = loops == 1 ? 10 : (loops % 3 == 0 ? loops / 3 * 10 : loops * 3)) {
    const WayComparison c = compare(make(loops), {"library", "sparse", "central-coloured"});
    const WayCost *library = find(c, "library"), *sparse = find(c, "sparse"),
                  *coloured = find(c, "central-coloured");
    const auto of_entry = [&](const WayCost& way) {
      return 1e6 * way.seconds / static_cast<double>(c.pattern.entries());
    };
    std::printf("  %6d %8zu %8d %10.2f %10.2f %12.2f %12.2f %14.4f %14.4f\n", loops, c.pattern.entries(),
                sparse->directions, library->ratio, sparse->ratio, sparse->seconds / c.recorded_seconds,
                coloured->ratio, of_entry(*library), of_entry(*sparse));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "growth") {
    const int most = words.size() > 1 ? std::atoi(words[1].c_str()) : 1000;
    print_growth("star", star, most);
    print_growth("chain", chain, std::max(1, most / 10));
    print_growth("comb", comb, std::max(1, most / 10));
    return 0;
  }
  for (const std::string& file : words) print(file, compare(read_model(file).mechanism));
  if (!words.empty()) return 0;
  print("four-bar", compare(star(1)));
  print("star of 15", compare(star(15)));
  print("chain of 15", compare(chain(15)));
  print("comb of 15", compare(comb(15)));
  return 0;
}
