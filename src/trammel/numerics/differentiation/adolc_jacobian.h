// Jacobians by ADOL-C (optional: CMake option TRAMMEL_ADOLC), from a recorded function that is evaluated once on its tape.
#pragma once

#include <memory>
#include <string>

#include "trammel/numerics/differentiation/jacobian.h"

namespace trammel {

bool has_adolc();
// The way is adolc-forward, adolc-reverse or adolc-sparse.
std::unique_ptr<Jacobian> make_adolc_jacobian(const std::string& way, const RecordedFunction& recorded,
                                              int inputs, std::span<const double> x);

}  // namespace trammel
