// Samples of a run in real time as they come, for whoever looks at it.
//
// The run adds a line to live.samples in its folder for every few samples and removes the file at the end. `trammel view` reads the
// lines as they are added and sends them on to the browser as server-sent events.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "trammel/result/recording.h"

namespace trammel {

inline constexpr const char* live_samples_file = "live.samples";

// The run's side. A folder that cannot be written into has no such file: the run is worth more than the view of it.
class LiveSamples {
 public:
  // The recording must outlive this.
  LiveSamples(const std::filesystem::path& folder, const Recording& recording);
  ~LiveSamples();
  LiveSamples(const LiveSamples&) = delete;
  LiveSamples& operator=(const LiveSamples&) = delete;

  // After every step: writes what is new, about thirty times a second.
  void step();

 private:
  std::filesystem::path path_;
  const Recording& recording_;
  std::ofstream file_;
  std::size_t written_ = 0;
  std::chrono::steady_clock::time_point next_;
};

bool has_live_samples(const std::filesystem::path& folder);

// The side of whoever looks.
class LiveSampleReader {
 public:
  // Of samples after the time t.
  LiveSampleReader(const std::filesystem::path& folder, double t);
  ~LiveSampleReader();
  LiveSampleReader(const LiveSampleReader&) = delete;
  LiveSampleReader& operator=(const LiveSampleReader&) = delete;

  // Events: "samples" with what is new, and once "end". Empty if there is nothing yet; nothing when the run has ended.
  std::optional<std::string> next();

 private:
  void read();
  bool is_over();

  std::filesystem::path folder_;
  double after_;
  int descriptor_ = -1;
  std::string begun_;  // of a line that is not complete yet
  std::string events_;
  bool ended_ = false;
  std::chrono::steady_clock::time_point last_line_;
};

}  // namespace trammel
