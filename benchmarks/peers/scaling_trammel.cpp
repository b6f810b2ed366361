// Trammel as mechanisms grow.
#include <stdexcept>

#include "trammel/simulation/mechanism_run.h"
#include "trammel/simulation/simulation.h"
#include "trammel_mechanisms.h"
#include "trammel_peer.h"

namespace peers {

namespace {

using namespace trammel;

class TrammelScaledModel final : public ScaledModel {
 public:
  TrammelScaledModel(Growing growing, int bodies, const std::string& method)
      : equations_(growing == Growing::chain ? chain_mechanism(bodies)
                                             : four_bar_mechanism(windows_of(bodies))) {
    if (const Failure failure = parse_method(method, method_)) throw std::runtime_error(failure.message);
  }

  ScaledRun run() override {
    Options options;
    options.record = false;
    options.watch_constraints = false;
    options.tolerances.relative = 1e-5;
    options.tolerances.absolute = 1e-7;
    options.assembly = assembly_options(equations_);
    Simulation simulation(equations_, method_, options);
    int calls = 0;
    double started = 0, seconds = 0;
    const Stopwatch watch;
    simulation.on_step([&](const Point<double>&, double) {
      // the first call is that of the start
      if (calls == 0) started = watch.seconds();
      seconds = watch.seconds() - started;
      return calls++ < scaling_steps;
    });
    const Summary summary = simulation.run(equations_.initial_state(), 0, scaling_end);
    if (summary.status == Status::failed) throw std::runtime_error(summary.failure.message);
    return {static_cast<double>(summary.statistics.accepted),
            static_cast<double>(summary.statistics.evaluations), seconds};
  }

 private:
  CartesianEquations equations_;
  Method method_;
};

}  // namespace

std::unique_ptr<ScaledModel> trammel_scaled_model(Growing growing, int bodies, const std::string& method) {
  return std::make_unique<TrammelScaledModel>(growing, bodies, method);
}

}  // namespace peers
