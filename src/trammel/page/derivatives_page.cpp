#include "trammel/page/derivatives_page.h"

#include <fmt/format.h>

#include "trammel/comparison/number_text.h"
#include "trammel/page/page_style.h"
#include "trammel/result/markup.h"

namespace trammel {

namespace {

constexpr const char* pattern_style = R"css(
.scroll{overflow-x:auto}
.ways td,.ways th{white-space:nowrap;text-align:right;padding:2px 9px}
.ways td.text,.ways th.text{text-align:left}
.ways thead th{border-bottom:2px solid var(--line)}
.ways tr.best>*{font-weight:650}
.pattern{overflow-x:auto}
.pattern svg{width:auto;height:auto;max-width:100%;background:#fff}
.small{color:var(--muted);font-size:.85em}
)css";

const WayCost* fastest(const WayComparison& comparison) {
  const WayCost* best = nullptr;
  for (const WayCost& way : comparison.ways)
    if (way.failure.empty() && (best == nullptr || way.seconds < best->seconds)) best = &way;
  return best;
}

std::string cells(const WayCost& way) {
  if (!way.failure.empty())
    return fmt::format("<td class=\"text\" colspan=\"6\">not done: {}</td>", escape_markup(way.failure));
  return fmt::format("<td>{}</td><td>{:.3g}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>",
                     seconds_text(way.seconds), way.ratio,
                     way.preparation > 0 ? seconds_text(way.preparation) : "",
                     way.bytes > 0 ? fmt::format("{:.1f} kB", static_cast<double>(way.bytes) / 1024) : "",
                     way.directions, way.error > 0 ? scientific_text(way.error, 2) : "0");
}

std::string table_of(const WayComparison& comparison) {
  std::string text =
      "<div class=\"card scroll\"><table class=\"ways\">\n<thead><tr><th "
      "class=\"text\">way</th><th>Jacobian</th>"
      "<th>in evaluations</th><th>prepared in</th><th>memory</th><th>directions</th><th>error</th>"
      "<th class=\"text\">how</th></tr></thead>\n<tbody>\n";
  const WayCost* const best = fastest(comparison);
  for (const WayCost& way : comparison.ways)
    text += fmt::format("<tr{}><th class=\"text\">{}</th>{}<td class=\"text\">{}</td></tr>\n",
                        &way == best ? " class=\"best\"" : "", escape_markup(way.way), cells(way),
                        escape_markup(way.description));
  return text + "</tbody></table></div>\n";
}

std::string evaluations_of(const WayComparison& comparison) {
  std::string text = fmt::format("recorded, instruction by instruction {}, {} operations",
                                 seconds_text(comparison.recorded_seconds), comparison.operations);
  if (comparison.library_seconds > 0)
    text = fmt::format("by the library {}; ", seconds_text(comparison.library_seconds)) + text;
  if (comparison.generated_seconds > 0)
    text += fmt::format("; generated code {}", seconds_text(comparison.generated_seconds));
  return text;
}

}  // namespace

std::string pattern_title(const std::string& function, const std::string& model,
                          const WayComparison& comparison) {
  return fmt::format("Jacobian of {}, {}: {} x {}, {} entries", function, model, comparison.rows,
                     comparison.columns, comparison.pattern.entries());
}

std::string derivatives_page(const std::string& model, const ComparedFunctions& functions) {
  const std::string coordinates = functions.empty() ? "" : functions.front().second.coordinates;
  std::string page =
      page_head(fmt::format("Derivatives of {}", model), coordinates + " coordinates", pattern_style);
  for (const auto& [name, comparison] : functions) {
    page += fmt::format("<section><h2>{}</h2>\n", escape_markup(name));
    if (comparison.rows == 0) {
      page += "<p>There is nothing of it.</p></section>\n";
      continue;
    }
    page += table_of(comparison);
    page += fmt::format(
        "<p class=\"small\">One evaluation: {}. Times are those of the processor. Errors are relative to the "
        "largest entry of a row, against {}. {} colours.</p>\n<div class=\"card "
        "pattern\">{}</div></section>\n",
        evaluations_of(comparison), escape_markup(comparison.reference),
        colour_columns(comparison.pattern).colours,
        pattern_svg(comparison.pattern, pattern_title(name, model, comparison)));
  }
  return page + "</main></body></html>\n";
}

}  // namespace trammel
