// MuJoCo. Its equality constraints are soft springs by design, as stiff as the time step allows, so that
// loops stay open by a small amount; joints of a tree are exact. Steps have a fixed size, which is what its
// ladder is made of. solref and solimp are the stiffest its manual allows, the integrator its RK4,
// that of the stiff pendulum the one that is implicit in velocities. None of its models needs contacts.
#include "mujoco_peers.h"

#include <fmt/format.h>

#include "andrews_data.h"
#include "chain.h"
#include "double_pendulum.h"
#include "mujoco_models.h"
#include "mujoco_simulator.h"
#include "n_four_bar.h"

namespace peers {

namespace {

std::string two_rods(double step) {
  namespace data = double_pendulum_data;
  const auto joint = [](double stiffness, double damping, double zero) {
    return fmt::format("<joint axis='0 0 1' stiffness='{}' damping='{}' springref='{:.17g}'/>", stiffness,
                       damping, zero);
  };
  return mujoco_head(step, data::gravity, "implicit") + "<worldbody><body>" +
         joint(data::stiffness1, data::damping1, data::zero1) +
         mujoco_inertial(data::mass1, data::mass1 * data::half1 * data::half1 / 3, data::half1, 0) +
         fmt::format("<body pos='{} 0 0'>", 2 * data::half1) + joint(data::stiffness2, data::damping2, 0) +
         mujoco_inertial(data::mass2, data::mass2 * data::half2 * data::half2 / 3, data::half2, 0) +
         "</body></body></worldbody></mujoco>";
}

std::string site(const std::string& name, double x, double y) {
  return fmt::format("<site name='{}' pos='{} {} 0'/>", name, mujoco_number(x), mujoco_number(y));
}

// In the initial position, where the angles of the joints are zero: connections are closed as they stand
// there.
std::string andrews_model(double step) {
  namespace data = andrews_data;
  const std::array<data::Part, 7> parts = data::parts();
  std::string text = mujoco_head(step, 0, "RK4") + "<worldbody>" + site("C", data::xc, data::yc);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const data::Part& part = parts[i];
    text += fmt::format("<body name='part{}' pos='{} {} 0' euler='0 0 {}'><joint axis='0 0 1'/>", i + 1,
                        mujoco_number(part.at_x), mujoco_number(part.at_y),
                        mujoco_number(data::initial[static_cast<std::size_t>(part.coordinate)])) +
            mujoco_inertial(part.mass, part.inertia, part.com_x, part.com_y);
    if (i + 1 == data::K3) text += site("D", data::sd, -data::sc);
    // a child stands behind its parent
    const bool has_child = i + 1 < parts.size() && parts[i + 1].parent == static_cast<int>(i) + 1;
    if (!has_child) text += part.parent > 0 ? "</body></body>" : "</body>";
  }
  text += "</worldbody><equality>";
  for (const int closing : {data::K3, data::K4, data::K6}) {
    const data::Part& part = parts[static_cast<std::size_t>(closing) - 1];
    text += mujoco_connection(fmt::format("part{}", closing), fmt::format("part{}", int(data::K2)),
                              part.tip_x, part.tip_y, step);
  }
  return text + fmt::format(
                    "</equality><tendon><spatial stiffness='{}' springlength='{}'><site site='C'/><site "
                    "site='D'/></spatial></tendon></mujoco>",
                    data::c0, data::l0);
}

}  // namespace

void add_mujoco_n_four_bar(int windows, double exact_angle, Contest& contest) {
  contest.competitors.push_back(
      {"MuJoCo", "RK4 (step size)", {1e-2, 3e-3, 1e-3, 3e-4}, [windows, exact_angle](double wanted) {
         // a whole number of steps
         const double step = four_bar_end / std::ceil(four_bar_end / wanted);
         MujocoSimulator simulator(mujoco_four_bars(windows, step));
         for (int i = 0; i < simulator.model().nbody - 1; ++i)
           // a crank with its coupler, the last crank alone
           simulator.data().qvel[i] = i % 2 == 0 ? -1 : 1;
         Run run = simulator.run(four_bar_end);
         run.error = 0;
         for (int i = 0; i <= windows; ++i)
           run.error = std::max(run.error, angle_between(-simulator.data().qpos[2 * i], exact_angle));
         return run;
       }});
}

void add_mujoco_double_pendulum(Contest& contest) {
  namespace data = double_pendulum_data;
  contest.competitors.push_back({"MuJoCo", "implicit (step size)", {1e-2, 1e-3, 1e-4, 1e-5}, [](double step) {
                                   MujocoSimulator simulator(two_rods(step));
                                   double* q = simulator.data().qpos;
                                   double* v = simulator.data().qvel;
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

void add_mujoco_chain(const std::vector<double>& exact, Contest& contest) {
  contest.competitors.push_back(
      {"MuJoCo", "RK4 (step size)", {1e-2, 4e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5}, [exact](double step) {
         MujocoSimulator simulator(mujoco_chain(static_cast<int>(exact.size()), step));
         Run run = simulator.run(chain_end);
         run.error = 0;
         double angle = 0;
         for (std::size_t i = 0; i < exact.size(); ++i) {
           angle += simulator.data().qpos[i];
           run.error = std::max(run.error, angle_between(angle, exact[i]));
         }
         return run;
       }});
}

void add_mujoco_andrews(Contest& contest) {
  namespace data = andrews_data;
  contest.competitors.push_back(
      {"MuJoCo", "RK4 (step size)", {1e-4, 3e-5, 1e-5, 3e-6, 1e-6}, [](double step) {
         const std::array<data::Part, 7> parts = data::parts();
         MujocoSimulator simulator(andrews_model(step));
         simulator.data().qfrc_applied[data::K1 - 1] = data::mom;
         Run run = simulator.run(data::end_time);
         run.energy_drift = std::nan("");  // it is driven
         std::array<double, 7> q{};
         for (std::size_t i = 0; i < parts.size(); ++i) {
           const auto coordinate = static_cast<std::size_t>(parts[i].coordinate);
           q[coordinate] = data::initial[coordinate] + simulator.data().qpos[i];
         }
         run.error = data::worst_relative_error(q.data());
         return run;
       }});
}

}  // namespace peers
