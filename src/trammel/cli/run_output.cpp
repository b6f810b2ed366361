#include "trammel/cli/run_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "trammel/cli/commands.h"
#include "trammel/cli/interruption.h"
#include "trammel/cli/messages.h"
#include "trammel/page/report.h"
#include "trammel/page/summary_facts.h"
#include "trammel/result/csv.h"
#include "trammel/result/recording.h"

namespace trammel {

namespace {

// The trajectory with the columns that are drawn but are no unknowns.
Trajectory with_drawn_columns(const Trajectory& trajectory, const std::vector<DrawnColumn>& columns) {
  if (columns.empty()) return trajectory;
  std::vector<std::string> names = trajectory.names();
  for (const DrawnColumn& column : columns) names.push_back(column.name);
  Trajectory result(names);
  Vector row(static_cast<Index>(names.size()));
  for (Index sample = 0; sample < trajectory.samples(); ++sample) {
    const Vector x = trajectory.state(sample);
    row.head(x.size()) = x;
    for (std::size_t i = 0; i < columns.size(); ++i)
      row[x.size() + static_cast<Index>(i)] = columns[i].value(x);
    result.append(trajectory.time(sample), row);
  }
  result.steps = trajectory.steps;
  result.events = trajectory.events;
  return result;
}

std::vector<PlotGroup> plot_groups(const Names& names) {
  std::vector<PlotGroup> groups;
  const auto add = [&](const char* title, const std::vector<std::string>& columns) {
    if (!columns.empty()) groups.push_back({title, "", columns});
  };
  add("Positions", names.p);
  add("Velocities", names.v);
  add("Force states", names.r);
  add("Auxiliary variables", names.w);
  add("Contact coordinates", names.s);
  add("Multipliers", names.lambda);
  add("Multipliers of nonholonomic constraints", names.mu);
  return groups;
}

}  // namespace

std::filesystem::path make_output_folder(const std::string& folder) {
  const std::filesystem::path path(folder);
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error))
    error = std::make_error_code(std::errc::not_a_directory);
  if (error)
    throw std::runtime_error(fmt::format("cannot create the folder '{}': {}", folder, error.message()));
  if (::access(path.c_str(), W_OK | X_OK) != 0)
    throw std::runtime_error(fmt::format("the folder '{}' cannot be written into", folder));
  return path;
}

void write_convergence(const std::filesystem::path& path, const Summary& summary, OutputFiles& files) {
  if (summary.convergence.empty()) return;
  files.write(path, [&](std::ostream& out) {
    out << "t,h,iterations,rate,converged\n";
    for (const NewtonRecord& record : summary.convergence)
      out << fmt::format("{},{},{},{},{}\n", record.t, record.h, record.iterations, record.rate,
                         record.converged ? 1 : 0);
  });
}

int exit_code_of(const Summary& summary) {
  if (summary.failure.reason == Reason::interrupted) return Interruption::exit_code();
  if (summary.ok()) return 0;
  const bool senseless =
      summary.failure.reason == Reason::invalid_options || summary.failure.reason == Reason::end_before_start;
  return senseless ? usage_error : run_failed;
}

void write_run_output(const std::filesystem::path& folder, const ProblemCase& problem,
                      const Trajectory& trajectory, const Summary& summary, nlohmann::ordered_json& json,
                      const RunDescription& description, OutputFiles& files) {
  ReportContent content;
  content.title = description.title;
  content.subtitle = description.subtitle;
  content.facts = summary_facts(summary);
  content.facts.insert(content.facts.end(), description.facts.begin(), description.facts.end());
  content.notes = summary.notes;
  content.groups = plot_groups(problem.equations->names());
  if (!problem.drawing.points.empty()) content.drawing = problem.drawing;

  files.write(folder / "trajectory.csv", [&](std::ostream& out) { write_csv(out, trajectory); });
  files.write(folder / "steps.csv", [&](std::ostream& out) { write_steps_csv(out, trajectory); });
  write_convergence(folder / "convergence.csv", summary, files);
  const Trajectory drawn = with_drawn_columns(trajectory, problem.drawn_columns);
  files.write(folder / "index.html", [&](std::ostream& out) { out << report_page(drawn, content); });
  files.tell(json);
  files.write(folder / "summary.json", json_text(json) + '\n');
}

}  // namespace trammel
