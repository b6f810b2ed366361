// A model as Python holds it: with where it came from, so that it can be read again with other parameters, and with the
// Python functions that act as forces in it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "callback_force.h"
#include "trammel/model/model.h"

namespace trammel::python {

class ModelHandle {
 public:
  using Parameters = std::vector<std::pair<std::string, std::string>>;

  static std::shared_ptr<ModelHandle> read(const std::string& path, const Parameters& parameters);
  static std::shared_ptr<ModelHandle> parse(const std::string& text, const std::string& name,
                                            const Parameters& parameters);

  // The same with other values of parameters, those given before included.
  std::shared_ptr<ModelHandle> with(const Parameters& changes) const;
  void add_force(CallbackForce force);
  void set_coordinates(const std::string& coordinates);

  const Model& model() const { return model_; }
  const Parameters& parameters() const { return parameters_; }
  const std::shared_ptr<Raised>& raised() const { return raised_; }

 private:
  Model model_;
  bool from_file_ = false;
  std::string source_, name_;  // a path, or the text and its name
  Parameters parameters_;
  std::string coordinates_;
  std::vector<std::shared_ptr<CallbackForce>> forces_;
  std::shared_ptr<Raised> raised_ = std::make_shared<Raised>();
};

// Raises ModelError, in Python's words.
void register_errors(py::module_& module);

}  // namespace trammel::python
