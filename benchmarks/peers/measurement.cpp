#include "measurement.h"

#include <algorithm>
#include <exception>
#include <limits>

namespace peers {

namespace {

// Errors above are those of another motion.
constexpr double other_motion = 0.3;

Run guarded_run(const Competitor& competitor, double tolerance) {
  try {
    return competitor.run(tolerance);
  } catch (const std::exception& error) {
    Run run;
    run.failure = error.what();
    return run;
  }
}

Run sample(const Competitor& competitor, double tolerance, const Effort& effort) {
  Run best = guarded_run(competitor, tolerance);
  // building a system is not in the clock, but takes its time too
  constexpr int most_runs = 100;
  double used = best.seconds;
  for (int i = 1; i < most_runs && best.failure.empty() && used < effort.shortest; ++i) {
    const Run run = guarded_run(competitor, tolerance);
    used += run.seconds;
    best.seconds = std::min(best.seconds, run.seconds);
  }
  return best;
}

bool wants_another(const Row& row, int taken, const Effort& effort) {
  const double seconds = row.seconds.front();
  if (!row.run.failure.empty() || seconds > effort.longest) return false;
  // chance evens out within a long run
  const int at_least = seconds <= effort.enough / 2 ? 3 : seconds <= effort.longest / 4 ? 2 : 1;
  const double all = static_cast<double>(taken + 1) * std::max(seconds, effort.shortest);
  return taken < at_least || all <= effort.enough;
}

// One sample of every competitor at its i-th tolerance, in turn.
void take_turns(const Contest& contest, const Effort& effort, std::size_t i, int repeat,
                std::vector<Outcome>& outcomes) {
  for (std::size_t one = 0; one < outcomes.size(); ++one) {
    const Competitor& competitor = contest.competitors[one];
    std::vector<Row>& rows = outcomes[one].rows;
    if (repeat == 0) {
      const bool ended = !rows.empty() && rows.back().seconds.front() > effort.longest;
      if (i >= competitor.tolerances.size() || ended) continue;
      const double tolerance = competitor.tolerances[i];
      const Run run = sample(competitor, tolerance, effort);
      rows.push_back({tolerance, run, {run.seconds}});
      continue;
    }
    // a ladder that has ended has no row for this tolerance
    if (rows.size() <= i || !wants_another(rows[i], repeat, effort)) continue;
    rows[i].seconds.push_back(sample(competitor, rows[i].tolerance, effort).seconds);
  }
}

// Runs that finished and that no other beats in time and error both, cheapest first.
std::vector<const Row*> lower_envelope(const std::vector<Row>& rows) {
  std::vector<const Row*> sorted, envelope;
  for (const Row& row : rows)
    if (row.run.failure.empty() && row.run.error < other_motion) sorted.push_back(&row);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Row* a, const Row* b) { return a->run.seconds < b->run.seconds; });
  for (const Row* row : sorted)
    if (envelope.empty() || row->run.error < envelope.back()->run.error) envelope.push_back(row);
  return envelope;
}

}  // namespace

std::optional<TimeToError> Outcome::time_to(double error) const {
  const std::vector<const Row*> envelope = lower_envelope(rows);
  const auto first = std::find_if(envelope.begin(), envelope.end(),
                                  [error](const Row* row) { return row->run.error <= error; });
  if (first == envelope.end()) return std::nullopt;
  const Run& tight = (*first)->run;
  if (first == envelope.begin()) return TimeToError{tight.seconds, true};
  const Run& mild = (*(first - 1))->run;
  // an error of zero has no logarithm
  const double least = std::max(tight.error, 1e-16);
  const double fraction = least < error ? std::log(mild.error / error) / std::log(mild.error / least) : 1;
  return TimeToError{std::pow(mild.seconds, 1 - fraction) * std::pow(tight.seconds, fraction), false};
}

const Row* Outcome::cheapest(double error, double violation) const {
  const Row* best = nullptr;
  for (const Row& row : rows) {
    if (!row.run.failure.empty() || !(row.run.error <= error)) continue;
    if (row.run.position_violation > violation) continue;  // of a tree: not a number
    if (best == nullptr || row.run.seconds < best->run.seconds) best = &row;
  }
  return best;
}

const Row* Outcome::at(double tolerance) const {
  for (const Row& row : rows)
    if (row.run.failure.empty() && std::abs(row.tolerance / tolerance - 1) < 1e-9) return &row;
  return nullptr;
}

double Outcome::least_error() const {
  double least = std::numeric_limits<double>::infinity();
  for (const Row& row : rows)
    if (row.run.failure.empty() && row.run.error < least) least = row.run.error;
  return least;
}

Result hold(Contest contest, const Effort& effort) {
  Result result{std::move(contest), {}};
  std::size_t longest_ladder = 0;
  for (const Competitor& competitor : result.contest.competitors) {
    result.outcomes.push_back({competitor.program, competitor.method, competitor.by_hand, {}});
    longest_ladder = std::max(longest_ladder, competitor.tolerances.size());
  }
  // repeats outside: samples of one run lie far apart in time
  for (int repeat = 0; repeat < effort.repeats; ++repeat)
    for (std::size_t i = 0; i < longest_ladder; ++i)
      take_turns(result.contest, effort, i, repeat, result.outcomes);
  for (Outcome& outcome : result.outcomes)
    for (Row& row : outcome.rows)
      row.run.seconds = std::max(*std::min_element(row.seconds.begin(), row.seconds.end()), 1e-6);  // a tick
  return result;
}

}  // namespace peers
