// trammel dynamics: the terms of the equations of motion in joint coordinates at a state.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numbers>

#include "trammel/analysis/joint_dynamics.h"
#include "trammel/cli/chosen_values.h"
#include "trammel/cli/commands.h"
#include "trammel/cli/messages.h"
#include "trammel/cli/model_arguments.h"
#include "trammel/cli/model_state.h"
#include "trammel/cli/output_files.h"
#include "trammel/cli/plot_result.h"
#include "trammel/cli/settings.h"
#include "trammel/numerics/eigen_rare_instances.h"
#include "trammel/numerics/nearest_name.h"
#include "trammel/result/matrices_hdf5.h"
#include "trammel/simulation/recorded_states.h"

namespace trammel {

namespace {

struct DynamicsArguments : ModelArguments {
  std::vector<std::string> at, accelerations, forces, points;
  std::string of, out;
  std::optional<double> time;
};

const std::vector<std::string> point_rows{"velocity.x",         "velocity.y",         "velocity.z",
                                          "angular_velocity.x", "angular_velocity.y", "angular_velocity.z"};

// A vector with one number for each velocity, from values by the names of velocities or of their coordinates.
Vector along_velocities(const JointEquations& equations, const ChosenValues& values,
                        const std::string& option) {
  const std::vector<std::string>& names = equations.names().v;
  Vector result = Vector::Zero(equations.layout().v.size);
  for (const auto& [name, value] : values) {
    auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) found = std::find(names.begin(), names.end(), name + "_rate");
    if (found == names.end())
      throw std::invalid_argument(fmt::format("{}: the tree of joints has no velocity '{}'{}; it has {}",
                                              option, name, hint(name, names), fmt::join(names, ", ")));
    result[found - names.begin()] = value;
  }
  return result;
}

void check(const DynamicsArguments& arguments) {
  if (!arguments.of.empty() && !arguments.at.empty())
    throw std::invalid_argument("--of and --at both choose the state: one of them is enough");
  if (arguments.time && arguments.of.empty() && arguments.at.empty() && *arguments.time != 0)
    throw std::invalid_argument("--time is for --of or --at");
  if (arguments.coordinates == "cartesian" || arguments.coordinates == "cartesian-parameters")
    throw std::invalid_argument("these terms are those of joint coordinates: leave --coordinates away");
  check_is_finite("--time", arguments.time);
}

// The state that was asked for.
Failure take_state(const DynamicsArguments& arguments, const Model& model, JointDynamics& dynamics) {
  Vector x;
  double t = arguments.time.value_or(0);
  if (!arguments.of.empty()) {
    const PlotResult result = read_plot_result(arguments.of);
    if (result.recording.times().empty()) throw std::invalid_argument(arguments.of + " has no samples");
    RecordedStates states(dynamics.equations(), result.recording);
    const Index sample = states.nearest(arguments.time.value_or(result.recording.times().back()));
    states.state(sample, x);
    t = states.time(sample);
  } else {
    const ChosenValues values = chosen_values(arguments.at, model.mechanism, "--at");
    if (Failure failure = find_chosen_state(model.mechanism, dynamics.equations(), t, values, x))
      return failure;
  }
  dynamics.set_state(t, x);
  return {};
}

// All that was asked for, one matrix each.
class Report {
 public:
  Report(JointDynamics& dynamics, const DynamicsArguments& arguments, const Mechanism& mechanism)
      : dynamics_(dynamics), names_(dynamics.equations().names().v) {
    state();
    add("mass", "M, mass matrix", names_, names_, dynamics.mass());
    add("bias", "c, forces for Coriolis, centrifugal and gravity terms", names_, dynamics.bias());
    add("gravity", "forces that hold against gravity", names_, dynamics.gravity());
    add("own_forces", "Q, what the model's springs, dampers, friction and contacts do", names_,
        dynamics.own_forces());
    loops();
    inverse(along_velocities(dynamics.equations(),
                             chosen_values(arguments.accelerations, mechanism, "--accelerations"),
                             "--accelerations"));
    forward(along_velocities(dynamics.equations(), chosen_values(arguments.forces, mechanism, "--forces"),
                             "--forces"));
    for (const std::string& name : arguments.points) point(name);
  }

  const std::vector<NamedMatrix>& matrices() const { return matrices_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void add(const std::string& name, const std::string& description, const std::vector<std::string>& rows,
           const std::vector<std::string>& columns, const Matrix& values) {
    matrices_.push_back({name, description, rows, columns, values});
  }
  void add(const std::string& name, const std::string& description, const std::vector<std::string>& rows,
           const Vector& values) {
    add(name, description, rows, {}, values);
  }

  void state() {
    const Layout& l = dynamics_.equations().layout();
    add("positions", "q", dynamics_.equations().names().p, dynamics_.state().segment(l.p.begin, l.p.size));
    add("velocities", "u", names_, dynamics_.state().segment(l.v.begin, l.v.size));
  }

  void loops() {
    if (dynamics_.loop_rows() == 0) return;
    const Names& names = dynamics_.equations().names();
    std::vector<std::string> rows = names.g;
    rows.insert(rows.end(), names.h.begin(), names.h.end());
    add("loop_jacobian", "D, rows of the joints that close loops: D u' = -gamma", rows, names_,
        dynamics_.loop_jacobian());
    add("loop_drift", "gamma", rows, dynamics_.loop_drift());
    const JointDynamics::LoopMotion& motion = dynamics_.loop_motion();
    std::vector<std::string> free;
    for (const Index k : motion.free) free.push_back(names_[at_index(k)]);
    add("loop_motion", "R: u = R z, the velocities that the loops allow by those that are free", names_, free,
        motion.R);
    add("loop_mass", "R' M R, mass matrix along the free velocities", free, free, motion.mass);
    add("loop_bias", "R' (c + M u'0), bias forces along the free velocities", free, motion.bias);
  }

  void inverse(const Vector& accelerations) {
    Vector forces(names_.size());
    dynamics_.inverse_dynamics(accelerations, forces);
    add("given_accelerations", "u' that inverse dynamics was asked for", names_, accelerations);
    add("required_forces",
        dynamics_.loop_rows() == 0 ? "tau = M u' + c - Q, inverse dynamics"
                                   : "tau = M u' + c - Q, inverse dynamics of the tree, loops open",
        names_, forces);
  }

  void forward(const Vector& forces) {
    Vector accelerations(names_.size()), loop_forces(dynamics_.loop_rows());
    add("given_forces", "tau that forward dynamics was asked for", names_, forces);
    if (dynamics_.forward_dynamics(forces, accelerations, loop_forces))
      add("accelerations", "u' for these forces, forward dynamics", names_, accelerations);
    else
      notes_.push_back("the masses do not determine the accelerations: a body that can move has none");
  }

  void point(const std::string& name) {
    const JointDynamics::BodyPoint point = dynamics_.point(name);
    Matrix jacobian(6, static_cast<Index>(names_.size()));
    dynamics_.jacobian(point, jacobian);
    add(name + ".jacobian", "J, velocity of the point and angular velocity in world axes by u", point_rows,
        names_, jacobian);
    add(name + ".jacobian_drift", "J' u, accelerations of the point for u' = 0", point_rows,
        dynamics_.jacobian_drift(point));
    SixBySix mobility;
    if (!dynamics_.operational_mobility(point, mobility)) return;
    add(name + ".operational_mobility", "J inv(M) J', loops closed", point_rows, point_rows, mobility);
    inertia(name + ".operational_inertia", "of the point's three translations",
            mobility.topLeftCorner<3, 3>(), 3);
    inertia(name + ".operational_inertia_6", "of translations and rotations", mobility, 6);
  }

  // The inverse of a mobility, or, where some directions cannot be moved, the one of those that can.
  void inertia(const std::string& name, const std::string& of, const Matrix& mobility, Index size) {
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(Matrix((mobility + mobility.transpose()) / 2));
    const double largest = solver.eigenvalues().maxCoeff();
    Vector inverse = Vector::Zero(size);
    Index immovable = 0;
    for (Index i = 0; i < size; ++i)
      if (solver.eigenvalues()[i] > 1e-10 * largest)
        inverse[i] = 1 / solver.eigenvalues()[i];
      else
        ++immovable;
    std::string description = "operational-space inertia " + of;
    if (immovable > 0)
      description += fmt::format("; in {} of {} directions it cannot be moved, zero there", immovable, size);
    const std::vector<std::string> rows(point_rows.begin(), point_rows.begin() + size);
    add(name, description, rows, rows,
        solver.eigenvectors() * inverse.asDiagonal() * solver.eigenvectors().transpose());
  }

  JointDynamics& dynamics_;
  const std::vector<std::string>& names_;
  std::vector<NamedMatrix> matrices_;
  std::vector<std::string> notes_;
};

std::string text_of(const NamedMatrix& matrix) {
  constexpr std::size_t most_columns = 12;
  constexpr Index most_rows = 40;
  std::string text = fmt::format("{}: {}\n", matrix.name, matrix.description);
  if (matrix.columns.size() > most_columns || matrix.values.rows() > most_rows)
    return text + fmt::format("  {} x {}: see --json or --out\n", matrix.values.rows(), matrix.values.cols());
  std::size_t first = 0, width = 13;
  for (const std::string& row : matrix.rows) first = std::max(first, row.size());
  for (const std::string& column : matrix.columns) width = std::max(width, column.size());
  if (!matrix.columns.empty()) {
    text += std::string(first + 2, ' ');
    for (const std::string& column : matrix.columns) text += fmt::format(" {:>{}}", column, width);
    text += '\n';
  }
  for (Index i = 0; i < matrix.values.rows(); ++i) {
    text += fmt::format("  {:<{}}", matrix.rows[at_index(i)], first);
    for (Index k = 0; k < matrix.values.cols(); ++k)
      text += fmt::format(" {:>{}.7g}", without_noise(matrix.values(i, k)), width);
    text += '\n';
  }
  return text;
}

nlohmann::ordered_json json_of(const NamedMatrix& matrix) {
  nlohmann::ordered_json json{{"description", matrix.description}, {"rows", matrix.rows}};
  if (!matrix.columns.empty()) json["columns"] = matrix.columns;
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (Index i = 0; i < matrix.values.rows(); ++i) {
    if (matrix.columns.empty()) {
      values.push_back(number_or_null(matrix.values(i, 0)));
      continue;
    }
    nlohmann::ordered_json row = nlohmann::ordered_json::array();
    for (Index k = 0; k < matrix.values.cols(); ++k) row.push_back(number_or_null(matrix.values(i, k)));
    values.push_back(std::move(row));
  }
  json["values"] = std::move(values);
  return json;
}

int show_dynamics(const DynamicsArguments& arguments, const Model& model) {
  check(arguments);
  // before anything of that size is made
  constexpr Index largest = 2000;
  const std::vector<char> none(model.mechanism.joints.size(), 0);
  if (const Index velocities = JointTree(model.mechanism, none).velocities(); velocities > largest)
    throw std::invalid_argument(
        fmt::format("{} velocities: matrices of more than {} are not written out", velocities, largest));
  JointDynamics dynamics(model.mechanism);
  nlohmann::ordered_json json{{"status", "computed"}, {"message", ""}, {"model", model.file}};
  if (const Failure failure = take_state(arguments, model, dynamics))
    return tell_failure(arguments.json, failure, json);
  const Report report(dynamics, arguments, model.mechanism);
  json["t"] = dynamics.time();
  json["notes"] = report.notes();
  for (const NamedMatrix& matrix : report.matrices()) json[matrix.name] = json_of(matrix);
  OutputFiles files;
  if (!arguments.out.empty())
    files.note(arguments.out,
               write_hdf5(arguments.out, report.matrices(),
                          {{"model", model.file}, {"t", fmt::format("{:.17g}", dynamics.time())}}));
  files.tell(json);
  files.print_errors();
  if (arguments.json) {
    print_json(json);
    return files.exit_code(0);
  }
  fmt::print("{}: at t = {:.6g}, {} velocities, {} loop equations; SI units, world axes\n", model.file,
             dynamics.time(), dynamics.velocities(), dynamics.loop_rows());
  for (const std::string& note : report.notes()) fmt::print("note: {}\n", note);
  for (const NamedMatrix& matrix : report.matrices()) fmt::print("{}", text_of(matrix));
  if (!files.written().empty()) fmt::print("written: {}\n", fmt::join(files.written(), " "));
  return files.exit_code(0);
}

}  // namespace

void add_dynamics_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "dynamics",
      "Mass matrix, bias and gravity forces, inverse and forward dynamics, Jacobians at a state.");
  auto arguments = std::make_shared<DynamicsArguments>();
  add_model_arguments(*command, *arguments);
  const auto add_list = [&](const char* option, std::vector<std::string>& list, const char* description) {
    command->add_option(option, list, description)->allow_extra_args(false);
  };
  add_list("--at", arguments->at,
           "The state: \"A.angle=30 deg,B.angle_rate=2\" (default: the initial state).");
  command->add_option("--of", arguments->of,
                      "The state from a result: the folder of a run, or one of its files.");
  command->add_option("--time", arguments->time,
                      "Of that result, or for laws of time (default: its end, or 0).");
  add_list("--accelerations", arguments->accelerations,
           "For inverse dynamics: \"A.angle=1.5,...\" (default: none).");
  add_list("--forces", arguments->forces,
           "For forward dynamics, along coordinates: \"A.angle=3\" (default: none).");
  command
      ->add_option("--point", arguments->points,
                   "Markers or bodies whose Jacobians are wanted, with commas between.")
      ->allow_extra_args(false)
      ->delimiter(',');
  command->add_option("--out", arguments->out, "Write all of it as this HDF5 file.");
  command->callback([arguments, &exit_code] {
    complete_model_arguments(*arguments);
    exit_code = with_model(*arguments, [&](Model& model) { return show_dynamics(*arguments, model); });
  });
}

}  // namespace trammel
