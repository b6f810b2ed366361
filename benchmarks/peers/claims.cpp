#include "claims.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "trammel/comparison/number_text.h"

namespace peers {

namespace {

using Which = std::function<bool(const Outcome&)>;

constexpr double any_violation = std::numeric_limits<double>::infinity();

ClaimedRun describe(const Outcome& outcome, const Row& row) {
  return {outcome.name() + " at " + trammel::scientific_text(row.tolerance), row.run.seconds, row.run.error};
}

ClaimedRun cheapest(const Result& result, const Which& which, double error, double violation) {
  ClaimedRun best;
  for (const Outcome& outcome : result.outcomes) {
    if (!which(outcome)) continue;
    const Row* row = outcome.cheapest(error, violation);
    if (row != nullptr && (best.method.empty() || row->run.seconds < best.seconds))
      best = describe(outcome, *row);
  }
  return best;
}

ClaimedRun at_tolerance(const Result& result, const std::string& name, double tolerance) {
  for (const Outcome& outcome : result.outcomes)
    if (const Row* row = outcome.at(tolerance); row != nullptr && outcome.name() == name)
      return describe(outcome, *row);
  return {};
}

// Between two tolerances.
ClaimedRun fastest_to(const Result& result, const Which& which, double error) {
  ClaimedRun best;
  for (const Outcome& outcome : result.outcomes) {
    const auto time = which(outcome) ? outcome.time_to(error) : std::nullopt;
    if (time && (best.method.empty() || time->seconds < best.seconds))
      best = {outcome.name(), time->seconds, error};
  }
  return best;
}

Claim four_bar_claim(const Result& result) {
  return {result.contest.name + " fixed",
          result.contest.title +
              ": cheapest run of Trammel within 1e-3 of the exact angle, over Simbody's "
              "RungeKuttaMerson, accuracy 1e-5, constraint tolerance 1e-11, projection in every step",
          cheapest(
              result, [](const Outcome& one) { return one.ours(); }, 1e-3, any_violation),
          at_tolerance(result, "Simbody RungeKuttaMerson", 1e-5)};
}

Claim andrews_claim(const Result& result, bool by_hand) {
  const double error = std::pow(10, -6.5), violation = 1e-10;
  const auto side = [&](bool ours) {
    return cheapest(
        result, [&](const Outcome& one) { return one.ours() == ours && one.by_hand == by_hand; }, error,
        violation);
  };
  return {
      by_hand ? "andrews by hand" : "andrews model",
      fmt::format("Andrews, 6.5 digits, constraints below 1e-10, {}: cheapest run of Trammel over that of "
                  "all others",
                  by_hand ? "equations by hand" : "from a model"),
      side(true), side(false)};
}

Claim double_pendulum_claim(const Result& result) {
  return {"double-pendulum 1e-4",
          "Stiff double pendulum to an error of 1e-4, from a model: fastest method of Trammel over Simbody's "
          "CPodes BDF",
          fastest_to(
              result, [](const Outcome& one) { return one.ours() && !one.by_hand; }, 1e-4),
          fastest_to(
              result, [](const Outcome& one) { return one.name() == "Simbody CPodes BDF"; }, 1e-4)};
}

std::string verdict(const Claim& claim) {
  if (!claim.measured()) return "not measured";
  return claim.holds() ? "yes" : "no";
}

std::string side_text(const ClaimedRun& run) {
  if (run.method.empty()) return "no run qualifies";
  return fmt::format("{}: {}, error {:.1e}", run.method, trammel::seconds_text(run.seconds), run.error);
}

std::string ratio_text(const Claim& claim) {
  return claim.measured() ? fmt::format("{:.2f}", claim.ratio()) : "-";
}

}  // namespace

std::vector<Claim> claims(const std::vector<Result>& results) {
  std::vector<Claim> list;
  for (const Result& result : results) {
    if (result.contest.name.rfind("n-four-bar-", 0) == 0) list.push_back(four_bar_claim(result));
    if (result.contest.name == "andrews") {
      list.push_back(andrews_claim(result, true));
      list.push_back(andrews_claim(result, false));
    }
    if (result.contest.name == "double-pendulum") list.push_back(double_pendulum_claim(result));
  }
  return list;
}

std::string table(const std::vector<Claim>& list) {
  if (list.empty()) return "";
  std::string text = "\nClaims: Trammel is faster\n";
  for (const Claim& claim : list)
    text += fmt::format("{:<13} ratio {:>5}  {}\n{:>22}{}\n{:>22}{}\n", verdict(claim), ratio_text(claim),
                        claim.statement, "", side_text(claim.ours), "", side_text(claim.theirs));
  return text;
}

std::string markdown(const std::vector<Claim>& list) {
  if (list.empty()) return "";
  std::string text =
      "\n### Claims\n\n| what is compared | Trammel | other | ratio | Trammel is faster |\n"
      "| --- | --- | --- | ---: | --- |\n";
  for (const Claim& claim : list)
    text += fmt::format("| {} | {} | {} | {} | {} |\n", claim.statement, side_text(claim.ours),
                        side_text(claim.theirs), ratio_text(claim), verdict(claim));
  return text;
}

nlohmann::ordered_json json(const std::vector<Claim>& list) {
  nlohmann::ordered_json result = nlohmann::ordered_json::array();
  const auto side = [](const ClaimedRun& run) {
    return nlohmann::ordered_json{{"method", run.method}, {"cpu_seconds", run.seconds}, {"error", run.error}};
  };
  for (const Claim& claim : list) {
    nlohmann::ordered_json one = {{"name", claim.name},
                                  {"statement", claim.statement},
                                  {"trammel", side(claim.ours)},
                                  {"other", side(claim.theirs)},
                                  {"holds", claim.holds()}};
    if (claim.measured()) one["trammel_over_other"] = claim.ratio();
    result.push_back(one);
  }
  return result;
}

}  // namespace peers
