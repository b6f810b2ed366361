#include "tests/random/seed_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "tests/random/random_numbers.h"
#include "tests/random/shrunk_model.h"

namespace trammel {

Model model_of_seed(std::uint64_t seed, const RandomFeatures& features) {
  const Model model = random_model(seed, features);
  return read_model_text(write_model(model), model.file);
}

PropertyOptions options_of_seed(std::uint64_t seed, const Model& model) {
  PropertyOptions options;
  options.seed = seed;
  RandomNumbers random(seed, "methods");
  options.methods[1] = random.chance(0.5) ? "partitioned/sdirk4" : "partitioned/radau5";
  // the title of a random model says so
  if (model.mechanism.title.ends_with("stiff"))
    options.methods = {"psf/radau5", "partitioned/sdirk4", "partitioned/radau5"};
  // the coordinates against each other, too
  options.methods[0] += " in cartesian";
  options.methods[1] += random.chance(0.5) ? " in cartesian" : " in joint";
  options.methods[2] += " in joint";
  return options;
}

std::vector<Finding> check_seed(std::uint64_t seed, const RandomFeatures& features) {
  try {
    const Model model = model_of_seed(seed, features);
    return check_properties(model, options_of_seed(seed, model));
  } catch (const std::exception& error) {
    return {{"refused", error.what()}};
  }
}

Model shrunk_to_finding(const Model& model, const std::string& kind, const PropertyOptions& options) {
  return shrunk_model(model, [&](const Model& smaller) {
    // what a person gets is the file
    const Model read = read_model_text(write_model(smaller), model.file);
    const std::vector<Finding> findings = check_properties(read, options);
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding& one) { return one.kind == kind; });
  });
}

}  // namespace trammel
