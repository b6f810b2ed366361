// A smaller model with the same fault, for people to look at.
#pragma once

#include <functional>

#include "trammel/model/model.h"

namespace trammel {

// Leaves out whatever can be left out while `fails` stays true: bodies, joints, forces, drivers and so on,
// one after another until nothing more goes. What throws does not fail.
Model shrunk_model(const Model& model, const std::function<bool(const Model&)>& fails);

}  // namespace trammel
