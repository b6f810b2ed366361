#include "trammel/page/model_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/page/planar_view.h"
#include "trammel/page/report.h"
#include "trammel/page/summary_facts.h"
#include "trammel/page/viewer_data.h"
#include "trammel/page/viewer_page.h"

namespace trammel {

namespace {

// More lines than these cannot be told apart.
constexpr std::size_t lines_in_plot = 8;

// Columns of a page: of channels, or computed from them.
class PageColumns {
 public:
  explicit PageColumns(const Recording& recording) : recording_(recording) {}

  void add(const std::string& name, std::vector<double> values) {
    names_.push_back(name);
    values_.push_back(std::move(values));
  }

  // A plot of the channels of a group that have this unit.
  void add_plot(const std::string& title, const std::string& group, const std::string& unit) {
    PlotGroup plot{title, unit, {}};
    std::size_t count = 0;
    for (const Channel& channel : recording_.channels()) {
      if (channel.group != group || channel.unit != unit) continue;
      if (++count > lines_in_plot) continue;
      add(channel.name, channel.values);
      plot.columns.push_back(channel.name);
    }
    add_plot(std::move(plot), count);
  }

  void add_plot(PlotGroup plot, std::size_t count) {
    if (count > plot.columns.size())
      plot.title += fmt::format(" (the first {} of {})", plot.columns.size(), count);
    if (count > 0) groups_.push_back(std::move(plot));
  }

  const std::vector<PlotGroup>& groups() const { return groups_; }

  Trajectory trajectory(const MechanismRun& run) const {
    Trajectory result(names_);
    Vector row(static_cast<Index>(names_.size()));
    for (std::size_t i = 0; i < recording_.times().size(); ++i) {
      for (std::size_t k = 0; k < values_.size(); ++k) row[static_cast<Index>(k)] = values_[k][i];
      result.append(recording_.times()[i], row);
    }
    result.steps = run.steps();
    result.events = run.events();
    return result;
  }

 private:
  const Recording& recording_;
  std::vector<std::string> names_;
  std::vector<std::vector<double>> values_;
  std::vector<PlotGroup> groups_;
};

void add_reaction_plot(const Mechanism& mechanism, const Recording& recording, PageColumns& columns) {
  PlotGroup plot{"Reaction forces", "N", {}};
  std::size_t count = 0;
  for (const Joint& joint : mechanism.joints) {
    const std::string name = joint.name + ".reaction.force";
    const Channel *x = recording.find(name + ".x"), *y = recording.find(name + ".y"),
                  *z = recording.find(name + ".z");
    if (x == nullptr || y == nullptr || z == nullptr || ++count > lines_in_plot) continue;
    std::vector<double> size;
    for (std::size_t i = 0; i < x->values.size(); ++i)
      size.push_back(std::hypot(x->values[i], y->values[i], z->values[i]));
    columns.add(joint.name + ".reaction", std::move(size));
    plot.columns.push_back(joint.name + ".reaction");
  }
  columns.add_plot(std::move(plot), count);
}

// Without the script of the viewer.
std::string plain_page(const Model& model, const MechanismRun& run) {
  const Recording& recording = run.recording();
  ReportContent content;
  content.title = recording.title;
  content.subtitle = model.file;
  content.facts = summary_facts(run.summary());
  if (!run.settings().why_method.empty())
    content.facts.emplace_back("why this method", run.settings().why_method);
  content.facts.emplace_back("tolerances",
                             fmt::format("rtol = {}, atol = {}", run.settings().options.tolerances.relative,
                                         run.settings().options.tolerances.absolute));
  for (const auto& [name, value] : model.mechanism.parameters)
    content.facts.emplace_back(name, fmt::format("{}", value));
  content.notes = run.summary().notes;

  PageColumns columns(recording);
  std::vector<std::string> units;
  for (const Channel& channel : recording.channels())
    if (channel.group == "measures" && std::find(units.begin(), units.end(), channel.unit) == units.end())
      units.push_back(channel.unit);
  for (const std::string& unit : units) columns.add_plot("Measures", "measures", unit);
  columns.add_plot("Joint angles", "joints", "rad");
  columns.add_plot("Joint displacements", "joints", "m");
  columns.add_plot("Rates of joint angles", "joints", "rad/s");
  columns.add_plot("Rates of joint displacements", "joints", "m/s");
  if (model.mechanism.joints.empty()) columns.add_plot("Positions", "positions", "m");
  columns.add_plot("States", "states", "");
  columns.add_plot("Forces", "forces", "N");
  columns.add_plot("Torques", "forces", "N m");
  add_reaction_plot(model.mechanism, recording, columns);
  columns.add_plot("Energy", "energies", "J");
  content.groups = columns.groups();

  if (std::optional<PlanarView> view = planar_view(model, recording)) {
    content.drawing = std::move(view->drawing);
    for (auto& [name, values] : view->columns) columns.add(name, std::move(values));
  }
  return report_page(columns.trajectory(run), content);
}

}  // namespace

std::string model_page(const Model& model, const MechanismRun& run) {
  return has_viewer() ? viewer_page(run.recording().title, viewer_data(model, run)) : plain_page(model, run);
}

}  // namespace trammel
