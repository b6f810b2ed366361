#include "trammel/motion/coordinate_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trammel/motion/joint_equations.h"

namespace trammel {

namespace {

// Entries of a row of the mass matrix beyond which sparse Cartesian matrices are cheaper than those of a tree: where
// all unknowns are in the matrices, and where only independent ones are.
constexpr double full_row = 55, full_row_of_independent = 200;
// Of the velocities of free bodies: where joints save fewer, simple matrices are worth more.
constexpr double too_many = 0.8;

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

// Joints above each one and itself, in the mean: the entries of a row of the mass matrix, on one side.
double mean_path(const JointTree& tree) {
  double sum = 0;
  for (const JointTree::Node& node : tree.nodes())
    sum += static_cast<double>(node.velocities()) * (node.depth + 1);
  return tree.velocities() > 0 ? sum / static_cast<double>(tree.velocities()) : 0;
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
  const std::string sizes = fmt::format("{} velocities in place of {}", tree.velocities(), 6 * bodies);
  if (is_explicit(method)) return {"joint", fmt::format("{}, accelerations by recursion", sizes)};
  if (static_cast<double>(tree.velocities()) > too_many * static_cast<double>(6 * bodies))
    return {"cartesian", fmt::format("{}: too few less for an implicit method", sizes)};
  const double path = mean_path(tree);
  if (path > (is_of_independent(method) ? full_row_of_independent : full_row))
    return {"cartesian", fmt::format("{:.0f} joints follow each other in the mean, too many for an implicit "
                                     "method: matrices of joint coordinates are full there",
                                     path)};
  return {"joint", fmt::format("{}, {:.0f} joints after each other in the mean", sizes, path)};
}

CoordinateChoice coordinates_of(const Model& model, const std::optional<std::string>& method) {
  const std::string asked = model.simulation.coordinates.value_or("cartesian");
  if (asked != "auto") return {asked, ""};
  const std::string name = method ? *method : model.simulation.method.value_or("auto");
  CoordinateChoice choice = choose_coordinates(model.mechanism, name);
  choice.reason = "auto: " + choice.reason;
  return choice;
}

}  // namespace trammel
