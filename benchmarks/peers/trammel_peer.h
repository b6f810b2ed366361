// Trammel through its library, with the options a user has who says nothing but method and tolerance.
#pragma once

#include <functional>
#include <string>

#include "contest.h"
#include "trammel/model/model.h"
#include "trammel/motion/cartesian_equations.h"
#include "trammel/problems/builtin.h"

namespace peers {

// A built-in problem; rtol = atol, error by the criterion of the problem unless one is given. `energy` is of
// the whole state, and may be empty.
using StateFunction = std::function<double(const trammel::Vector& x)>;
Run run_builtin(const std::string& problem, const std::map<std::string, double>& parameters, double end,
                const std::string& method, double tolerance, const StateFunction& error,
                const StateFunction& energy);

// A model file's mechanism; atol is a hundredth of rtol, as for every model.
Run run_model(const trammel::Model& model, const std::string& method, double end, double tolerance,
              const std::function<double(trammel::CartesianEquations& at_end)>& error);

}  // namespace peers
