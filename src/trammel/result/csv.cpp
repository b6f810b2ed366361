#include "trammel/result/csv.h"

#include <fmt/compile.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace trammel {

namespace {

constexpr int most_digits = 17;

// The digits of a number, from the last one back; where they begin.
char* write_digits(std::uint64_t number, char* end) {
  static constexpr auto pairs = [] {
    std::array<std::array<char, 2>, 100> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = {static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
    return all;
  }();
  for (; number >= 100; number /= 100) std::memcpy(end -= 2, pairs[number % 100].data(), 2);
  if (number >= 10)
    std::memcpy(end -= 2, pairs[number].data(), 2);
  else
    *--end = static_cast<char>('0' + number);
  return end;
}

// As fmt writes numbers, which takes twice as long: most of the time that large tables take. The text of a finite number that
// is not zero; where it ends.
char* write_number(double value, char* to) {
  if (value < 0) *to++ = '-';
  // as few digits as give the same number again
  const auto decimal = fmt::detail::dragonbox::to_decimal(std::abs(value));
  // copies are all of one size, which is known beforehand: what is behind the digits does not count
  std::array<char, 2 * most_digits> room{};
  char *const end = room.data() + most_digits, *digits = write_digits(decimal.significand, end);
  const auto count = static_cast<int>(end - digits);
  const int point = decimal.exponent + count;  // behind so many digits, or so many zeros before them
  const auto copy = [&](int digits_wanted) {
    std::memcpy(to, digits, most_digits);
    to += digits_wanted;
    digits += digits_wanted;
  };
  const auto zeros = [&](int wanted) { to = std::fill_n(to, wanted, '0'); };
  if (point < -3 || point > 16) {
    copy(1);
    if (count > 1) *to++ = '.';
    copy(count - 1);
    *to++ = 'e';
    *to++ = point < 1 ? '-' : '+';
    const int exponent = std::abs(point - 1);
    if (exponent < 10) *to++ = '0';
    const char* const exponent_digits = write_digits(static_cast<std::uint64_t>(exponent), end);
    std::memcpy(to, exponent_digits, static_cast<std::size_t>(end - exponent_digits));
    return to + (end - exponent_digits);
  }
  if (point >= count) {
    copy(count);
    zeros(point - count);
    return to;
  }
  if (point > 0) {
    copy(point);
  } else {
    *to++ = '0';
  }
  *to++ = '.';
  zeros(-std::min(point, 0));
  copy(count - std::max(point, 0));
  return to;
}

}  // namespace

void CsvText::number(double value) {
  separate();
  if (std::isnan(value)) {
    // the sign of a NaN means nothing and differs between processors
    append("nan");
  } else if (value == 0 || std::isinf(value)) {
    fmt::format_to(fmt::appender(buffer_), FMT_COMPILE("{}"), value);
  } else {
    constexpr std::size_t longest = 64;  // 24 characters, and what else is copied
    buffer_.reserve(buffer_.size() + longest);
    char* const begin = buffer_.data() + buffer_.size();
    buffer_.resize(buffer_.size() + static_cast<std::size_t>(write_number(value, begin) - begin));
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

}  // namespace trammel
