// MuJoCo. Its equality constraints are soft springs by design, as stiff as the time step allows, so that
// loops stay open by a small amount; joints of a tree are exact. Steps have a fixed size, which is what its
// ladder is made of. solref and solimp are the stiffest its manual allows, the integrator of four-bars its
// RK4, that of the stiff pendulum the one that is implicit in velocities. None of its models needs contacts.
#include "mujoco_peers.h"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <cstring>
#include <memory>
#include <stdexcept>

#include "double_pendulum.h"
#include "n_four_bar.h"

namespace peers {

namespace {

struct FreeModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct FreeData {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

class Simulator {
 public:
  explicit Simulator(const std::string& text) {
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    const int file = mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[file], text.data(), text.size());
    char problem[1000] = "";
    model.reset(mj_loadXML("model.xml", files.get(), problem, sizeof problem));
    mj_deleteVFS(files.get());
    if (!model) throw std::runtime_error(problem);
    data.reset(mj_makeData(model.get()));
  }

  Run run(double end) {
    const auto steps = static_cast<long>(std::lround(end / model->opt.timestep));
    Run result;
    mj_forward(model.get(), data.get());
    const double energy = data->energy[0] + data->energy[1];
    const Stopwatch watch;
    for (long i = 0; i < steps; ++i) mj_step(model.get(), data.get());
    result.seconds = watch.seconds();
    result.steps = static_cast<double>(steps);
    mj_forward(model.get(), data.get());
    result.energy_drift = std::abs(data->energy[0] + data->energy[1] - energy);
    for (int i = 0; i < data->ne; ++i) {
      if (i == 0) result.position_violation = result.velocity_violation = 0;
      result.position_violation = std::max(result.position_violation, std::abs(data->efc_pos[i]));
      result.velocity_violation = std::max(result.velocity_violation, std::abs(data->efc_vel[i]));
    }
    if (data->warning[mjWARN_BADQACC].number > 0) result.failure = "unstable";
    return result;
  }

  std::unique_ptr<mjModel, FreeModel> model;
  std::unique_ptr<mjData, FreeData> data;
};

std::string rod(double mass, double inertia, const std::string& middle) {
  return fmt::format("<inertial pos='{}' mass='{}' diaginertia='{} {} {}'/>", middle, mass, inertia, inertia,
                     inertia);
}

std::string four_bars(int windows, double step) {
  std::string text = fmt::format(
      "<mujoco><compiler angle='radian'/><option timestep='{}' gravity='0 {} 0' integrator='RK4' "
      "solver='Newton' tolerance='1e-14'><flag energy='enable' contact='disable'/></option><worldbody>",
      step, -four_bar_gravity);
  for (int i = 0; i <= windows; ++i) {
    text += fmt::format("<body name='crank{}' pos='{} 0 0'><joint axis='0 0 1'/>", i, i) +
            rod(1, 1.0 / 12, "0 0.5 0");
    if (i < windows)
      text += fmt::format("<body name='coupler{}' pos='0 1 0'><joint axis='0 0 1'/>", i) +
              rod(1, 1.0 / 12, "0.5 0 0") + "</body>";
    text += "</body>";
  }
  text += "</worldbody><equality>";
  // the stiffest: a time constant of two steps
  for (int i = 0; i < windows; ++i)
    text += fmt::format(
        "<connect body1='coupler{}' body2='crank{}' anchor='1 0 0' solref='{} 1' solimp='0.9999 0.9999 "
        "0.001'/>",
        i, i + 1, 2 * step);
  return text + "</equality></mujoco>";
}

std::string two_rods(double step) {
  namespace data = double_pendulum_data;
  const auto joint = [](double stiffness, double damping, double zero) {
    return fmt::format("<joint axis='0 0 1' stiffness='{}' damping='{}' springref='{:.17g}'/>", stiffness,
                       damping, zero);
  };
  return fmt::format(
             "<mujoco><compiler angle='radian'/><option timestep='{}' gravity='0 {} 0' "
             "integrator='implicit'><flag energy='enable' contact='disable'/></option><worldbody><body>",
             step, -data::gravity) +
         joint(data::stiffness1, data::damping1, data::zero1) +
         rod(data::mass1, data::mass1 * data::half1 * data::half1 / 3, fmt::format("{} 0 0", data::half1)) +
         fmt::format("<body pos='{} 0 0'>", 2 * data::half1) + joint(data::stiffness2, data::damping2, 0) +
         rod(data::mass2, data::mass2 * data::half2 * data::half2 / 3, fmt::format("{} 0 0", data::half2)) +
         "</body></body></worldbody></mujoco>";
}

}  // namespace

void add_mujoco_n_four_bar(int windows, double exact_angle, Contest& contest) {
  contest.competitors.push_back(
      {"MuJoCo", "RK4 (step size)", {1e-2, 3e-3, 1e-3, 3e-4, 1e-4}, [windows, exact_angle](double wanted) {
         // a whole number of steps
         const double step = four_bar_end / std::ceil(four_bar_end / wanted);
         Simulator simulator(four_bars(windows, step));
         for (int i = 0; i < simulator.model->nbody - 1; ++i)
           // a crank with its coupler, the last crank alone
           simulator.data->qvel[i] = i % 2 == 0 ? -1 : 1;
         Run run = simulator.run(four_bar_end);
         run.error = 0;
         for (int i = 0; i <= windows; ++i)
           run.error = std::max(run.error, angle_between(-simulator.data->qpos[2 * i], exact_angle));
         return run;
       }});
}

void add_mujoco_double_pendulum(Contest& contest) {
  namespace data = double_pendulum_data;
  contest.competitors.push_back({"MuJoCo", "implicit (step size)", {1e-2, 1e-3, 1e-4, 1e-5}, [](double step) {
                                   Simulator simulator(two_rods(step));
                                   double* q = simulator.data->qpos;
                                   double* v = simulator.data->qvel;
                                   q[0] = data::start[0];
                                   q[1] = data::start[1] - data::start[0];
                                   v[0] = data::start[2];
                                   v[1] = data::start[3] - data::start[2];
                                   Run run = simulator.run(data::end);
                                   run.energy_drift = std::nan("");  // it is damped
                                   run.error = data::error(q[0], q[0] + q[1], v[0], v[0] + v[1]);
                                   return run;
                                 }});
}

}  // namespace peers
