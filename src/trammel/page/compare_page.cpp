#include "trammel/page/compare_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "trammel/comparison/number_text.h"
#include "trammel/page/page_style.h"
#include "trammel/result/markup.h"
#include "trammel/result/svg_plot.h"

namespace trammel {

namespace {

constexpr const char* own_style = R"css(
.scroll{overflow-x:auto}
.below{margin-top:16px}
.runs td,.runs th,.costs td,.costs th{white-space:nowrap}
.runs td:not(.text),.runs th:not(.text),.costs td,.costs th:not(.text){text-align:right}
.runs thead th,.costs thead th{border-bottom:2px solid var(--line)}
.runs tr.first>*{border-top:2px solid var(--line)}
.runs td.text{white-space:normal;min-width:22em;color:var(--muted)}
.best{font-weight:650}
.small{color:var(--muted);font-size:.85em}
.runs{font-size:.87rem}
.runs td,.runs th{padding:2px 7px}
)css";

using Value = std::function<double(const ComparedPoint&)>;

std::string described(const ComparedPoint& point) {
  std::string text =
      fmt::format("{}: {}, {} evaluations", point.trial.label(), seconds_text(point.measurement.seconds),
                  point.measurement.statistics.evaluations);
  if (point.error) text += fmt::format(", error {:.2e}", *point.error);
  return text;
}

// A curve for each method, in their order, so that colours and markers are the same in all diagrams.
std::vector<Series> curves(const Comparison& comparison, const Value& x, const Value& y, bool need_error) {
  std::vector<Series> all;
  for (const std::string& method : comparison.methods) {
    Series series{method, {}, {}};
    for (const ComparedPoint& point : comparison.points) {
      if (point.trial.method.label() != method || !point.measurement.finished()) continue;
      if (need_error && !point.error) continue;
      series.x.push_back(x(point));
      series.y.push_back(y(point));
      series.point_labels.push_back(described(point));
      series.hollow.push_back(need_error && point.near_reference);
    }
    if (series.x.empty()) series.label += " (none)";
    all.push_back(std::move(series));
  }
  return all;
}

PlotOptions diagram(const std::string& title, const std::string& x_label, const std::string& y_label,
                    DiagramSize size) {
  PlotOptions options;
  options.title = title;
  options.x_label = x_label;
  options.y_label = y_label;
  options.log_x = options.log_y = options.descending_x = options.markers = true;
  options.width = size.width;
  options.height = size.height;
  return options;
}

PlotOptions error_diagram(const Comparison& comparison, const std::string& what, const std::string& y_label,
                          DiagramSize size) {
  PlotOptions options = diagram(comparison.name + ": " + what, "error (smaller to the right)", y_label, size);
  if (comparison.reference.accuracy)
    options.marks.push_back({*comparison.reference.accuracy, "accuracy of the reference"});
  return options;
}

double error(const ComparedPoint& point) { return point.error.value_or(0); }

// Collects the page from top to bottom.
class Page {
 public:
  explicit Page(const Comparison& comparison) : comparison_(comparison) {}

  std::string text() {
    head();
    costs();
    diagrams();
    runs();
    explanation();
    out_ += "</main>\n</body>\n</html>\n";
    return std::move(out_);
  }

 private:
  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  void head() {
    std::string subtitle = comparison_.title;
    if (!comparison_.source.empty()) subtitle += " (" + comparison_.source + ")";
    out_ += page_head(comparison_.name + ": methods compared", subtitle, own_style);
  }

  // What each method needs for each error; the fastest stands out.
  void costs() {
    if (comparison_.recommendations.empty()) return;
    out_ +=
        "<section><h2>Which method is fastest</h2>\n<div class=\"card scroll\"><table class=\"costs\">\n"
        "<thead><tr><th class=\"text\">CPU time for an error of</th>";
    for (const Recommendation& wanted : comparison_.recommendations)
      put("<th>{}</th>", scientific_text(wanted.wanted, 3));
    out_ += "</tr></thead>\n";
    for (const std::string& method : comparison_.methods) {
      put("<tr><th scope=\"row\" class=\"text\">{}</th>", escape_markup(method));
      for (const Recommendation& wanted : comparison_.recommendations) cost(wanted, method);
      out_ += "</tr>\n";
    }
    out_ += "</table>\n";
    for (const Recommendation& wanted : comparison_.recommendations)
      if (wanted.ranking.empty()) put("<p class=\"problem\">{}</p>\n", escape_markup(wanted.sentence()));
    out_ +=
        "<p class=\"problem\">Read off the curves, in logarithms between two runs; the tolerance that gives "
        "this error stands beside it. ≤: the mildest tolerance that was tried is more accurate than "
        "that.</p></div></section>\n";
  }

  void cost(const Recommendation& wanted, const std::string& method) {
    const auto found = std::find_if(wanted.ranking.begin(), wanted.ranking.end(),
                                    [&](const MethodCost& entry) { return entry.method == method; });
    if (found == wanted.ranking.end()) {
      out_ += "<td>–</td>";
      return;
    }
    put("<td{}>{}{} <span class=\"small\">rtol {}</span></td>",
        found == wanted.ranking.begin() ? " class=\"best\"" : "", found->cost.at_most ? "≤ " : "",
        escape_markup(seconds_text(found->cost.seconds)), scientific_text(found->cost.rtol));
  }

  void diagrams() {
    out_ += "<section><h2>Work and precision</h2>\n";
    put("<div class=\"card\">{}</div>\n", time_diagram(comparison_, {900, 440}));
    out_ += "<div class=\"columns below\">\n";
    put("<div class=\"card\">{}</div>\n", evaluations_diagram(comparison_, {480, 320}));
    put("<div class=\"card\">{}</div>\n", violation_diagram(comparison_, {480, 320}));
    out_ += "</div></section>\n";
  }

  void runs() {
    out_ +=
        "<section><h2>All runs</h2>\n<div class=\"card scroll\"><table class=\"runs\">\n<thead><tr>"
        "<th class=\"text\">method</th><th>rtol</th><th>error</th><th>CPU time</th><th>steps</th>"
        "<th>rejected</th><th>evaluations</th><th>Jacobians</th><th>decomp’s</th>"
        "<th>violation p</th><th>v</th><th>a</th></tr></thead>\n";
    for (const std::string& method : comparison_.methods) {
      const std::vector<const ComparedPoint*> points = comparison_.points_of(method);
      const bool in_one = comparison_.fails_alike(method);
      for (const ComparedPoint* point : points) {
        const bool first = point == points.front();
        put("<tr{}><th scope=\"row\" class=\"text\">{}</th><td>{}</td>", first ? " class=\"first\"" : "",
            first ? escape_markup(method) : "", in_one ? "all" : scientific_text(point->trial.rtol, 3));
        run(*point);
        out_ += "</tr>\n";
        if (in_one) break;
      }
    }
    out_ += "</table></div></section>\n";
  }

  void run(const ComparedPoint& point) {
    const Measurement& m = point.measurement;
    if (!m.finished()) {
      put("<td colspan=\"10\" class=\"text\">{}: {}</td>", name(m.outcome), escape_markup(m.message));
      return;
    }
    if (point.error)
      put("<td>{}{:.2e}</td>", point.near_reference ? "~ " : "", *point.error);
    else
      put("<td class=\"text\">{}</td>", escape_markup(m.message));
    put("<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.1e}</td><td>{:.1e}</td>"
        "<td>{:.1e}</td>",
        escape_markup(seconds_text(m.seconds)), m.statistics.accepted, m.statistics.rejected(),
        m.statistics.evaluations, m.statistics.jacobians, m.statistics.decompositions, m.violation.position,
        m.violation.velocity, m.violation.acceleration);
  }

  void explanation() {
    out_ += "<section><h2>How it was measured</h2>\n<div class=\"card\"><table>\n";
    const auto row = [this](const char* key, const std::string& value) {
      put("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", key, escape_markup(value));
    };
    row("error", comparison_.measure_sentence());
    if (comparison_.measure != ErrorMeasure::published)
      row("scale",
          "lengths of bodies by the largest distance from the origin that any has, Euler parameters "
          "by one; other positions each by its largest size, at least by a hundredth of the largest "
          "of all");
    row("reference", comparison_.reference.sentence());
    for (const ReferenceRun& run : comparison_.reference.runs)
      row("", fmt::format("{}: {}", run.trial.label(),
                          run.difference ? fmt::format("differs by {:.1e}", *run.difference)
                          : run.outcome == Measurement::Outcome::finished
                              ? std::string("taken as the reference")
                              : fmt::format("{}: {}", name(run.outcome), run.message)));
    row("~, outlined", fmt::format("less than {:g} times the accuracy of the reference: the error may be as "
                                   "much the reference's as the run's",
                                   Reference::margin));
    row("CPU time",
        "of the integration with the assembly of its initial state, without output; the median "
        "where a run was repeated");
    row("violation",
        "largest residual of the constraints after any step, at the levels of positions, "
        "velocities and accelerations");
    for (const std::string& note : comparison_.notes) row("note", note);
    out_ += "</table></div></section>\n";
  }

  const Comparison& comparison_;
  std::string out_;
};

}  // namespace

std::string time_diagram(const Comparison& comparison, DiagramSize size) {
  return svg_plot(
      curves(
          comparison, error, [](const ComparedPoint& point) { return point.measurement.seconds; }, true),
      error_diagram(comparison, "error and CPU time", "CPU time [s]", size));
}

std::string evaluations_diagram(const Comparison& comparison, DiagramSize size) {
  const auto evaluations = [](const ComparedPoint& point) {
    return static_cast<double>(point.measurement.statistics.evaluations);
  };
  return svg_plot(curves(comparison, error, evaluations, true),
                  error_diagram(comparison, "error and evaluations", "evaluations of the equations", size));
}

std::string violation_diagram(const Comparison& comparison, DiagramSize size) {
  const auto rtol = [](const ComparedPoint& point) { return point.trial.rtol; };
  const auto violation = [](const ComparedPoint& point) { return point.measurement.violation.position; };
  return svg_plot(curves(comparison, rtol, violation, false),
                  diagram(comparison.name + ": violation of position constraints", "relative tolerance",
                          "largest violation of positions", size));
}

std::string comparison_page(const Comparison& comparison) { return Page(comparison).text(); }

}  // namespace trammel
