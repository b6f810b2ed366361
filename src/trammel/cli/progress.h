// How far a run is, on one line of a terminal that is written again and again; nothing where standard error
// is no terminal.
#pragma once

#include <chrono>
#include <string>

namespace trammel {

// What the line tells. `elapsed` is in seconds of the clock on the wall.
struct ProgressState {
  double t = 0, end = 0, h = 0;
  long steps = 0;
  double elapsed = 0;
};

// " 42%  t = 4.2 of 10  1234 steps  h = 2.1e-03  3 s left".
std::string progress_line(const ProgressState& state);

// "3 s", "2 min 05 s", "1 h 04 min".
std::string duration_text(double seconds);

// What goes on before and after the steps of a run, which of a large mechanism takes long too.
class ProgressStage {
 public:
  explicit ProgressStage(bool wanted);
  // Takes the line away.
  ~ProgressStage() { end(); }
  ProgressStage(const ProgressStage&) = delete;
  ProgressStage& operator=(const ProgressStage&) = delete;

  // "assembling"
  void begin(const std::string& what);
  void end();

 private:
  bool shown_, on_screen_ = false;
};

class Progress {
 public:
  // `elapsed`: seconds that were spent on it before.
  Progress(double end, bool wanted, double elapsed = 0);
  // Takes the line away.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(double t, double h);

 private:
  using Clock = std::chrono::steady_clock;

  bool shown_;
  ProgressState state_;
  Clock::time_point start_, last_;
  bool on_screen_ = false;
};

}  // namespace trammel
