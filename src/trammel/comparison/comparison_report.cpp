// A comparison as text for people: a table of all runs and what follows from it.
#include <fmt/format.h>

#include <algorithm>

#include "trammel/comparison/comparison.h"
#include "trammel/comparison/number_text.h"
#include "trammel/result/markup.h"

namespace trammel {

namespace {

constexpr std::size_t widest_method = 40;

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t length = count_characters(text);
  return text + std::string(length < width ? width - length : 0, ' ');
}

std::string right(const std::string& text, std::size_t width) {
  const std::size_t length = count_characters(text);
  return std::string(length < width ? width - length : 0, ' ') + text;
}

std::string failure_text(const Measurement& measurement) {
  return fmt::format("{}: {}", name(measurement.outcome), measurement.message);
}

std::string line_of(const ComparedPoint& point, bool& any_near) {
  const Measurement& m = point.measurement;
  std::string line = fmt::format("  {:>7}", scientific_text(point.trial.rtol, 3));
  if (!m.finished()) return line + "  " + failure_text(m);
  any_near = any_near || point.near_reference;
  const std::string error = point.error ? fmt::format("{:.2e}", *point.error) : "-";
  line += fmt::format("  {:>8}{}  {}  {:>7}  {:>8}  {:>11}  {:>9}  {:>9}  {:.0e} {:.0e} {:.0e}", error,
                      point.near_reference ? '~' : ' ', right(seconds_text(m.seconds), 8),
                      m.statistics.accepted, m.statistics.rejected(), m.statistics.evaluations,
                      m.statistics.jacobians, m.statistics.decompositions, m.violation.position,
                      m.violation.velocity, m.violation.acceleration);
  return point.error ? line : line + "  " + m.message;
}

}  // namespace

std::string text_report(const Comparison& comparison) {
  std::string text = comparison.name;
  if (!comparison.title.empty()) text += ": " + comparison.title;
  text += fmt::format("\nerror: {}\nreference: {}\n\n", comparison.measure_sentence(),
                      comparison.reference.sentence());
  std::size_t width = 6;
  for (const std::string& method : comparison.methods)
    width = std::min(std::max(width, count_characters(method)), widest_method);
  text +=
      padded("method", width) +
      "     rtol     error   CPU time    steps  rejected  evaluations  jacobians  decomp'ns  violation of "
      "p, v, a\n";
  bool any_near = false;
  for (const std::string& method : comparison.methods) {
    const std::vector<const ComparedPoint*> points = comparison.points_of(method);
    std::string name = padded(shorten(method, width), width);
    if (comparison.fails_alike(method)) {
      text += fmt::format("{}      all  {}\n", name, failure_text(points.front()->measurement));
      continue;
    }
    for (const ComparedPoint* point : points) {
      text += name + line_of(*point, any_near) + '\n';
      name.assign(width, ' ');
    }
  }
  if (any_near)
    text += fmt::format("~ less than {:g} times the accuracy of the reference\n", Reference::margin);
  text += '\n';
  for (const Recommendation& recommendation : comparison.recommendations)
    text += recommendation.sentence() + '\n';
  for (const std::string& note : comparison.notes) text += "note: " + note + '\n';
  return text;
}

}  // namespace trammel
