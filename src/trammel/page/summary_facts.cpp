#include "trammel/page/summary_facts.h"

#include <fmt/format.h>

namespace trammel {

std::vector<std::pair<std::string, std::string>> summary_facts(const Summary& summary) {
  return {{"result", std::string(name(summary.status)) + ": " + summary.message()},
          {"method", summary.method},
          {"degrees of freedom", fmt::format("{}", summary.degrees_of_freedom)},
          {"steps",
           fmt::format("{} accepted, {} rejected by error, {} by convergence", summary.statistics.accepted,
                       summary.statistics.rejected_error, summary.statistics.rejected_convergence)},
          {"evaluations", fmt::format("{}", summary.statistics.evaluations)},
          {"largest violation",
           fmt::format("position {:.1e}, velocity {:.1e}, acceleration {:.1e}", summary.violation.position,
                       summary.violation.velocity, summary.violation.acceleration)}};
}

}  // namespace trammel
