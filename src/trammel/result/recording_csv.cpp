#include "trammel/result/recording_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "trammel/result/csv.h"

namespace trammel {
namespace {

void add_names(const std::vector<const Channel*>& channels, CsvText& lines) {
  lines.name("t");
  for (const Channel* channel : channels) lines.name(channel->name);
  lines.end_line();
}

void add_line(double t, const std::vector<const Channel*>& channels, std::size_t sample, CsvText& lines) {
  lines.number(t);
  for (const Channel* channel : channels) lines.number(channel->values[sample]);
  lines.end_line();
}

void write_table(std::ostream& out, const std::vector<double>& times,
                 const std::vector<const Channel*>& channels) {
  CsvText lines;
  const auto flush = [&] {
    out.write(lines.text().data(), static_cast<std::streamsize>(lines.text().size()));
    lines.clear();
  };
  add_names(channels, lines);
  for (std::size_t sample = 0; sample < times.size(); ++sample) {
    add_line(times[sample], channels, sample, lines);
    if (lines.is_long()) flush();
  }
  flush();
  out.flush();
}

std::vector<const Channel*> step_channels(const Recording& recording) {
  std::vector<const Channel*> channels;
  for (const Channel& channel : recording.steps.channels()) channels.push_back(&channel);
  return channels;
}

Failure state_of(const std::ostream& out) {
  if (out) return {};
  return {Reason::invalid_options, "cannot write comma separated values: the stream failed"};
}

// Reads a table line by line and knows where it is.
class TableReader {
 public:
  TableReader(std::istream& in, Writer writer) : in_(in), writer_(writer) {}

  // Throws std::invalid_argument with the line in its message.
  ChannelTable read();

 private:
  void read_names();
  std::string read_quoted_name();
  void read_row(std::string_view line);
  double number(std::string_view field, std::size_t column) const;

  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument(fmt::format("line {}: {}", line_number_, what));
  }

  std::istream& in_;
  Writer writer_;
  Index line_number_ = 1;
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
};

ChannelTable TableReader::read() {
  read_names();
  for (std::string line; std::getline(in_, line);) {
    // a number that was cut off is a number, too: only the end of the line tells that it is complete
    if (in_.eof() && writer_ == Writer::unfinished) break;
    if (in_.eof()) fail("the text ends before the line does");
    read_row(line);
    ++line_number_;
  }
  if (in_.bad()) fail("the stream failed");

  ChannelTable table(std::move(columns_[0]));
  for (std::size_t i = 1; i < names_.size(); ++i)
    table.add_channel({.name = std::move(names_[i]), .values = std::move(columns_[i])});
  return table;
}

// Character by character, for quoted names may hold anything.
void TableReader::read_names() {
  std::string name;
  bool quoted = false;
  for (int c = in_.get(); c != '\n'; c = in_.get()) {
    if (c == std::istream::traits_type::eof()) fail("the text ends before the line of names does");
    if (c == ',') {
      names_.push_back(std::move(name));
      name.clear();
      quoted = false;
    } else if (c == '"' && name.empty() && !quoted) {
      name = read_quoted_name();
      quoted = true;
    } else if (quoted && !(c == '\r' && in_.peek() == '\n')) {
      fail(fmt::format("text follows the quoted name '{}'", name));
    } else if (!quoted) {
      name.push_back(static_cast<char>(c));
    }
  }
  if (!quoted && name.ends_with('\r')) name.pop_back();
  names_.push_back(std::move(name));

  // some programs begin a text in UTF-8 with this mark
  const std::string_view mark = "\xEF\xBB\xBF";
  if (names_[0].starts_with(mark)) names_[0].erase(0, mark.size());
  if (names_[0] != "t") fail(fmt::format("the first column is '{}' and not 't'", names_[0]));

  // a table without rows tells whether the names are good
  ChannelTable trial;
  for (std::size_t i = 1; i < names_.size(); ++i) {
    try {
      trial.add_channel({.name = names_[i]});
    } catch (const std::invalid_argument& error) {
      fail(fmt::format("column {}: {}", i + 1, error.what()));
    }
  }
  columns_.resize(names_.size());
  ++line_number_;
}

// What is between an opening quote, already read, and the closing one. Two quotes stand for one.
std::string TableReader::read_quoted_name() {
  std::string name;
  for (;;) {
    const int c = in_.get();
    if (c == std::istream::traits_type::eof()) fail("a quoted name does not end");
    if (c == '"' && in_.peek() != '"') return name;
    if (c == '"') in_.get();
    if (c == '\n') ++line_number_;
    name.push_back(static_cast<char>(c));
  }
}

void TableReader::read_row(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return;
  std::size_t column = 0;
  for (std::size_t at = 0; at <= line.size(); ++column) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    if (column < columns_.size()) columns_[column].push_back(number(line.substr(at, end - at), column));
    at = end + 1;
  }
  if (column != columns_.size()) fail(fmt::format("{} values for {} columns", column, columns_.size()));
}

double TableReader::number(std::string_view field, std::size_t column) const {
  const std::size_t first = std::min(field.find_first_not_of(" \t"), field.size());
  const std::size_t last = field.find_last_not_of(" \t");
  const std::string_view text = first == field.size() ? "" : field.substr(first, last + 1 - first);

  double value = 0;
  // unlike strtod this does not depend on the locale
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    fail(fmt::format("'{}' is out of the range of numbers (column '{}')", text, names_[column]));
  if (error != std::errc() || end != text.data() + text.size())
    fail(fmt::format("'{}' is not a number (column '{}')", text, names_[column]));
  return value;
}

Failure read_table(std::istream& in, Writer writer, ChannelTable& table) {
  try {
    table = TableReader(in, writer).read();
  } catch (const std::invalid_argument& error) {
    return {Reason::invalid_options, fmt::format("cannot read comma separated values: {}", error.what())};
  }
  return {};
}

}  // namespace

Failure write_csv(std::ostream& out, const Recording& recording, const std::vector<std::string>& selection) {
  std::vector<const Channel*> chosen;
  if (Failure failure = recording.select(selection, chosen)) return failure;
  write_table(out, recording.times(), chosen);
  return state_of(out);
}

Failure write_steps_csv(std::ostream& out, const Recording& recording) {
  write_table(out, recording.steps.times(), step_channels(recording));
  return state_of(out);
}

Failure write_csv(const std::filesystem::path& path, const Recording& recording,
                  const std::vector<std::string>& selection) {
  std::vector<const Channel*> chosen;
  if (Failure failure = recording.select(selection, chosen)) return not_written(path, failure.message);
  return write_file(path, [&](std::ostream& out) { write_table(out, recording.times(), chosen); });
}

Failure write_steps_csv(const std::filesystem::path& path, const Recording& recording) {
  return write_file(
      path, [&](std::ostream& out) { write_table(out, recording.steps.times(), step_channels(recording)); });
}

GrowingCsv::GrowingCsv(std::filesystem::path path, const ChannelTable& table,
                       std::vector<std::size_t> columns)
    : file_(std::move(path)), table_(table), columns_(std::move(columns)) {}

Failure GrowingCsv::update() {
  std::vector<const Channel*> channels;
  for (const std::size_t column : columns_) channels.push_back(&table_.channels()[column]);
  CsvText lines;
  Index reached = written_;
  const auto flush = [&]() -> Failure {
    if (lines.text().empty()) return {};
    if (Failure failure = file_.append(lines.text())) return failure;
    lines.clear();
    begun_ = true;
    written_ = reached;
    return {};
  };

  if (!begun_) add_names(channels, lines);
  while (reached < table_.samples()) {
    const auto sample = static_cast<std::size_t>(reached++);
    add_line(table_.times()[sample], channels, sample, lines);
    if (!lines.is_long()) continue;
    if (Failure failure = flush()) return failure;
  }
  return flush();
}

Failure read_csv(std::istream& in, Recording& recording, Writer writer) {
  return read_table(in, writer, recording.samples);
}

Failure read_steps_csv(std::istream& in, Recording& recording, Writer writer) {
  return read_table(in, writer, recording.steps);
}

}  // namespace trammel
