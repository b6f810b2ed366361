#include "trammel/cli/plot_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "trammel/result/recording_csv.h"
#include "trammel/result/recording_hdf5.h"
#include "trammel/result/unfinished_run.h"

namespace trammel {

namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

void check(const fs::path& path, const Failure& failure) {
  if (failure) throw std::invalid_argument(fmt::format("{}: {}", path.string(), failure.message));
}

std::ifstream opened(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::invalid_argument(fmt::format("cannot read '{}'", path.string()));
  return file;
}

// Not every file is named for what it is; all of HDF5 begin like this.
bool is_hdf5(const fs::path& path) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  std::array<char, signature.size()> begin{};
  opened(path).read(begin.data(), begin.size());
  return std::string_view(begin.data(), begin.size()) == signature;
}

// A run that was killed may have left half a line.
Writer writer_of(const PlotResult& result) {
  return result.unfinished ? Writer::unfinished : Writer::finished;
}

void read_steps(const fs::path& path, PlotResult& result) {
  std::ifstream file = opened(path);
  check(path, read_steps_csv(file, result.recording, writer_of(result)));
}

void read_file(const fs::path& path, PlotResult& result) {
  if (is_hdf5(path)) {
    check(path, read_hdf5(path, result.recording));
    result.has_units = true;
    const std::string* status = result.recording.metadata("status");
    result.unfinished = status != nullptr && *status == unfinished_status;
    return;
  }
  const bool of_run = path.filename() == "results.csv" || path.filename() == "steps.csv";
  result.unfinished = of_run && unfinished_run(path.parent_path()).has_value();
  if (path.filename() == "steps.csv") return read_steps(path, result);
  std::ifstream file = opened(path);
  check(path, read_csv(file, result.recording, writer_of(result)));
  const fs::path steps = path.parent_path() / "steps.csv";
  if (of_run && is_file(steps)) read_steps(steps, result);
}

// The name of the folder, or of a file that is not named like all others.
std::string label_of(const fs::path& path, bool folder) {
  static const std::set<fs::path> usual{"results.h5", "results.csv", "steps.csv"};
  if (!folder && !usual.contains(path.filename())) return path.stem().string();
  std::error_code ignored;
  const fs::path whole = fs::weakly_canonical(folder ? path : fs::absolute(path).parent_path(), ignored);
  const std::string name = whole.filename().string();
  return name.empty() ? path.string() : name;
}

// Groups, units and descriptions from where they are known.
void describe(ChannelTable& table, const ChannelTable& known) {
  ChannelTable described(table.times());
  for (Channel channel : table.channels()) {
    if (const Channel* same = known.find(channel.name)) {
      channel.group = same->group;
      channel.unit = same->unit;
      channel.description = same->description;
    }
    described.add_channel(std::move(channel));
  }
  table = std::move(described);
}

}  // namespace

PlotResult read_plot_result(const std::string& text) {
  const fs::path path(text);
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  PlotResult result{.path = text, .label = label_of(path, folder)};
  if (!folder) {
    if (!fs::exists(path, error))
      throw std::invalid_argument(fmt::format("there is no file or folder '{}'", text));
    if (!is_file(path)) throw std::invalid_argument(fmt::format("'{}' is neither a file nor a folder", text));
    read_file(path, result);
    return result;
  }
  for (const char* name : {"results.h5", "results.csv", "steps.csv"}) {
    if (!is_file(path / name)) continue;
    read_file(path / name, result);
    return result;
  }
  throw std::invalid_argument(
      fmt::format("there are no results in the folder '{}': no results.h5 or results.csv", text));
}

std::vector<PlotResult> read_plot_results(const std::vector<std::string>& paths) {
  std::vector<PlotResult> results;
  std::multiset<std::string> labels;
  for (const std::string& path : paths) {
    results.push_back(read_plot_result(path));
    labels.insert(results.back().label);
  }
  const auto known =
      std::find_if(results.begin(), results.end(), [](const PlotResult& result) { return result.has_units; });
  for (PlotResult& result : results) {
    if (result.has_units || known == results.end()) continue;
    describe(result.recording.samples, known->recording.samples);
    describe(result.recording.steps, known->recording.steps);
  }
  for (PlotResult& result : results)
    if (labels.count(result.label) > 1) result.label = result.path;
  return results;
}

}  // namespace trammel
