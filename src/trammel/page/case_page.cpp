#include "trammel/page/case_page.h"

#include <fmt/format.h>

#include <optional>
#include <sstream>

#include "trammel/motion/cartesian_equations.h"
#include "trammel/page/drawing_scene.h"
#include "trammel/page/mechanism_scene.h"
#include "trammel/page/page_text.h"
#include "trammel/page/run_page.h"

namespace trammel {

void write_viewer_data(const CaseRun& run, bool running, std::ostream& out) {
  PageContent content =
      run_content(run.summary(), run.recording(), run.settings(), run.events(), run.parameters(), running);
  content.subtitle = fmt::format("{} ({})", run.problem().summary, run.problem().source);
  if (const std::optional<double> digits = running ? std::nullopt : run.digits()) {
    content.facts.emplace_back("correct digits", fmt::format("{:.2f}", *digits));
    content.facts.emplace_back("error", fmt::format("{:.3g}: {}", *run.error(), run.problem().error_is));
  }
  const ProblemCase& instance = run.instance();
  content.scene = [&](std::ostream& to) {
    if (instance.mechanism != nullptr)
      write_mechanism_scene(instance.mechanism->mechanism(), instance.view, run.recording(), to);
    else
      to << page_text(drawing_scene(instance.drawing));
  };
  write_viewer_data(content, run.recording(), out);
}

std::string viewer_data(const CaseRun& run, bool running) {
  std::ostringstream text;
  write_viewer_data(run, running, text);
  return std::move(text).str();
}

}  // namespace trammel
