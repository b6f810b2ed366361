#include "trammel/sweep/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "trammel/result/csv.h"
#include "trammel/result/recording_hdf5.h"

namespace trammel {

namespace fs = std::filesystem;

namespace {

constexpr const char* facts_file = "sweep.json";
constexpr const char* csv_file = "sweep.csv";
constexpr const char* hdf5_file = "sweep.h5";

void demand(const Failure& failure) {
  if (failure) throw std::invalid_argument(failure.message);
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::invalid_argument(fmt::format("there is no sweep in '{}'", path.parent_path().string()));
  return {std::istreambuf_iterator<char>(file), {}};
}

// The fields of a line, quotes taken away.
std::vector<std::string> fields(std::string_view line) {
  std::vector<std::string> result{""};
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"')
        result.back() += line[i++];
      else
        quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      result.emplace_back();
    } else {
      result.back() += line[i];
    }
  }
  return result;
}

bool read_number(const std::string& text, double& value) {
  if (text == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

SweepTable::SweepTable(fs::path folder, const Sweep& sweep) : folder_(std::move(folder)), sweep_(&sweep) {
  file_ = std::make_unique<GrowingFile>(folder_ / csv_file);
}

SweepTable SweepTable::begin(const fs::path& folder, const Sweep& sweep) {
  std::error_code error;
  fs::create_directories(folder, error);
  SweepTable table(folder, sweep);
  const std::string facts = sweep.facts().dump(2);
  // the table first: lines of an earlier sweep must not pass for lines of this one
  fs::remove(folder / facts_file, error);
  fs::remove(folder / hdf5_file, error);
  demand(table.file_->append(table.head()));
  demand(write_file_firmly(folder / facts_file, [&](std::ostream& out) { out << facts << '\n'; }));
  return table;
}

SweepTable SweepTable::go_on(const fs::path& folder, const Sweep& sweep) {
  sweep.check_same(facts_in(folder));
  SweepTable table(folder, sweep);
  const std::string text = content(folder / csv_file);
  // a last line without an end was cut off
  const std::string whole = text.substr(0, text.rfind('\n') + 1);
  table.read_lines(whole);
  demand(table.file_->go_on(static_cast<long long>(whole.size())));
  return table;
}

nlohmann::ordered_json SweepTable::facts_in(const fs::path& folder) {
  const std::string text = content(folder / facts_file);
  try {
    nlohmann::ordered_json facts = nlohmann::ordered_json::parse(text);
    SweepRequest::from_json(facts.at("request"));
    return facts;
  } catch (const nlohmann::json::exception& error) {
    throw std::invalid_argument(
        fmt::format("'{}' is damaged: {}", (folder / facts_file).string(), error.what()));
  }
}

SweepRequest SweepTable::request_in(const fs::path& folder) {
  return SweepRequest::from_json(facts_in(folder).at("request"));
}

std::vector<long> SweepTable::missing() const {
  std::vector<long> runs;
  for (long run = 0; run < sweep_->size(); ++run)
    if (!rows_.contains(run)) runs.push_back(run);
  return runs;
}

std::string SweepTable::head() const {
  CsvText text;
  text.name("run");
  text.name("status");
  for (const Variation& variation : sweep_->variations()) text.name(variation.parameter);
  for (const SweepColumn& column : sweep_->columns()) text.name(column.name());
  text.name("message");
  text.end_line();
  return std::string(text.text());
}

std::string SweepTable::line(const SweepRow& row) const {
  CsvText text;
  text.name(fmt::format("{}", row.run));
  text.name(row.status);
  for (const double value : sweep_->point(row.run)) text.number(value);
  for (const double value : row.values) text.number(value);
  text.name(row.message);
  text.end_line();
  return std::string(text.text());
}

std::string SweepTable::all_lines() const {
  std::string text = head();
  for (const auto& [run, row] : rows_) text += line(row);
  return text;
}

void SweepTable::read_lines(const std::string& text) {
  const std::string first = head();
  const std::string path = (folder_ / csv_file).string();
  if (!text.starts_with(first))
    throw std::invalid_argument(fmt::format("'{}' has other columns than the sweep", path));
  const std::size_t parameters = sweep_->variations().size(), columns = sweep_->columns().size();
  long number = 1;
  for (std::size_t at = first.size(); at < text.size();) {
    ++number;
    const std::size_t end = text.find('\n', at);
    const std::vector<std::string> words = fields(std::string_view(text).substr(at, end - at));
    at = end + 1;
    double run = -1;
    bool good = words.size() == parameters + columns + 3 && read_number(words[0], run) && run >= 0 &&
                run < static_cast<double>(sweep_->size());
    SweepRow row;
    if (good) {
      row = {static_cast<long>(run), words[1], words.back(), std::vector<double>(columns)};
      for (std::size_t i = 0; i < parameters && good; ++i) {
        double value = 0;
        good = read_number(words[2 + i], value) && value == sweep_->point(row.run)[i];
      }
      for (std::size_t i = 0; i < columns && good; ++i)
        good = read_number(words[2 + parameters + i], row.values[i]);
    }
    if (!good) throw std::invalid_argument(fmt::format("'{}': line {} is none of this sweep", path, number));
    rows_.emplace(row.run, std::move(row));
  }
}

Failure SweepTable::add(SweepRow row) {
  if (rows_.contains(row.run)) return {};
  if (Failure failure = file_->append(line(row))) return failure;
  rows_.emplace(row.run, std::move(row));
  // the file as a whole, so that this takes at most a tenth of the time
  const auto now = std::chrono::steady_clock::now();
  if (now < next_hdf5_) return {};
  Failure failure = write_hdf5(folder_ / hdf5_file, recording());
  const auto end = std::chrono::steady_clock::now();
  next_hdf5_ =
      end + std::max<std::chrono::steady_clock::duration>(std::chrono::milliseconds(500), 10 * (end - now));
  return failure;
}

Failure SweepTable::finish() {
  if (Failure failure = file_->close()) return failure;
  if (!complete()) return write_hdf5(folder_ / hdf5_file, recording());
  if (Failure failure = write_file_firmly(folder_ / csv_file, [&](std::ostream& out) { out << all_lines(); }))
    return failure;
  return write_hdf5(folder_ / hdf5_file, recording());
}

// Runs take the place of times. Reasons are texts, which only attributes can be.
Recording SweepTable::recording() const {
  std::vector<double> runs;
  for (const auto& [run, row] : rows_) runs.push_back(static_cast<double>(run));
  Recording recording;
  recording.title = sweep_->title();
  recording.samples = ChannelTable(runs);
  const auto add = [&](std::string name, const char* group, const std::string& unit,
                       const std::string& description, const auto& value) {
    Channel channel{std::move(name), group, unit, description, {}};
    for (const auto& [run, row] : rows_) channel.values.push_back(value(row));
    recording.add_channel(std::move(channel));
  };
  const std::vector<Variation>& variations = sweep_->variations();
  for (std::size_t i = 0; i < variations.size(); ++i)
    add(variations[i].parameter, "parameters", "", "parameter that is varied",
        [&](const SweepRow& row) { return sweep_->point(row.run)[i]; });
  const std::vector<SweepColumn>& columns = sweep_->columns();
  for (std::size_t i = 0; i < columns.size(); ++i)
    add(columns[i].name(), "measures", columns[i].unit, columns[i].statistic + " of " + columns[i].channel,
        [&](const SweepRow& row) { return row.values[i]; });
  add("run ended well", "status", "", "1, or 0 if the run failed: the attribute reason.RUN says why",
      [](const SweepRow& row) { return row.has_values() ? 1.0 : 0.0; });
  const nlohmann::ordered_json facts = facts_in(folder_);
  recording.set_metadata("version", facts.at("version").get<std::string>());
  recording.set_metadata("request", facts.at("request").dump());
  recording.set_metadata("seed", fmt::format("{}", sweep_->request().sampling.seed));
  recording.set_metadata("status", complete() ? "finished" : unfinished_status);
  for (const auto& [run, row] : rows_)
    if (!row.has_values())
      recording.set_metadata(fmt::format("reason.{}", run), fmt::format("{}: {}", row.status, row.message));
  return recording;
}

}  // namespace trammel
