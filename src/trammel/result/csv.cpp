#include "trammel/result/csv.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <ostream>
#include <string_view>

namespace trammel {
namespace {

// Collects lines and hands them to the stream in large pieces: a stream is slow for single numbers.
class LineWriter {
 public:
  explicit LineWriter(std::ostream& out) : out_(out) {}
  ~LineWriter() { flush(); }
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  void number(double value) {
    separate();
    if (std::isnan(value)) {
      // the sign of a NaN means nothing and differs between processors
      append("nan");
    } else {
      fmt::format_to(std::back_inserter(buffer_), "{:.17g}", value);
    }
  }

  void name(std::string_view text) {
    separate();
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
      append(text);
      return;
    }
    buffer_.push_back('"');
    for (const char c : text) {
      if (c == '"') buffer_.push_back('"');
      buffer_.push_back(c);
    }
    buffer_.push_back('"');
  }

  void end_line() {
    buffer_.push_back('\n');
    at_start_ = true;
    if (buffer_.size() > 1 << 16) flush();
  }

 private:
  void append(std::string_view text) { buffer_.append(text.data(), text.data() + text.size()); }

  void separate() {
    if (!at_start_) buffer_.push_back(',');
    at_start_ = false;
  }

  void flush() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
  }

  std::ostream& out_;
  fmt::memory_buffer buffer_;
  bool at_start_ = true;
};

}  // namespace

void write_csv(std::ostream& out, const Trajectory& trajectory) {
  LineWriter lines(out);
  lines.name("t");
  for (const std::string& name : trajectory.names()) lines.name(name);
  lines.end_line();

  for (Index sample = 0; sample < trajectory.samples(); ++sample) {
    lines.number(trajectory.time(sample));
    for (const double value : trajectory.state(sample)) lines.number(value);
    lines.end_line();
  }
}

void write_steps_csv(std::ostream& out, const Trajectory& trajectory) {
  LineWriter lines(out);
  for (const char* name :
       {"t", "h", "position_violation", "velocity_violation", "acceleration_violation", "invariant_error"}) {
    lines.name(name);
  }
  lines.end_line();

  for (const StepRecord& step : trajectory.steps) {
    for (const double value : {step.t, step.h, step.position_violation, step.velocity_violation,
                               step.acceleration_violation, step.invariant_error}) {
      lines.number(value);
    }
    lines.end_line();
  }
}

}  // namespace trammel
