#include "trammel/cli/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "trammel/cli/messages.h"
#include "trammel/cli/model_output.h"
#include "trammel/cli/run_output.h"
#include "trammel/page/model_page.h"
#include "trammel/page/page_server.h"
#include "trammel/result/output_file.h"
#include "trammel/result/recording_hdf5.h"
#include "trammel/result/unfinished_run.h"
#include "trammel/version.h"

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

}  // namespace

RunFiles::RunFiles(ModelOutput output, const Model& model, const MechanismRun& run)
    : output_(std::move(output)), model_(model), run_(run) {
  if (!output_.csv) return;
  const Recording& recording = run.recording();
  samples_.emplace(file("results.csv"), recording.samples, columns_of(recording, output_.channels));
  steps_.emplace(file("steps.csv"), recording.steps, all_columns(recording.steps));
}

Failure RunFiles::begin() {
  // the mark first: what is there of an earlier run must not pass for this one
  if (Failure failure = write_unfinished()) return failure;
  std::error_code ignored;
  if (output_.hdf5) std::filesystem::remove(file("results.h5"), ignored);
  if (output_.page) std::filesystem::remove(file(page_file), ignored);
  for (std::optional<GrowingCsv>* table : {&samples_, &steps_})
    if (*table)
      if (Failure failure = (*table)->update()) return failure;
  const Clock::time_point now = Clock::now();
  next_ = now + pause;
  next_hdf5_ =
      now + std::max<Clock::duration>(
                pause, seldom * hdf5_channel * static_cast<std::int64_t>(run_.recording().channels().size()));
  return {};
}

Failure RunFiles::write_unfinished() const {
  const std::vector<double>& times = run_.recording().times();
  nlohmann::ordered_json json;
  mark_unfinished(json);
  json.update({{"t", times.empty() ? 0.0 : times.back()},
               {"samples", times.size()},
               {"model", model_.file},
               {"title", model_.mechanism.title},
               {"parameters", model_.mechanism.parameters},
               {"end", run_.settings().end},
               {"method", run_.settings().method.name()},
               {"version", std::string(version)}});
  return write_file(file("summary.json"), [&](std::ostream& out) { out << json_text(json) << '\n'; });
}

// A disk that is full now may have room later: failures count at the end.
void RunFiles::step() {
  const Clock::time_point begin = Clock::now();
  if (begin < next_) return;
  for (std::optional<GrowingCsv>* table : {&samples_, &steps_})
    if (*table) static_cast<void>((*table)->update());
  static_cast<void>(write_unfinished());
  const Clock::time_point middle = Clock::now();
  next_ = middle + std::max<Clock::duration>(pause, seldom * (middle - begin));
  if (!output_.hdf5 || middle < next_hdf5_) return;
  static_cast<void>(write_hdf5(file("results.h5"), run_.recording()));
  const Clock::time_point end = Clock::now();
  next_hdf5_ = end + std::max<Clock::duration>(pause, seldom * (end - middle));
}

OutputFiles RunFiles::finish(nlohmann::ordered_json& json) {
  OutputFiles files;
  for (std::optional<GrowingCsv>* table : {&samples_, &steps_}) {
    if (!*table) continue;
    Failure failure = (*table)->update();
    if (const Failure of_closing = (*table)->close(); !failure) failure = of_closing;
    files.note((*table)->path(), failure);
  }
  write_convergence(file("convergence.csv"), run_.summary(), files);
  if (output_.hdf5) files.note(file("results.h5"), write_hdf5(file("results.h5"), run_.recording()));
  if (output_.page) files.write(file(page_file), [&](std::ostream& out) { out << model_page(model_, run_); });
  // the last, for it says that the run is not unfinished any more, and what else is missing
  files.tell(json);
  files.write(file("summary.json"), json_text(json) + '\n');
  return files;
}

}  // namespace trammel
