// Forces that are Python functions: of the time and of quantities by their names, as laws in a model file are.
//
// A function is differentiated by the quantities it names, by central differences or by a function of the user's that
// gives the gradient; how these move with the bodies the mechanism knows exactly.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "binding.h"
#include "trammel/mechanism/mechanism.h"

namespace trammel::python {

struct CallbackForce {
  std::string name;
  std::vector<std::string> quantities;
  py::object function;     // (t, quantities...) -> a number along a coordinate, three components on a body
  py::object gradient;     // None, or (t, quantities...) -> derivatives by the quantities
  std::string coordinate;  // of a joint, or
  std::string on;          // a body
  std::array<double, 3> at{};  // a point of it, in its frame
};

// Adds it to a mechanism. Both must outlive what is made of the mechanism. Throws ModelError for unknown names, at once
// for bodies and joints and when equations are made for quantities.
void add_callback_force(Mechanism& mechanism, std::shared_ptr<CallbackForce> force,
                        std::shared_ptr<Raised> raised);

}  // namespace trammel::python
