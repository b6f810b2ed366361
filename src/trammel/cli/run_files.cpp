#include "trammel/cli/run_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "trammel/cli/messages.h"
#include "trammel/page/page_server.h"
#include "trammel/page/viewer_page.h"
#include "trammel/result/output_file.h"
#include "trammel/result/recording_hdf5.h"
#include "trammel/result/unfinished_run.h"

namespace trammel {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds pause(500);
// Writing takes at most this part of the time.
constexpr int seldom = 10;
// What a channel of an HDF5 file takes to write, before one has been measured.
constexpr std::chrono::microseconds hdf5_channel(100);

std::vector<std::size_t> all_columns(const ChannelTable& table) {
  std::vector<std::size_t> columns(table.channels().size());
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = i;
  return columns;
}

std::vector<std::size_t> columns_of(const Recording& recording, const std::vector<std::string>& selection) {
  std::vector<const Channel*> chosen;
  if (Failure failure = recording.select(selection, chosen)) throw std::invalid_argument(failure.message);
  std::vector<std::size_t> columns;
  for (const Channel* channel : chosen)
    columns.push_back(static_cast<std::size_t>(channel - recording.channels().data()));
  return columns;
}

// How Newton's iteration of every attempt at a step went; no file if that was not recorded.
void write_convergence(const std::filesystem::path& path, const Summary& summary, OutputFiles& files) {
  if (summary.convergence.empty()) return;
  files.write(path, [&](std::ostream& out) {
    out << "t,h,iterations,rate,converged\n";
    for (const NewtonRecord& record : summary.convergence)
      out << fmt::format("{},{},{},{},{}\n", record.t, record.h, record.iterations, record.rate,
                         record.converged ? 1 : 0);
  });
}

}  // namespace

RunOutput output_of(const RunArguments& arguments, const std::string& folder) {
  return {folder, !arguments.no_csv, !arguments.no_hdf5, !arguments.no_page, false, arguments.channels};
}

RunFiles::RunFiles(RunOutput output, const Recording& recording, RunStory story)
    : output_(std::move(output)), recording_(recording), story_(std::move(story)) {
  const std::vector<std::size_t> columns = columns_of(recording, output_.channels);
  if (!output_.csv) return;
  samples_.emplace(file("results.csv"), recording.samples, columns);
  steps_.emplace(file("steps.csv"), recording.steps, all_columns(recording.steps));
}

Failure RunFiles::begin() {
  // the mark first: what is there of an earlier run must not pass for this one
  if (Failure failure = write_unfinished()) return failure;
  std::error_code ignored;
  // a run that goes on from a checkpoint has samples already
  if (output_.hdf5 && !recording_.times().empty()) {
    if (Failure failure = write_hdf5(file("results.h5"), recording_)) return failure;
  } else if (output_.hdf5) {
    std::filesystem::remove(file("results.h5"), ignored);
  }
  if (output_.page) std::filesystem::remove(file(page_file), ignored);
  std::filesystem::remove(file(live_samples_file), ignored);  // of a run in real time that was killed
  for (std::optional<GrowingCsv>* table : {&samples_, &steps_})
    if (*table)
      if (Failure failure = (*table)->update()) return failure;
  if (output_.page && !has_viewer()) {
    print_warning("there will be no page: this program was built without the viewer, for which it needs npm");
    output_.page = false;
  }
  if (output_.page) live_.emplace(output_.folder, [this](std::ostream& out) { story_.page_data(true, out); });
  if (output_.page && output_.samples_as_they_come) live_samples_.emplace(output_.folder, recording_);
  const Clock::time_point now = Clock::now();
  next_ = now + pause;
  next_hdf5_ =
      now + std::max<Clock::duration>(
                pause, seldom * hdf5_channel * static_cast<std::int64_t>(recording_.channels().size()));
  return {};
}

Failure RunFiles::write_unfinished() const {
  const std::vector<double>& times = recording_.times();
  nlohmann::ordered_json json;
  mark_unfinished(json);
  json.update({{"t", times.empty() ? 0.0 : times.back()}, {"samples", times.size()}});
  json.update(story_.subject);
  return write_file(file("summary.json"), [&](std::ostream& out) { out << json_text(json) << '\n'; });
}

// A disk that is full now may have room later: failures count at the end.
void RunFiles::step() {
  if (live_samples_) live_samples_->step();
  if (live_) live_->step();
  const Clock::time_point begin = Clock::now();
  if (begin < next_) return;
  for (std::optional<GrowingCsv>* table : {&samples_, &steps_})
    if (*table) static_cast<void>((*table)->update());
  static_cast<void>(write_unfinished());
  const Clock::time_point middle = Clock::now();
  next_ = middle + std::max<Clock::duration>(pause, seldom * (middle - begin));
  if (!output_.hdf5 || middle < next_hdf5_) return;
  static_cast<void>(write_hdf5(file("results.h5"), recording_));
  const Clock::time_point end = Clock::now();
  next_hdf5_ = end + std::max<Clock::duration>(pause, seldom * (end - middle));
}

OutputFiles RunFiles::finish(const Summary& summary, nlohmann::ordered_json& json) {
  OutputFiles files;
  for (std::optional<GrowingCsv>* table : {&samples_, &steps_}) {
    if (!*table) continue;
    Failure failure = (*table)->update();
    if (const Failure of_closing = (*table)->close(); !failure) failure = of_closing;
    files.note((*table)->path(), failure);
  }
  write_convergence(file("convergence.csv"), summary, files);
  if (output_.hdf5) files.note(file("results.h5"), write_hdf5(file("results.h5"), recording_));
  if (output_.page)
    files.write(file(page_file), [&](std::ostream& out) {
      write_viewer_page(
          recording_.title, [&](std::ostream& to) { story_.page_data(false, to); }, out);
    });
  // the last, for it says that the run is not unfinished any more, and what else is missing
  files.tell(json);
  files.write(file("summary.json"), json_text(json) + '\n');
  live_samples_.reset();
  live_.reset();
  return files;
}

}  // namespace trammel
