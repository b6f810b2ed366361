// Trammel through its library, with the options a user has who says nothing but method and tolerance.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "contest.h"
#include "scaling.h"
#include "trammel/motion/cartesian_equations.h"
#include "trammel/published/builtin.h"

namespace peers {

// A built-in problem; rtol = atol, error by the criterion of the problem unless one is given. `energy` is of
// the whole state, and may be empty.
using StateFunction = std::function<double(const trammel::Vector& x)>;
Run run_builtin(const std::string& problem, const std::map<std::string, double>& parameters, double end,
                const std::string& method, double tolerance, const StateFunction& error,
                const StateFunction& energy);

// A mechanism; atol is a hundredth of rtol, as for every model. The method may name coordinates, too:
// "projected/dop853, joint".
Run run_mechanism(const trammel::Mechanism& mechanism, const std::string& method, double end,
                  double tolerance,
                  const std::function<double(const trammel::MechanismMotion& at_end)>& error);

// A mechanism that grows, at rtol 1e-5.
std::unique_ptr<ScaledModel> trammel_scaled_model(Growing growing, int bodies, const std::string& method);

}  // namespace peers
