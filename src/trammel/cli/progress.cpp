#include "trammel/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace trammel {

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::clamp(std::ceil(seconds), 0.0, 1e12));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string progress_line(const ProgressState& state) {
  const double done = state.end > 0 ? std::clamp(state.t / state.end, 0.0, 1.0) : 1.0;
  std::string line = fmt::format("{:3.0f}%  t = {:.4g} of {:.4g}  {} steps  h = {:.1e}",
                                 std::floor(100 * done), state.t, state.end, state.steps, state.h);
  if (done > 0) line += fmt::format("  {} left", duration_text(state.elapsed * (1 - done) / done));
  return line;
}

namespace {

// A terminal that was closed is no reason to stop.
void show_line(const std::string& line) {
  std::fputs(fmt::format("\r{}\x1b[K", line).c_str(), stderr);
  std::fflush(stderr);
}

bool is_shown(bool wanted) { return wanted && ::isatty(STDERR_FILENO) == 1; }

}  // namespace

ProgressStage::ProgressStage(bool wanted) : shown_(is_shown(wanted)) {}

void ProgressStage::begin(const std::string& what) {
  if (!shown_) return;
  show_line(what + " ...");
  on_screen_ = true;
}

void ProgressStage::end() {
  if (on_screen_) show_line("");
  on_screen_ = false;
}

Progress::Progress(double end, bool wanted, double elapsed) : shown_(is_shown(wanted)) {
  state_.end = end;
  last_ = Clock::now();
  start_ = last_ - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(elapsed));
}

Progress::~Progress() {
  if (on_screen_) show_line("");
}

void Progress::step(double t, double h) {
  ++state_.steps;
  if (!shown_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  state_.t = t;
  state_.h = h;
  state_.elapsed = std::chrono::duration<double>(now - start_).count();
  show_line(progress_line(state_));
  on_screen_ = true;
}

}  // namespace trammel
