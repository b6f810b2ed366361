// What is written as comma separated values is what was there, to the last bit.
#include "trammel/result/csv.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <locale>
#include <random>
#include <sstream>

#include "trammel/result/recording_csv.h"

namespace trammel {
namespace {

using Limits = std::numeric_limits<double>;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<double> numbers_of(const std::string& line) {
  std::vector<double> numbers;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');)
    numbers.push_back(std::strtod(field.c_str(), nullptr));
  return numbers;
}

Recording recording_of(const std::vector<std::string>& names) {
  Recording recording;
  for (const std::string& name : names) recording.add_channel({.name = name});
  return recording;
}

std::string csv(const Recording& recording) {
  std::ostringstream out;
  EXPECT_FALSE(write_csv(out, recording));
  return out.str();
}

// The digits of numbers are put in place by hand: they are those of fmt.
TEST(Csv, NumbersAreWrittenAsFmtWritesThem) {
  std::mt19937_64 random(1);
  const auto expect = [](double value) {
    CsvText text;
    text.number(value);
    ASSERT_EQ(text.text(), std::isnan(value) ? "nan" : fmt::format("{}", value));
  };
  for (int i = 0; i < 20000; ++i) {
    expect(std::bit_cast<double>(random()));
    const double whole = static_cast<double>(random() % 2000001) - 1e6;
    expect(whole);
    expect(std::ldexp(whole, -static_cast<int>(random() % 20)));
    expect(whole * std::pow(10.0, static_cast<double>(random() % 40) - 25));
  }
  for (int exponent = -330; exponent <= 308; ++exponent)
    for (const char* digits : {"1", "-1.5", "9.9999999999999982", "-1.2345678901234567"})
      expect(std::strtod(fmt::format("{}e{}", digits, exponent).c_str(), nullptr));
}

TEST(Csv, EveryFiniteNumberComesBackBitByBit) {
  std::vector<double> values = {0.0,
                                -0.0,
                                0.1,
                                1.0 / 3,
                                -2.0 / 3,
                                Limits::min(),
                                Limits::max(),
                                -Limits::max(),
                                Limits::denorm_min(),
                                -Limits::denorm_min(),
                                123 * Limits::denorm_min(),
                                Limits::epsilon(),
                                1e22,
                                1e23,
                                5e-324,
                                2.2250738585072011e-308};
  std::mt19937_64 random(7);
  while (values.size() < 4000) {
    const double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) values.push_back(value);
  }

  Recording recording = recording_of({"a", "b"});
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    recording.append(values[i], std::array{values[i + 1], -values[i]});
  }
  const std::vector<std::string> lines = lines_of(csv(recording));
  ASSERT_EQ(lines.size(), values.size());
  EXPECT_EQ(lines[0], "t,a,b");
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const std::vector<double> numbers = numbers_of(lines[i + 1]);
    ASSERT_EQ(numbers.size(), 3u);
    const double expected[] = {values[i], values[i + 1], -values[i]};
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(numbers[k]), std::bit_cast<std::uint64_t>(expected[k]))
          << lines[i + 1];
    }
  }
}

TEST(Csv, SaysWhatIsNotFinite) {
  Recording recording = recording_of({"a", "b", "c"});
  const double inf = Limits::infinity(), nan = Limits::quiet_NaN();
  recording.append(0.5, std::array{inf, -inf, nan});
  recording.append(1, std::array{std::copysign(nan, -1), 2.0, 3.0});
  EXPECT_EQ(csv(recording), "t,a,b,c\n0.5,inf,-inf,nan\n1,nan,2,3\n");
}

TEST(Csv, QuotesNamesThatNeedIt) {
  Recording recording = recording_of({"plain name", "a,b", "say \"x\"", "two\nlines", "cr\r", "λ₁"});
  EXPECT_EQ(csv(recording), "t,plain name,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\"cr\r\",λ₁\n");
}

TEST(Csv, DoesNotDependOnTheLocaleOfTheStream) {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    std::string do_grouping() const override { return "\3"; }
  };
  Recording recording = recording_of({"a"});
  recording.append(1234567.5, std::array{0.25});
  std::ostringstream out;
  out.imbue(std::locale(std::locale::classic(), new Comma));
  out << std::fixed;
  EXPECT_FALSE(write_csv(out, recording));
  EXPECT_EQ(out.str(), "t,a\n1234567.5,0.25\n");
}

TEST(Csv, EmptyRecordingIsALineOfNames) {
  EXPECT_EQ(csv(Recording()), "t\n");
  std::ostringstream out;
  EXPECT_FALSE(write_steps_csv(out, Recording()));
  EXPECT_EQ(lines_of(out.str()).size(), 1u);
}

}  // namespace
}  // namespace trammel
