#include "trammel/cli/trial_processes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "trammel/comparison/number_text.h"

namespace trammel {

namespace {

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// Remembers which methods took too long.
class Patience {
 public:
  explicit Patience(double timeout) : timeout_(timeout) {}

  void note(const Trial& trial, const Measurement& measurement) {
    if (measurement.outcome != Measurement::Outcome::timed_out) return;
    double& mildest = timed_out_[trial.method.label()];
    mildest = std::max(mildest, trial.rtol);
  }
  // What to say of a trial that is not worth a try.
  std::optional<Measurement> lost_on(const Trial& trial) const {
    const auto found = timed_out_.find(trial.method.label());
    if (found == timed_out_.end() || found->second < trial.rtol) return std::nullopt;
    Measurement result;
    result.message = fmt::format("at rtol {} it was not finished after {:g} s",
                                 scientific_text(found->second, 3), timeout_);
    return result;
  }

 private:
  double timeout_;
  std::map<std::string, double> timed_out_;  // by method, the mildest tolerance
};

}  // namespace

Measurement measurement_of(const ChildAnswer& answer, double timeout) {
  using End = ChildAnswer::End;
  Measurement result;
  result.message = answer.trouble();
  if (answer.end == End::interrupted) return result;
  if (answer.end == End::timed_out) {
    result.outcome = Measurement::Outcome::timed_out;
    result.message = fmt::format("not finished after {:g} s", timeout);
    return result;
  }
  try {
    if (answer.end == End::exited && answer.code == 0)
      return measurement_from_json(nlohmann::ordered_json::parse(answer.out));
  } catch (const std::exception& error) {
    result.message = fmt::format("gave no answer that can be read: {}", error.what());
  }
  result.outcome = answer.end == End::killed ? Measurement::Outcome::crashed : Measurement::Outcome::failed;
  if (const std::string said = last_line(answer.err); !said.empty()) result.message += ": " + said;
  return result;
}

TrialProcesses::TrialProcesses(Command command_of, ChildLimits limits, bool show_progress)
    : command_of_(std::move(command_of)),
      limits_(limits),
      shown_(show_progress && ::isatty(STDERR_FILENO) == 1) {}

TrialProcesses::~TrialProcesses() {
  if (on_screen_) std::fputs("\r\x1b[K", stderr);
}

void TrialProcesses::show(const std::vector<Trial>& trials, std::size_t finished, const std::string& now) {
  if (!shown_) return;
  const char* stage = trials.front().land_on_samples ? "reference" : "runs";
  std::fputs(fmt::format("\r{}: {} of {} done, {}\x1b[K", stage, finished, trials.size(), now).c_str(),
             stderr);
  std::fflush(stderr);
  on_screen_ = true;
}

void TrialProcesses::run(const std::vector<Trial>& trials, const TrialDone& done) {
  std::vector<std::vector<std::string>> commands;
  for (const Trial& trial : trials) commands.push_back(command_of_(trial));
  std::size_t finished = 0;
  std::string now;
  Patience patience(limits_.timeout);
  const auto wanted = [&](std::size_t i) {
    if (const std::optional<Measurement> lost = patience.lost_on(trials[i])) {
      ++finished;
      done(i, *lost);
      return false;
    }
    now = trials[i].label();
    show(trials, finished, now);
    return true;
  };
  run_children(commands, limits_, wanted, [&](std::size_t i, const ChildAnswer& answer) {
    show(trials, ++finished, now);
    Measurement measurement = measurement_of(answer, limits_.timeout);
    patience.note(trials[i], measurement);
    done(i, std::move(measurement));
  });
}

}  // namespace trammel
