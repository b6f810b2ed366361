#include "trammel/model/number_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace trammel {
namespace {

constexpr std::string_view blanks = " \t\r";

struct Field {
  std::string_view text;   // without blanks and quotes around it
  std::size_t column = 0;  // of its first character in the line, from 0
};

Field trimmed(std::string_view line, std::size_t begin, std::size_t end) {
  while (begin < end && blanks.find(line[begin]) != std::string_view::npos) ++begin;
  while (end > begin && blanks.find(line[end - 1]) != std::string_view::npos) --end;
  if (end - begin >= 2 && (line[begin] == '"' || line[begin] == '\'') && line[end - 1] == line[begin])
    ++begin, --end;
  return {line.substr(begin, end - begin), begin};
}

// The mark between two columns; a blank stands for any number of them.
char separator_of(std::string_view line) {
  if (line.find(';') != std::string_view::npos) return ';';
  const bool comma = line.find(',') != std::string_view::npos;
  const std::size_t tab = line.find('\t');
  // a tab beside a comma only sets the columns apart for the eye
  const auto beside_comma = [&](std::size_t i) {
    const std::size_t before = line.find_last_not_of(blanks, i), after = line.find_first_not_of(blanks, i);
    return before == std::string_view::npos || after == std::string_view::npos || line[before] == ',' ||
           line[after] == ',';
  };
  if (tab != std::string_view::npos && (!comma || !beside_comma(tab))) return '\t';
  return comma ? ',' : ' ';
}

std::vector<Field> fields_of(std::string_view line, char separator) {
  std::vector<Field> fields;
  if (separator == ' ') {
    for (std::size_t i = line.find_first_not_of(blanks); i != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(blanks, i), line.size());
      fields.push_back(trimmed(line, i, end));
      i = line.find_first_not_of(blanks, end);
    }
    return fields;
  }
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    fields.push_back(trimmed(line, begin, end));
    begin = end + 1;
  }
  // a separator may end the line
  if (fields.back().text.empty()) fields.pop_back();
  return fields;
}

// With the comma for the decimal point, if that is allowed.
std::optional<double> number_of(std::string_view text, bool decimal_comma) {
  std::string written(text);
  if (decimal_comma) {
    if (written.find('.') != std::string::npos) return std::nullopt;
    std::replace(written.begin(), written.end(), ',', '.');
  }
  const char *first = written.data(), *last = first + written.size();
  if (first != last && *first == '+') ++first;
  double value = 0;
  const auto [stop, error] = std::from_chars(first, last, value);
  if (error != std::errc() || stop != last || !std::isfinite(value)) return std::nullopt;
  return value;
}

// What a damaged number still shows: it begins as one.
bool looks_like_number(std::string_view text) {
  const std::size_t digit = text.find_first_not_of("+-.,");
  return number_of(text, false) || text == "nan" || text == "inf" ||
         (digit != std::string_view::npos && digit <= 2 && text[digit] >= '0' && text[digit] <= '9');
}

class ColumnReader {
 public:
  ColumnReader(const std::string& file, const std::array<std::size_t, 2>& columns)
      : file_(file), columns_(columns) {}

  void read(std::string_view line) {
    ++line_;
    const std::size_t start = line.find_first_not_of(blanks);
    if (start == std::string_view::npos || line[start] == '#') return;
    const char separator = separator_of(line);
    const std::vector<Field> fields = fields_of(line, separator);
    if (first_) {
      first_ = false;
      heading_separator_ = separator;
      width_ = fields.size();
      if (is_heading(fields)) return;
      heading_separator_ = 0;
    }
    if (separator == ',') refuse_blanks_inside(fields);
    // a heading may be written otherwise than the numbers below it
    if (heading_separator_ != 0 && (heading_separator_ != separator || separator == ' '))
      width_ = fields.size();
    heading_separator_ = 0;
    if (fields.size() != width_)
      throw ModelError({file_, line_, 1},
                       fmt::format("this line has {} columns, the first one has {}", fields.size(), width_));
    for (std::size_t i = 0; i < fields.size(); ++i) read_field(fields[i], i, separator);
  }

  std::array<std::vector<double>, 2> numbers;

 private:
  [[noreturn]] void fail(const Field& field, const std::string& message) const {
    throw ModelError({file_, line_, static_cast<int>(field.column) + 1}, message);
  }

  static bool is_heading(const std::vector<Field>& fields) {
    return std::none_of(fields.begin(), fields.end(),
                        [](const Field& field) { return looks_like_number(field.text); });
  }

  // "0,5 1,2" may be two numbers or four.
  void refuse_blanks_inside(const std::vector<Field>& fields) const {
    for (const Field& field : fields)
      if (field.text.find(' ') != std::string_view::npos && looks_like_number(field.text))
        fail(field,
             fmt::format("'{}' is not a number; do blanks or commas separate the columns? Put semicolons "
                         "between them",
                         field.text));
  }

  void read_field(const Field& field, std::size_t column, char separator) {
    const bool chosen = column == columns_[0] || column == columns_[1];
    if (field.text.empty()) {
      if (!chosen) return;
      fail(field, fmt::format("column {} is empty here", column));
    }
    const bool decimal_comma =
        (separator == ';' || separator == '\t') && field.text.find(',') != std::string_view::npos;
    const auto value = number_of(field.text, decimal_comma);
    if (!value)
      fail(field,
           fmt::format("'{}' is not a number; a heading is the first line, or begins with '#'", field.text));
    char& mark = decimal_mark_;
    const char own = decimal_comma ? ',' : field.text.find('.') != std::string_view::npos ? '.' : mark;
    if (mark != 0 && own != mark)
      fail(field, fmt::format("'{}' has a decimal '{}', numbers before it a '{}'", field.text, own, mark));
    mark = own;
    for (std::size_t i = 0; i < 2; ++i)
      if (column == columns_[i]) numbers[i].push_back(*value);
    if (width_ <= std::max(columns_[0], columns_[1]))
      throw ModelError({file_, line_, 1},
                       fmt::format("this line has {} columns; column {} is wanted (the first is 0)", width_,
                                   std::max(columns_[0], columns_[1])));
  }

  const std::string& file_;
  std::array<std::size_t, 2> columns_;
  int line_ = 0;
  bool first_ = true;           // no line was read yet
  char heading_separator_ = 0;  // of the line before, if that was the heading
  std::size_t width_ = 0;       // columns of the first line
  char decimal_mark_ = 0;       // that was used so far
};

}  // namespace

std::array<std::vector<double>, 2> read_number_columns(const std::string& text, const std::string& file,
                                                       const std::array<std::size_t, 2>& columns) {
  ColumnReader reader(file, columns);
  const bool marked = text.starts_with("\xEF\xBB\xBF");  // the byte order mark
  for (std::size_t start = marked ? 3 : 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    reader.read(std::string_view(text).substr(start, end - start));
    start = end + 1;
  }
  return std::move(reader.numbers);
}

}  // namespace trammel
