// Forces and constraints of one's own, written in C++ as kernels: a few lines each, differentiated exactly.
//
//   struct Wind {                                    // a force: see force_block.h
//     template <class T>
//     void operator()(const BodyMotion<T>&, const BodyMotion<T>& B, const ForceInputs<T>& inputs,
//                     Wrench<T>&, Wrench<T>& on_b) const {
//       on_b.force.x += 3.0 * sin(inputs.t) - 0.1 * B.v.x;
//     }
//   };
//   add_force_element(mechanism, "wind", "ground", "sail", Wind{});
//
//   struct OnParabola {                              // a constraint: see constraint_kernels.h
//     static constexpr int rows = 1;
//     template <class T>
//     std::array<T, 1> operator()(const Pose<T>&, const Pose<T>& B) const {
//       return {B.r.z - B.r.x * B.r.x};
//     }
//   };
//   add_constraint_element(mechanism, "wire", "ground", "bead", {"height"}, OnParabola{});
//
// A kernel sees a body at its centre of mass, and points and directions fixed to it in body axes from there.
// A constraint of poses is one of positions; a constraint of motions, linear in the twists, one of velocities
// (velocity_kernels.h). Both are zero where the constraint is met.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "trammel/mechanism/constraint_block_implementation.h"
#include "trammel/mechanism/elements.h"
#include "trammel/mechanism/force_block_implementation.h"

namespace trammel {

namespace detail {

inline int known_body(const Mechanism& mechanism, const std::string& element, const std::string& body) {
  const int index = mechanism.body(body);
  if (index < 0) throw ModelError({}, fmt::format("element '{}': there is no body '{}'", element, body));
  return index;
}

}  // namespace detail

template <class Kernel>
void add_force_element(Mechanism& mechanism, const std::string& name, const std::string& body_a,
                       const std::string& body_b, const Kernel& kernel) {
  const int a = detail::known_body(mechanism, name, body_a), b = detail::known_body(mechanism, name, body_b);
  mechanism.extensions.push_back([name, a, b, kernel](Elements& elements) {
    elements.force_block<Kernel>().add({name, a, b, {}}, kernel);
  });
}

// The rows are called "<name>.<row name>", one for each row of the kernel.
template <class Kernel>
void add_constraint_element(Mechanism& mechanism, const std::string& name, const std::string& body_a,
                            const std::string& body_b, const std::vector<std::string>& row_names,
                            const Kernel& kernel) {
  const int a = detail::known_body(mechanism, name, body_a), b = detail::known_body(mechanism, name, body_b);
  if (row_names.size() != static_cast<std::size_t>(Kernel::rows))
    throw ModelError({}, fmt::format("element '{}' has {} rows, and {} names for them", name, Kernel::rows,
                                     row_names.size()));
  mechanism.extensions.push_back([name, a, b, row_names, kernel](Elements& elements) {
    constexpr bool of_poses = requires(const Pose<double>& pose) { kernel(pose, pose); };
    RowSystem& system = of_poses ? elements.holonomic : elements.nonholonomic;
    const Index first = system.size();
    for (const std::string& row_name : row_names) system.add_row(name + "." + row_name);
    system.block<Kernel>().add({a, b, first, 1.0}, kernel);
  });
}

}  // namespace trammel
