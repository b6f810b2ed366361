// The same model in other words: whose motion must be the same, or follow from the first one's.
#pragma once

#include "tests/random/random_numbers.h"
#include "trammel/model/model.h"

namespace trammel {

// The whole world moved: bodies, what is fixed to the ground, gravity, wind, and forces in world axes.
Model moved_model(const Model& model, const Frame& by);

// All masses and all forces times a factor: the same motion, and reactions times the factor.
Model heavier_model(const Model& model, double factor);

// Bodies, joints and everything else in another order.
Model reordered_model(const Model& model, RandomNumbers& random);

// Without a body and all that is on it.
Model without_body(const Model& model, int body);

}  // namespace trammel
