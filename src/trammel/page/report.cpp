#include "trammel/page/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "trammel/page/planar_animation.h"
#include "trammel/page/planar_player.h"
#include "trammel/page/report_style.h"
#include "trammel/result/markup.h"
#include "trammel/result/svg_plot.h"

namespace trammel {
namespace {

constexpr std::size_t most_listed_events = 200;

// Collects the page from top to bottom.
class Page {
 public:
  Page(const Trajectory& trajectory, const ReportContent& content)
      : trajectory_(trajectory), content_(content) {
    for (const EventRecord& event : trajectory.events) marks_.push_back({event.t, event.name});
  }

  std::string text() {
    head();
    overview();
    notes();
    results();
    course();
    events();
    out_ += "</main>\n</body>\n</html>\n";
    return std::move(out_);
  }

 private:
  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  void head() {
    out_ += report_head(content_.title.empty() ? "Simulation" : content_.title, content_.subtitle, true);
  }

  // The motion and the facts, side by side where there is room.
  void overview() {
    if (!content_.drawing && content_.facts.empty()) return;
    out_ += "<div class=\"columns\">\n";
    if (content_.drawing) animation();
    if (!content_.facts.empty()) facts();
    out_ += "</div>\n";
  }

  void animation() {
    const PlanarAnimation animation = animate(*content_.drawing, trajectory_);
    out_ += "<section><h2>Motion</h2>\n<div class=\"card\">\n";
    if (animation.empty()) {
      out_ += "<p class=\"problem\">Nothing to draw.</p>\n";
    } else {
      out_ += planar_player(animation);
    }
    for (const std::string& problem : animation.problems)
      put("<p class=\"problem\">{}</p>\n", escape_markup(problem));
    out_ += "</div></section>\n";
  }

  void facts() {
    out_ += "<section><h2>Run</h2>\n<div class=\"card\"><table>\n";
    for (const auto& [name, value] : content_.facts) {
      put("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape_markup(name), escape_markup(value));
    }
    out_ += "</table></div></section>\n";
  }

  void notes() {
    if (content_.notes.empty()) return;
    out_ += "<section><h2>Notes</h2>\n<ul class=\"card notes\">\n";
    for (const std::string& note : content_.notes) put("<li>{}</li>\n", escape_markup(note));
    out_ += "</ul></section>\n";
  }

  void results() {
    if (content_.groups.empty()) return;
    out_ += "<section><h2>Results</h2>\n<div class=\"columns\">\n";
    for (const PlotGroup& group : content_.groups) result(group);
    out_ += "</div></section>\n";
  }

  void result(const PlotGroup& group) {
    std::vector<Series> series;
    std::string missing;
    for (const std::string& name : group.columns) {
      const Index column = trajectory_.column(name);
      if (column < 0) {
        missing += (missing.empty() ? "“" : ", “") + name + "”";
        continue;
      }
      Series line{name, trajectory_.times(), {}};
      line.y.reserve(line.x.size());
      for (Index i = 0; i < trajectory_.samples(); ++i) line.y.push_back(trajectory_.value(i, column));
      series.push_back(std::move(line));
    }
    plot(series, group.title, group.y_label, false,
         missing.empty() ? "" : "Not plotted, as there is no such column: " + missing + ".");
  }

  // How the integration went.
  void course() {
    out_ += "<section><h2>Accuracy and steps</h2>\n<div class=\"columns\">\n";
    plot({over_steps("positions", &StepRecord::position_violation),
          over_steps("velocities", &StepRecord::velocity_violation),
          over_steps("accelerations", &StepRecord::acceleration_violation)},
         "Constraint violation", "", true);
    plot({over_steps("", &StepRecord::h)}, "Step size", "", true);
    const auto& steps = trajectory_.steps;
    if (std::any_of(steps.begin(), steps.end(),
                    [](const StepRecord& step) { return step.invariant_error != 0; })) {
      plot({over_steps("", &StepRecord::invariant_error)}, "Error of the invariants", "", true);
    }
    out_ += "</div></section>\n";
  }

  // Sizes, for a logarithmic axis: a run back in time has negative steps.
  Series over_steps(std::string label, double StepRecord::*member) const {
    Series line{std::move(label), {}, {}};
    for (const StepRecord& step : trajectory_.steps) {
      line.x.push_back(step.t);
      line.y.push_back(std::abs(step.*member));
    }
    return line;
  }

  void plot(const std::vector<Series>& series, const std::string& title, const std::string& y_label,
            bool log_y, const std::string& problem = "") {
    PlotOptions options;
    options.title = title;
    options.x_label = content_.time_label;
    options.y_label = y_label;
    options.log_y = log_y;
    // text shrinks with the plot on a narrow screen: from this width it stays readable
    options.width = 460;
    options.height = 270;
    options.marks = marks_;
    put("<div class=\"card\">{}", svg_plot(series, options));
    if (!problem.empty()) put("<p class=\"problem\">{}</p>", escape_markup(problem));
    out_ += "</div>\n";
  }

  void events() {
    const std::vector<EventRecord>& events = trajectory_.events;
    if (events.empty()) return;
    put("<section><h2>Events</h2>\n<details class=\"card\"{}><summary>{} in all</summary><table>\n",
        events.size() <= 20 ? " open" : "", events.size());
    const std::size_t listed = std::min(events.size(), most_listed_events);
    for (std::size_t i = 0; i < listed; ++i) {
      put("<tr><th scope=\"row\">t = {:.9g}</th><td>{}</td></tr>\n", events[i].t,
          escape_markup(events[i].name));
    }
    out_ += "</table>";
    if (listed < events.size()) put("<p class=\"problem\">and {} more</p>", events.size() - listed);
    out_ += "</details></section>\n";
  }

  const Trajectory& trajectory_;
  const ReportContent& content_;
  std::vector<PlotMark> marks_;
  std::string out_;
};

}  // namespace

std::string report_page(const Trajectory& trajectory, const ReportContent& content) {
  return Page(trajectory, content).text();
}

}  // namespace trammel
