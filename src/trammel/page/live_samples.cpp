#include "trammel/page/live_samples.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <string_view>
#include <vector>

#include "trammel/page/viewer_page.h"
#include "trammel/result/unfinished_run.h"

namespace trammel {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds pause(30);
// A run that has added nothing for so long may have been killed.
constexpr std::chrono::seconds silence(2);
// Bytes that are read and sent at a time.
constexpr std::size_t most_at_a_time = std::size_t{1} << 20;
constexpr std::string_view line_begin = "{\"until\":";

// Numbers of some samples, sample by sample.
std::string line_of(const Recording& recording, std::size_t first, std::size_t end) {
  std::vector<double> values;
  values.reserve((end - first) * recording.channels().size());
  for (std::size_t i = first; i < end; ++i)
    for (const Channel& channel : recording.channels()) values.push_back(channel.values[i]);
  const std::span<const double> times(recording.times().data() + first, end - first);
  return fmt::format("{}{},\"times\":{{\"f64\":\"{}\"}},\"values\":{{\"f32\":\"{}\"}}}}\n", line_begin,
                     times.back(), base64_doubles(times), base64_floats(values));
}

double last_time(std::string_view line) {
  double t = 0;
  if (!line.starts_with(line_begin)) return t;
  std::from_chars(line.data() + line_begin.size(), line.data() + line.size(), t);
  return t;
}

}  // namespace

LiveSamples::LiveSamples(const std::filesystem::path& folder, const Recording& recording)
    : path_(folder / live_samples_file), recording_(recording) {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);  // of a run that was killed
  file_.open(path_, std::ios::binary);
}

LiveSamples::~LiveSamples() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

void LiveSamples::step() {
  const std::size_t count = recording_.times().size();
  const Clock::time_point now = Clock::now();
  if (now < next_ || count == written_ || !file_) return;
  file_ << line_of(recording_, written_, count) << std::flush;
  written_ = count;
  next_ = now + pause;
}

bool has_live_samples(const std::filesystem::path& folder) {
  struct stat status;
  return ::stat((folder / live_samples_file).c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

LiveSampleReader::LiveSampleReader(const std::filesystem::path& folder, double t)
    : folder_(folder),
      after_(t),
      descriptor_(::open((folder / live_samples_file).c_str(), O_RDONLY | O_CLOEXEC)),
      last_line_(Clock::now()) {}

LiveSampleReader::~LiveSampleReader() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// Lines that are complete become events.
void LiveSampleReader::read() {
  static constexpr std::size_t piece_size = 65536;
  std::vector<char> piece(piece_size);
  while (events_.size() < most_at_a_time) {
    const ssize_t count = ::read(descriptor_, piece.data(), piece.size());
    if (count <= 0) return;
    begun_.append(piece.data(), static_cast<std::size_t>(count));
    std::size_t from = 0;
    for (std::size_t end; (end = begun_.find('\n', from)) != std::string::npos; from = end + 1) {
      const std::string_view line = std::string_view(begun_).substr(from, end - from);
      last_line_ = Clock::now();
      if (last_time(line) > after_) events_ += fmt::format("event: samples\ndata: {}\n\n", line);
    }
    begun_.erase(0, from);
  }
}

// The file is gone, is another one by now, or nobody writes into it any more.
bool LiveSampleReader::is_over() {
  struct stat mine, there;
  if (descriptor_ < 0 || ::fstat(descriptor_, &mine) != 0) return true;
  if (::stat((folder_ / live_samples_file).c_str(), &there) != 0 || mine.st_ino != there.st_ino ||
      mine.st_dev != there.st_dev)
    return true;
  if (Clock::now() < last_line_ + silence) return false;
  last_line_ = Clock::now();
  const std::optional<UnfinishedRun> unfinished = unfinished_run(folder_);
  return !unfinished || !unfinished->running;
}

std::optional<std::string> LiveSampleReader::next() {
  if (ended_) return {};
  const bool over = is_over();  // before reading: what was written until then is not lost
  if (descriptor_ >= 0) read();
  std::string events;
  events.swap(events_);
  if (over && events.size() < most_at_a_time) {
    ended_ = true;
    events += "event: end\ndata:\n\n";
  }
  return events;
}

}  // namespace trammel
