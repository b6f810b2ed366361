#include "trammel/result/csv.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <ostream>
#include <string_view>

namespace trammel {

void CsvText::number(double value) {
  separate();
  if (std::isnan(value)) {
    // the sign of a NaN means nothing and differs between processors
    append("nan");
  } else {
    fmt::format_to(std::back_inserter(buffer_), "{:.17g}", value);
  }
}

void CsvText::name(std::string_view text) {
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

void CsvText::end_line() {
  buffer_.push_back('\n');
  at_start_ = true;
}

void CsvText::separate() {
  if (!at_start_) buffer_.push_back(',');
  at_start_ = false;
}

namespace {

// Hands the lines to a stream in large pieces.
class LineWriter : public CsvText {
 public:
  explicit LineWriter(std::ostream& out) : out_(out) {}
  ~LineWriter() { flush(); }
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  void end_line() {
    CsvText::end_line();
    if (is_long()) flush();
  }

 private:
  void flush() {
    out_.write(text().data(), static_cast<std::streamsize>(text().size()));
    clear();
  }

  std::ostream& out_;
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
