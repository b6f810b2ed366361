#include "scaling_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "trammel/result/svg_plot.h"

namespace peers {

namespace {

constexpr int fitted_from = 100;

// The slope through (logarithm of bodies, logarithm of value), by least squares.
double slope(const std::vector<std::pair<double, double>>& values) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [bodies, value] : values) {
    if (bodies < fitted_from || !(value > 0)) continue;
    const double x = std::log(bodies), y = std::log(value);
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return n < 2 ? std::nan("") : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

std::string exponent_text(double exponent) {
  return std::isfinite(exponent) ? fmt::format("{:.2f}", exponent) : "-";
}

std::string figure(const Growth& growth, const std::string& y_label, double factor,
                   double (Point::*value)() const) {
  std::vector<trammel::Series> lines;
  for (const Curve& curve : growth.curves) {
    trammel::Series line{curve.name, {}, {}};
    for (const Point& point : curve.points) {
      line.x.push_back(point.bodies);
      line.y.push_back(factor * (point.*value)());
    }
    if (!line.x.empty()) lines.push_back(line);
  }
  trammel::PlotOptions options;
  options.title = growth.title;
  options.x_label = "bodies";
  options.y_label = y_label;
  options.log_x = options.log_y = options.markers = true;
  options.width = 760;
  options.height = 420;
  return trammel::svg_plot(lines, options);
}

}  // namespace

double Curve::exponent_of_step() const {
  std::vector<std::pair<double, double>> values;
  for (const Point& point : points) values.emplace_back(point.bodies, point.per_step());
  return slope(values);
}

double Curve::exponent_of_memory() const {
  std::vector<std::pair<double, double>> values;
  for (const Point& point : points)
    values.emplace_back(point.bodies, point.added_megabytes() - points.front().added_megabytes());
  return slope(values);
}

std::string table(const Growth& growth) {
  std::string text =
      fmt::format("\n{}\n{:<28} {:>7} {:>5} {:>11} {:>10} {:>10} {:>9} {:>9}\n", growth.title, "", "bodies",
                  "steps", "ms/step", "us/st/body", "us/eval", "peak MB", "MB added");
  for (const Curve& curve : growth.curves) {
    for (const Point& point : curve.points)
      text += fmt::format("{:<28} {:>7} {:>5.0f} {:>11.4f} {:>10.2f} {:>10.1f} {:>9.1f} {:>9.1f}\n",
                          curve.name, point.bodies, point.measured.run.steps, 1e3 * point.per_step(),
                          1e6 * point.per_step() / point.bodies, 1e6 * point.per_evaluation(),
                          point.measured.peak_megabytes, point.added_megabytes());
    text += fmt::format("{:<28} exponent from {} bodies on: of a step {}, of memory {}{}\n", curve.name,
                        fitted_from, exponent_text(curve.exponent_of_step()),
                        exponent_text(curve.exponent_of_memory()),
                        curve.end.empty() ? "" : "; ended: " + curve.end);
  }
  return text;
}

std::string markdown(const Growth& growth) {
  std::string text = fmt::format(
      "\n### {}\n\n| method | largest | ms a step there | µs a step and body | peak MB | exponent of a step "
      "| of memory "
      "| why no larger |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n",
      growth.title);
  for (const Curve& curve : growth.curves) {
    if (curve.points.empty()) {
      text += fmt::format("| {} | - | - | - | - | - | - | {} |\n", curve.name, curve.end);
      continue;
    }
    const Point& last = curve.points.back();
    text += fmt::format("| {} | {} | {:.3g} | {:.2f} | {:.0f} | {} | {} | {} |\n", curve.name, last.bodies,
                        1e3 * last.per_step(), 1e6 * last.per_step() / last.bodies,
                        last.measured.peak_megabytes, exponent_text(curve.exponent_of_step()),
                        exponent_text(curve.exponent_of_memory()), curve.end);
  }
  return text;
}

nlohmann::ordered_json json(const Growth& growth) {
  nlohmann::ordered_json curves = nlohmann::ordered_json::array();
  for (const Curve& curve : growth.curves) {
    nlohmann::ordered_json points = nlohmann::ordered_json::array();
    for (const Point& point : curve.points)
      points.push_back({{"bodies", point.bodies},
                        {"steps", point.measured.run.steps},
                        {"evaluations", point.measured.run.evaluations},
                        {"cpu_seconds_per_step", point.per_step()},
                        {"cpu_seconds_per_evaluation", point.per_evaluation()},
                        {"cpu_seconds_of_process", point.measured.total_seconds},
                        {"peak_megabytes", point.measured.peak_megabytes},
                        {"added_megabytes", point.added_megabytes()}});
    curves.push_back({{"method", curve.name},
                      {"exponent_of_step", curve.exponent_of_step()},
                      {"exponent_of_memory", curve.exponent_of_memory()},
                      {"ended", curve.end},
                      {"points", points}});
  }
  return {{"mechanism", growth.name}, {"title", growth.title}, {"curves", curves}};
}

std::string time_figure(const Growth& growth) {
  return figure(growth, "CPU time of a step [ms]", 1e3, &Point::per_step);
}

std::string memory_figure(const Growth& growth) {
  return figure(growth, "memory [MB]", 1, &Point::added_megabytes);
}

}  // namespace peers
