// trammel._core: what the Python package `trammel` is written on.
#include "binding.h"
#include "trammel/numerics/thread_team.h"
#include "trammel/version.h"

PYBIND11_MODULE(_core, module) {
  using namespace trammel::python;
  module.doc() = "The compiled part of the package trammel. Its names may change; use those of the package.";
  module.attr("__version__") = std::string(trammel::version);
  module.def("threads", [] { return trammel::ThreadTeam::of_process().threads(); });
  module.def("set_threads", [](int threads) { trammel::ThreadTeam::of_process().set_threads(threads); });
  bind_model(module);
  bind_run(module);
  bind_real_time(module);
  bind_equations(module);
  bind_dynamics(module);
  bind_sweep(module);
  bind_differentiation(module);
}
