#include "trammel/cli/real_time.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "trammel/cli/interruption.h"

namespace trammel {

namespace {

using Clock = std::chrono::steady_clock;

// States from the thread that steps to the one that records, without waiting and without allocating.
class StateQueue {
 public:
  StateQueue(std::size_t size, Index unknowns) : states_(size) {
    for (State& state : states_) state.x.resize(unknowns);
  }
  // False if there is no room.
  bool put(double t, const Vector& x) {
    const std::size_t at = written_.load(std::memory_order_relaxed);
    if (at - read_.load(std::memory_order_acquire) == states_.size()) return false;
    State& state = states_[at % states_.size()];
    state.t = t;
    state.x = x;
    written_.store(at + 1, std::memory_order_release);
    return true;
  }
  // Calls take(t, x) for all that are there.
  template <class Take>
  void take_all(const Take& take) {
    std::size_t at = read_.load(std::memory_order_relaxed);
    for (const std::size_t end = written_.load(std::memory_order_acquire); at != end; ++at) {
      const State& state = states_[at % states_.size()];
      take(state.t, state.x);
      read_.store(at + 1, std::memory_order_release);
    }
  }

 private:
  struct State {
    double t = 0;
    Vector x;
  };
  std::vector<State> states_;
  std::atomic<std::size_t> written_{0}, read_{0};
};

}  // namespace

PaceReport keep_pace(MechanismRun& run, RealTimeRun& steps, RunFiles& files) {
  using namespace std::chrono_literals;
  PaceReport report;
  const double interval = run.settings().output_interval;
  constexpr std::size_t room = 4096;
  StateQueue queue(room, run.equations().layout().total);
  bool on = steps.start();
  if (on) queue.put(steps.t(), steps.state());

  std::atomic<bool> over{false};
  std::thread recording([&] {
    for (bool last = false; !last;) {
      last = over.load();
      queue.take_all([&](double t, const Vector& x) {
        run.record(t, x);
        steps.watch(t, x);
      });
      files.step();
      if (!last) std::this_thread::sleep_for(5ms);
    }
  });

  const std::atomic<bool>* const interrupt = Interruption::flag();
  const Clock::time_point began = Clock::now();
  double next_sample = interval;
  bool interrupted = false;
  while (on && !(interrupted = interrupt->load())) {
    // what the step leads to is due when the clock is there; it is computed before
    on = steps.step();
    const auto due =
        began + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(steps.t()));
    if (const std::chrono::duration<double> late = Clock::now() - due; late.count() > 0) {
      ++report.overruns;
      report.latest = std::max(report.latest, late.count());
    }
    if (steps.t() >= next_sample - 0.5 * steps.step_size() || !on) {
      if (!queue.put(steps.t(), steps.state())) ++report.lost;
      next_sample = (std::floor(steps.t() / interval + 0.5) + 1) * interval;
    }
    std::this_thread::sleep_until(due);
  }
  over.store(true);
  recording.join();

  Summary summary = steps.summary();
  summary.wall_seconds = std::chrono::duration<double>(Clock::now() - began).count();
  summary.notes.push_back(report.overruns == 0
                              ? std::string("the clock was kept by every step")
                              : fmt::format("{} steps ended after they were due, by {:.3g} ms at most",
                                            report.overruns, 1e3 * report.latest));
  if (report.lost > 0)
    summary.notes.push_back(
        fmt::format("{} samples are missing: they could not be recorded in time", report.lost));
  if (interrupted && !summary.failure) {
    summary.failure = {Reason::interrupted, fmt::format("interrupted at t = {:.10g}", summary.t)};
    summary.status = Status::stopped;
  }
  run.conclude(std::move(summary));
  return report;
}

}  // namespace trammel
