#include "trammel/result/text_plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "tag_balance.h"
#include "trammel/result/markup.h"
#include "trammel/result/terminal_text.h"
#include "trammel/result/text_canvas.h"

namespace trammel {
namespace {

const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::size_t widest(const std::string& text) {
  std::size_t width = 0;
  for (const std::string& line : lines_of(text)) width = std::max(width, count_characters(line));
  return width;
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= 32 && c < 127); });
}

Series wave(const std::string& label, int points) {
  Series series{label, {}, {}};
  for (int i = 0; i < points; ++i) {
    series.x.push_back(10.0 * i / (points - 1));
    series.y.push_back(std::sin(series.x.back()));
  }
  return series;
}

TEST(TextCanvas, EveryDotOfACharacter) {
  TextCanvas canvas(2, 1, false);
  ASSERT_EQ(canvas.width(), 4);
  ASSERT_EQ(canvas.height(), 4);
  canvas.dot(0, 0, 0);
  EXPECT_EQ(canvas.row_text(0, false), "⠁");
  canvas.dot(1, 3, 0);
  EXPECT_EQ(canvas.row_text(0, false), "⢁");
  for (int x = 0; x < 2; ++x)
    for (int y = 0; y < 4; ++y) canvas.dot(x, y, 0);
  canvas.dot(3, 1, 1);
  EXPECT_EQ(canvas.row_text(0, false), "⣿⠐");
  EXPECT_EQ(canvas.row_text(0, true), "\x1b[36m⣿\x1b[0m\x1b[33m⠐\x1b[0m");
  // outside
  canvas.dot(-1, 0, 0);
  canvas.dot(4, 0, 0);
  canvas.dot(0, 4, 0);
  EXPECT_EQ(canvas.row_text(0, false), "⣿⠐");
}

TEST(TextCanvas, LinesAndLetters) {
  TextCanvas canvas(5, 3, true);
  canvas.line({0, 2}, {1, 2}, 0);
  canvas.line({1, 2}, {3, 0}, 0);
  canvas.line({3, 0}, {4, 0}, 0);
  EXPECT_EQ(canvas.row_text(0, false), "   **");
  EXPECT_EQ(canvas.row_text(1, false), "  *");
  EXPECT_EQ(canvas.row_text(2, false), "**");
  EXPECT_TRUE(canvas.letter(4, 0, 'a', 0));
  EXPECT_FALSE(canvas.letter(4, 0, 'b', 1));
  EXPECT_FALSE(canvas.letter(5, 0, 'b', 1));
  EXPECT_EQ(canvas.row_text(0, false), "   *a");
  canvas.line({0, 0}, {0, 2}, 1);
  EXPECT_EQ(canvas.row_text(1, false), "+ *");
}

TEST(TextPlot, ALineFromCornerToCorner) {
  const std::string text =
      text_plot({{"rise", {0, 1}, {0, 1}}},
                {.title = "T", .x_label = "t in s", .y_label = "m", .columns = 30, .rows = 5, .ascii = true});
  EXPECT_EQ(text,
            "T\n"
            "m\n"
            "1.0 +                   **\n"
            "    |             ******\n"
            "0.5 +        *****\n"
            "    |  ******\n"
            "0.0 +**\n"
            "    ++-------------------+\n"
            "     0                   1\n"
            "            t in s\n"
            "             last\n"
            "rise            1\n");
}

TEST(TextPlot, KeepsToItsColumnsWhateverTheLength) {
  for (const int columns : {30, 57, 80, 200}) {
    const Series series = wave("wave", 100000);
    const std::string text = text_plot({series}, {.x_label = "t", .columns = columns, .rows = 12});
    EXPECT_LE(widest(text), static_cast<std::size_t>(columns)) << columns;
    EXPECT_EQ(lines_of(text).size(), 12u + 3 + 2);
    EXPECT_EQ(text, text_plot({series}, {.x_label = "t", .columns = columns, .rows = 12}));
  }
  // a peak of one among many is seen
  Series flat{"flat", {}, {}};
  for (int i = 0; i < 100000; ++i) {
    flat.x.push_back(i);
    flat.y.push_back(i == 54321 ? 1 : 0);
  }
  const std::string peak = text_plot({flat}, {.rows = 8, .ascii = true});
  for (std::size_t row = 0; row < 7; ++row) {
    EXPECT_GE(occurrences(lines_of(peak)[row], "*"), 1u) << peak;
    EXPECT_LE(occurrences(lines_of(peak)[row], "*"), 2u) << peak;
  }
}

TEST(TextPlot, SeriesAreToldApart) {
  Series other = wave("other", 50);
  for (double& y : other.y) y = -y / 2;
  const std::vector<Series> both{wave("first", 50), other};
  const std::string plain = text_plot(both, {});
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_NE(plain.find("\na  first"), std::string::npos) << plain;
  EXPECT_NE(plain.find("\nb  other"), std::string::npos) << plain;
  // the letters stand at the ends of the lines, too
  int ends = 0;
  for (const std::string& line : lines_of(plain))
    if (line.find("│") != std::string::npos || line.find("┤") != std::string::npos)
      ends += line.ends_with('a') || line.ends_with('b') ? 1 : 0;
  EXPECT_EQ(ends, 2) << plain;

  const std::string ascii = text_plot(both, {.ascii = true});
  EXPECT_TRUE(is_ascii(ascii));
  EXPECT_NE(ascii.find("\na * first"), std::string::npos) << ascii;
  EXPECT_NE(ascii.find("\nb + other"), std::string::npos) << ascii;

  // colours change nothing else
  std::string coloured = text_plot(both, {.colour = true});
  EXPECT_GT(occurrences(coloured, "\x1b[36m"), 5u);
  EXPECT_EQ(occurrences(coloured, "\x1b[36m") + occurrences(coloured, "\x1b[33m"),
            occurrences(coloured, "\x1b[0m"));
  for (const std::string_view code : {"\x1b[36m", "\x1b[33m", "\x1b[0m"})
    for (std::size_t at; (at = coloured.find(code)) != std::string::npos;) coloured.erase(at, code.size());
  EXPECT_EQ(coloured, plain);
}

TEST(TextPlot, LegendHasLastLowestHighest) {
  const std::string text = text_plot({{"q", {0, 1, 2, 3}, {2.5, -7, 11, nan}}}, {});
  EXPECT_NE(text.find("q           11           -7           11\n"), std::string::npos) << text;
}

TEST(TextPlot, NothingToDraw) {
  EXPECT_NE(text_plot({}, {}).find("no data"), std::string::npos);
  EXPECT_NE(text_plot({{"a", {}, {}}}, {}).find("no data"), std::string::npos);
  EXPECT_NE(text_plot({{"a", {0, 1}, {nan, inf}}}, {}).find("no data"), std::string::npos);
  EXPECT_NE(text_plot({{"a", {nan}, {1}}}, {}).find("no data"), std::string::npos);
  const std::string below = text_plot({{"a", {0, 1}, {0, -1}}}, {.log_y = true});
  EXPECT_NE(below.find("no value above zero"), std::string::npos);
  EXPECT_NE(below.find("-1"), std::string::npos);
}

TEST(TextPlot, ConstantSingleAndBrokenData) {
  const std::string constant = text_plot({{"c", {0, 1, 2}, {5, 5, 5}}}, {.rows = 9, .ascii = true});
  EXPECT_EQ(occurrences(lines_of(constant)[4], "*"), 71u) << constant;
  const std::string single = text_plot({{"c", {3}, {5}}}, {.rows = 9, .ascii = true});
  EXPECT_EQ(occurrences(single, "*"), 1u) << single;
  // a gap is a gap
  const std::string gap = text_plot({{"g", {0, 1, 2, 3, 4}, {1, 1, nan, 1, 1}}}, {.ascii = true});
  const std::size_t dots = occurrences(gap, "*");
  EXPECT_GT(dots, 30u);
  EXPECT_LT(dots, 45u);
  for (const double large : {1e300, -1e300, 1e-300, 1e308, inf})
    EXPECT_FALSE(text_plot({{"l", {0, large}, {large, 0}}}, {}).empty()) << large;
  EXPECT_FALSE(text_plot({{"l", {0, 1}, {0, 1}}}, {.columns = -5, .rows = 0}).empty());
}

TEST(TextPlot, Logarithms) {
  const Series series{"h", {0, 1, 2, 3}, {1e-6, 1e-3, 0, 1}};
  const std::string text = text_plot({series}, {.log_y = true, .rows = 13});
  EXPECT_NE(text.find("10⁻⁴ ┤"), std::string::npos) << text;
  const std::string ascii = text_plot({series}, {.log_y = true, .rows = 13, .ascii = true});
  EXPECT_NE(ascii.find("1e-4 +"), std::string::npos) << ascii;
  EXPECT_TRUE(is_ascii(ascii));
  EXPECT_TRUE(is_ascii(text_plot({{"h", {0, 1e7}, {-2e-9, 3e-9}}}, {.ascii = true})));
}

TEST(TextPlot, NamesDoNothingToTheTerminal) {
  const std::string bad = "\x1b[31mred\x07\r\n\xC2\x9B\xFFtail";
  const std::string text = text_plot({{bad, {0, 1}, {0, 1}}}, {.title = bad, .x_label = bad, .y_label = bad});
  for (const char c : {'\x1b', '\x07', '\r', '\xFF'}) EXPECT_EQ(text.find(c), std::string::npos);
  EXPECT_EQ(text.find("\xC2\x9B"), std::string::npos);
  EXPECT_EQ(printable(bad, true), "?[31mred?????tail");
  EXPECT_EQ(printable("Größe", false), "Größe");
  EXPECT_EQ(printable("Größe", true), "Gr??e");
  EXPECT_EQ(printable("cut \xE2\x82", false), "cut \xEF\xBF\xBD\xEF\xBF\xBD");
  const std::string name(300, 'n');
  EXPECT_LE(widest(text_plot({{name, {0, 1}, {0, 1}}}, {.title = name, .ascii = true})), 80u);
}

TEST(TerminalText, NumbersInAscii) {
  EXPECT_EQ(ascii_number("10⁻¹²"), "1e-12");
  EXPECT_EQ(ascii_number("×10⁵"), "x1e5");
  EXPECT_EQ(ascii_number("−0.25"), "-0.25");
  EXPECT_EQ(ascii_number("10"), "10");
}

}  // namespace
}  // namespace trammel
