#include "trammel/result/checkpoint_file.h"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "trammel/result/recorded_rows.h"

namespace trammel {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view mark = "trammel checkpoint ";
constexpr int format_version = 1;

template <class Number>
std::string_view bytes_of(const Number& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}
std::string_view bytes_of(const std::vector<double>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)};
}

Failure not_read(const fs::path& path, const std::string& why) {
  return {Reason::invalid_options, fmt::format("cannot go on from '{}': {}", path.string(), why)};
}

// What is left of a text that is being read.
class Rest {
 public:
  explicit Rest(std::string_view bytes) : bytes_(bytes) {}

  bool take(std::size_t count, std::string_view& piece) {
    if (count > bytes_.size()) return false;
    piece = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return true;
  }
  bool take(std::uint64_t& number) {
    std::string_view piece;
    if (!take(sizeof number, piece)) return false;
    std::memcpy(&number, piece.data(), sizeof number);
    return true;
  }
  bool take(std::vector<double>& numbers) {
    std::uint64_t count = 0;
    std::string_view piece;
    if (!take(count) || count > bytes_.size() / sizeof(double) || !take(count * sizeof(double), piece))
      return false;
    numbers.resize(count);
    if (count > 0) std::memcpy(numbers.data(), piece.data(), piece.size());
    return true;
  }
  bool is_empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

bool parse(Rest rest, CheckpointState& state) {
  std::uint64_t length = 0, count = 0;
  std::string_view facts;
  if (!rest.take(length) || !rest.take(length, facts) || !rest.take(count)) return false;
  state.facts = facts;
  state.numbers.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::vector<double> numbers;
    if (!rest.take(numbers)) return false;
    state.numbers.push_back(std::move(numbers));
  }
  return rest.is_empty();
}

}  // namespace

Failure write_checkpoint_state(const fs::path& path, const CheckpointState& state) {
  return write_file_firmly(path, [&](std::ostream& out) {
    Checksum checksum;
    const auto put = [&](std::string_view bytes) {
      checksum.add(bytes);
      out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    };
    const auto put_count = [&](std::uint64_t count) { put(bytes_of(count)); };
    put(fmt::format("{}{}\n", mark, format_version));
    put_count(state.facts.size());
    put(state.facts);
    put_count(state.numbers.size());
    for (const std::vector<double>& numbers : state.numbers) {
      put_count(numbers.size());
      put(bytes_of(numbers));
    }
    const std::uint64_t value = checksum.value();
    out.write(bytes_of(value).data(), sizeof value);
  });
}

Failure read_checkpoint_state(const fs::path& path, CheckpointState& state) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return not_read(path, "there is no such file, or it cannot be opened");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t end_of_line = text.find('\n');
  if (!text.starts_with(mark) || end_of_line == std::string::npos)
    return not_read(path, "it is not a checkpoint, or it is damaged");
  const std::string version = text.substr(mark.size(), end_of_line - mark.size());
  if (version != std::to_string(format_version))
    return not_read(path, fmt::format("it is a checkpoint of version {}, and this program knows version {}",
                                      version.substr(0, 20), format_version));
  std::uint64_t checksum = 0;
  Checksum found;
  if (text.size() >= sizeof checksum) {
    std::memcpy(&checksum, text.data() + text.size() - sizeof checksum, sizeof checksum);
    found.add(std::string_view(text).substr(0, text.size() - sizeof checksum));
  }
  const std::string damaged = "it is damaged: its checksum does not fit";
  if (text.size() < end_of_line + 1 + sizeof checksum || found.value() != checksum)
    return not_read(path, damaged);
  CheckpointState read;
  std::string_view content(text);
  content.remove_suffix(sizeof checksum);
  content.remove_prefix(end_of_line + 1);
  if (!parse(Rest(content), read)) return not_read(path, damaged);
  state = std::move(read);
  return {};
}

Failure RowFile::go_on(const RowsWritten& rows) {
  if (Failure failure = file_.go_on(static_cast<long long>(rows.rows * rows.width) * 8)) return failure;
  written_ = rows;
  checksum_ = Checksum(rows.checksum);
  return {};
}

Failure RowFile::write_until(Index end) {
  // in pieces, for a run may have had many samples before its first checkpoint
  constexpr Index numbers_at_once = 1 << 17;
  written_.width = static_cast<Index>(table_.channels().size()) + 1;
  const Index rows_at_once = std::max<Index>(1, numbers_at_once / written_.width);
  do {
    const Index next = std::min(end, written_.rows + rows_at_once);
    std::vector<double> rows;
    copy_rows(table_, written_.rows, next, rows);
    if (Failure failure = file_.append(bytes_of(rows))) return failure;
    checksum_.add(bytes_of(rows));
    written_.rows = std::max(next, written_.rows);
    written_.checksum = checksum_.value();
  } while (written_.rows < end);
  return file_.sync();
}

Failure read_rows(const fs::path& path, const RowsWritten& wanted, std::vector<double>& rows) {
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  const auto size = static_cast<std::uintmax_t>(wanted.rows) * static_cast<std::uintmax_t>(wanted.width) * 8;
  if (!file) return not_read(path, "there is no such file, or it cannot be opened");
  if (wanted.rows < 0 || wanted.width < 1 || fs::file_size(path, error) < size || error)
    return not_read(path, "it is damaged: its end is missing");
  std::vector<double> read(size / 8);
  file.read(reinterpret_cast<char*>(read.data()), static_cast<std::streamsize>(size));
  Checksum checksum;
  checksum.add(bytes_of(read));
  if (!file || checksum.value() != wanted.checksum)
    return not_read(path, "it is damaged: its checksum does not fit");
  rows = std::move(read);
  return {};
}

}  // namespace trammel
