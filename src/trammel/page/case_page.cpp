#include "trammel/page/case_page.h"

#include <fmt/format.h>

#include <optional>

#include "trammel/motion/cartesian_equations.h"
#include "trammel/page/drawing_scene.h"
#include "trammel/page/mechanism_scene.h"
#include "trammel/page/run_page.h"

namespace trammel {

std::string viewer_data(const CaseRun& run, bool running) {
  PageContent content =
      run_content(run.summary(), run.recording(), run.settings(), run.events(), run.parameters(), running);
  content.subtitle = fmt::format("{} ({})", run.problem().summary, run.problem().source);
  if (const std::optional<double> digits = running ? std::nullopt : run.digits()) {
    content.facts.emplace_back("correct digits", fmt::format("{:.2f}", *digits));
    content.facts.emplace_back("error", fmt::format("{:.3g}: {}", *run.error(), run.problem().error_is));
  }
  const ProblemCase& instance = run.instance();
  content.scene = instance.mechanism != nullptr
                      ? mechanism_scene(instance.mechanism->mechanism(), instance.view, run.recording())
                      : drawing_scene(instance.drawing);
  return viewer_data(content, run.recording());
}

}  // namespace trammel
