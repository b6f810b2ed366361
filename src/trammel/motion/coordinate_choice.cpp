#include "trammel/motion/coordinate_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <numeric>

#include "trammel/motion/joint_equations.h"
#include "trammel/motion/planar_motion.h"

namespace trammel {

namespace {

// Entries of a row of the mass matrix beyond which sparse Cartesian matrices are cheaper than those of a tree: where
// all unknowns are in the matrices, and where only independent ones are.
constexpr double full_row = 55, full_row_of_independent = 200;
// The same where Cartesian methods reduce a planar mechanism to its plane, with half of the unknowns: of psf; of cs, cm and csm; of
// partitioned, whose radau5 has a complex matrix besides.
constexpr double full_row_of_plane = 16.5, full_row_of_split_plane = 50, full_row_of_partitioned_plane = 100,
                 full_row_of_radau_plane = 60;
// Of the velocities of free bodies: where joints save fewer, simple matrices are worth more.
constexpr double too_many = 0.8;

// Loops that share joints: so many coordinates of them are no small system any more, and where so many joints follow each
// other in the mean, a row of such a loop has many entries.
constexpr Index many_in_loops = 40;
constexpr double long_loops = 4;

// Formulations that solve for accelerations alone: by recursion, whatever the depth of the tree.
bool is_explicit(const std::string& method) {
  return method.starts_with("projected") || method.starts_with("unprojected");
}

// Those whose matrices are of independent coordinates.
bool is_of_independent(const std::string& method) {
  constexpr std::array independent = {"partitioned", "tangent", "nullspace", "cs", "cm", "csm", "ode"};
  const std::string formulation = method.substr(0, method.find('/'));
  return std::find(independent.begin(), independent.end(), formulation) != independent.end();
}

// Those that are kept as published, and dense.
bool is_dense(const std::string& method) {
  constexpr std::array dense = {"geoms", "geoms1", "index1", "index2", "index3", "baumgarte", "ggl"};
  const std::string formulation = method.substr(0, method.find('/'));
  return std::find(dense.begin(), dense.end(), formulation) != dense.end();
}

bool is_one_of(const std::string& formulation, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return formulation == name; });
}

double longest_path(const Mechanism& mechanism, const std::string& method) {
  const std::string formulation = method.substr(0, method.find('/'));
  const double in_space = is_of_independent(method) ? full_row_of_independent : full_row;
  double in_plane = in_space;
  if (is_one_of(formulation, {"psf", "psf1"})) in_plane = full_row_of_plane;
  if (is_one_of(formulation, {"cs", "cm", "csm"})) in_plane = full_row_of_split_plane;
  if (formulation == "partitioned")
    in_plane = method.ends_with("/radau5") ? full_row_of_radau_plane : full_row_of_partitioned_plane;
  return in_plane < in_space && is_planar(mechanism) ? in_plane : in_space;
}

// Joints above each one and itself, in the mean: the entries of a row of the mass matrix, on one side.
double mean_path(const JointTree& tree) {
  double sum = 0;
  for (const JointTree::Node& node : tree.nodes())
    sum += static_cast<double>(node.velocities()) * (node.depth + 1);
  return tree.velocities() > 0 ? sum / static_cast<double>(tree.velocities()) : 0;
}

// The largest number of velocities of joints that hang together by loops: those on the way round a loop, and on the way round
// others that share one of them.
Index most_in_loops(const Mechanism& mechanism, const JointTree& tree) {
  const std::vector<JointTree::Node>& nodes = tree.nodes();
  std::vector<int> leader(nodes.size());
  std::iota(leader.begin(), leader.end(), 0);
  const auto leader_of = [&](int node) {
    while (leader[at_index(node)] != node)
      node = leader[at_index(node)] = leader[at_index(leader[at_index(node)])];
    return node;
  };
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i) {
    const Joint& joint = mechanism.joints[i];
    if (tree.contains(i)) continue;
    const int a = tree.bodies()[at_index(joint.body_a)].node, b = tree.bodies()[at_index(joint.body_b)].node;
    const int end = tree.common(a, b);
    int last = -1;
    for (int from : {a, b})
      for (int node = from; node != end; node = nodes[at_index(node)].parent) {
        if (last >= 0) leader[at_index(leader_of(node))] = leader_of(last);
        last = node;
      }
  }
  std::vector<Index> velocities(nodes.size(), 0);
  std::vector<int> members(nodes.size(), 0);
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const std::size_t group = at_index(leader_of(static_cast<int>(node)));
    velocities[group] += nodes[node].velocities();
    ++members[group];
  }
  Index most = 0;
  for (std::size_t group = 0; group < nodes.size(); ++group)
    if (members[group] > 1) most = std::max(most, velocities[group]);
  return most;
}

// The coordinates in which a body or a joint, or one of its unknowns, has a tolerance of its own; empty if that is no reason
// for others than `chosen`.
std::string coordinates_of_tolerance(const Mechanism& mechanism, const std::string& name,
                                     const std::string& chosen) {
  const std::string owner = name.substr(0, name.rfind('.'));
  const auto is_named = [&](const auto& part) { return part.name == name || part.name == owner; };
  const bool is_body = std::any_of(mechanism.bodies.begin(), mechanism.bodies.end(), is_named);
  const bool is_joint = std::any_of(mechanism.joints.begin(), mechanism.joints.end(), is_named);
  if (is_body == is_joint) return {};
  const std::string wanted = is_body ? "cartesian" : "joint";
  return wanted == chosen ? std::string() : wanted;
}

}  // namespace

CoordinateChoice choose_coordinates(const Mechanism& mechanism, const std::string& method) {
  const JointTree tree = JointEquations::tree_of(mechanism);
  const auto bodies = static_cast<Index>(mechanism.bodies.size()) - 1;
  if (tree.velocities() == 0) return {"cartesian", "no joint of the tree moves"};
  if (tree.velocities() >= 6 * bodies)
    return {"cartesian", "no joint holds a body that could be a coordinate"};
  if (is_dense(method))
    return {"cartesian", fmt::format("'{}' is kept as published, in Cartesian coordinates", method)};
  const std::string sizes = fmt::format("{} {} in place of {}", tree.velocities(),
                                        tree.velocities() == 1 ? "velocity" : "velocities", 6 * bodies);
  const double path = mean_path(tree);
  if (const Index together = most_in_loops(mechanism, tree); together > many_in_loops && path > long_loops)
    return {"cartesian",
            fmt::format("{} velocities of joints hang together by loops, {:.0f} joints after each "
                        "other in the mean: too many for joint coordinates",
                        together, path)};
  if (is_explicit(method)) return {"joint", fmt::format("{}, accelerations by recursion", sizes)};
  if (static_cast<double>(tree.velocities()) > too_many * static_cast<double>(6 * bodies))
    return {"cartesian", fmt::format("{}: too few less for an implicit method", sizes)};
  if (path > longest_path(mechanism, method))
    return {"cartesian", fmt::format("{:.0f} joints follow each other in the mean, too many for an implicit "
                                     "method: matrices of joint coordinates are full there",
                                     path)};
  return {"joint",
          path < 1.5 ? sizes : fmt::format("{}, {:.0f} joints after each other in the mean", sizes, path)};
}

CoordinateChoice coordinates_of(const Model& model, const std::optional<std::string>& method,
                                const std::vector<SimulationSettings::NamedTolerance>& tolerances) {
  const std::string asked = model.simulation.coordinates.value_or("auto");
  if (asked == "joint" && JointEquations::tree_of(model.mechanism).velocities() == 0)
    return {"cartesian", "joint: no joint of the tree moves, and Cartesian ones give the reactions"};
  if (asked != "auto") return {asked, ""};
  const std::string name = method ? *method : model.simulation.method.value_or("auto");
  CoordinateChoice choice = choose_coordinates(model.mechanism, name);
  for (const auto* named : {&tolerances, &model.simulation.tolerances})
    for (const SimulationSettings::NamedTolerance& tolerance : *named)
      if (const std::string owner =
              tolerance.rtol || tolerance.atol
                  ? coordinates_of_tolerance(model.mechanism, tolerance.name, choice.coordinates)
                  : std::string();
          !owner.empty())
        choice = {owner, fmt::format("a tolerance is given for '{}'", tolerance.name)};
  choice.reason = "auto: " + choice.reason;
  return choice;
}

}  // namespace trammel
