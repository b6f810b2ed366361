// MuJoCo as mechanisms grow: RK4 with steps of 1 ms.
#include "mujoco_models.h"
#include "mujoco_peers.h"
#include "mujoco_simulator.h"

namespace peers {

namespace {

constexpr double step = 1e-3;

class MujocoScaledModel final : public ScaledModel {
 public:
  MujocoScaledModel(Growing growing, int bodies)
      : simulator_(growing == Growing::chain ? mujoco_chain(bodies, step)
                                             : mujoco_four_bars(windows_of(bodies), step)),
        turning_(growing == Growing::four_bars) {}

  ScaledRun run() override {
    mjModel& model = simulator_.model();
    mjData& data = simulator_.data();
    mj_resetData(&model, &data);
    // a crank with its coupler, the last crank alone
    for (int i = 0; turning_ && i < model.nv; ++i) data.qvel[i] = i % 2 == 0 ? -1 : 1;
    mj_forward(&model, &data);
    const Stopwatch watch;
    for (int i = 0; i < scaling_steps; ++i) mj_step(&model, &data);
    return {scaling_steps, 4.0 * scaling_steps, watch.seconds()};
  }

 private:
  MujocoSimulator simulator_;
  bool turning_;
};

}  // namespace

std::unique_ptr<ScaledModel> mujoco_scaled_model(Growing growing, int bodies) {
  return std::make_unique<MujocoScaledModel>(growing, bodies);
}

}  // namespace peers
