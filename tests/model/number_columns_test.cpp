// Columns of numbers: what separates them, headings, and that nothing damaged is taken for something else.
#include "trammel/model/number_columns.h"

#include <gtest/gtest.h>

namespace trammel {
namespace {

using Columns = std::array<std::vector<double>, 2>;

Columns read(const std::string& text, const std::array<std::size_t, 2>& columns = {0, 1}) {
  return read_number_columns(text, "f.csv", columns);
}

std::string fault_of(const std::string& text, const std::array<std::size_t, 2>& columns = {0, 1}) {
  try {
    read(text, columns);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no error";
}

TEST(NumberColumns, Separators) {
  const Columns expected{std::vector{0.0, 1.0, 2.0}, std::vector{10.0, 20.5, -30.0}};
  EXPECT_EQ(read("0,10\n1,20.5\n2,-30\n"), expected);
  EXPECT_EQ(read("0, 10\r\n1, 20.5\r\n2, -30\r\n"), expected);
  EXPECT_EQ(read("0,\t10\n1,\t20.5\n2,\t-30\n"), expected);
  EXPECT_EQ(read("0 10\n 1   20.5 \n2\t-30"), expected);
  EXPECT_EQ(read("0;10;\n1;20.5;\n2;-30;\n"), expected);
  EXPECT_EQ(read("\"0\",\"10\"\n\"1\",\"20.5\"\n\"2\",\"-30\"\n"), expected);
  EXPECT_EQ(read("+0,1e1\n1,20.5\n2,-3.e1\n"), expected);
  EXPECT_EQ(read("t,x,y\n1,2,3\n# b\n\n", {2, 1}), (Columns{std::vector{3.0}, std::vector{2.0}}));
}

TEST(NumberColumns, ByteOrderMark) {
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "0,10\n1,20\n"),
            (Columns{std::vector{0.0, 1.0}, std::vector{10.0, 20.0}}));
}

TEST(NumberColumns, DecimalCommas) {
  const Columns expected{std::vector{0.5, 1.0}, std::vector{10.25, 20.0}};
  EXPECT_EQ(read("0,5;10,25\n1,0;20\n"), expected);
  EXPECT_EQ(read("0,5\t10,25\n1\t20,0\n"), expected);
  EXPECT_EQ(
      fault_of("0,5 10,25\n"),
      "f.csv:1:3: '5 10' is not a number; do blanks or commas separate the columns? Put semicolons between "
      "them");
  EXPECT_EQ(fault_of("0,5;10.25\n"), "f.csv:1:5: '10.25' has a decimal '.', numbers before it a ','");
  EXPECT_EQ(fault_of("1.000,5;2\n"),
            "f.csv:1:1: '1.000,5' is not a number; a heading is the first line, or begins with '#'");
  // a heading tells how many columns there are
  EXPECT_EQ(fault_of("t,x\n0,5,10,25\n"), "f.csv:2:1: this line has 4 columns, the first one has 2");
}

TEST(NumberColumns, Headings) {
  const Columns expected{std::vector{0.0}, std::vector{10.0}};
  for (const std::string heading :
       {"t,x", "time [s]; position [m]", "time position of it", "# 1 2 3", "\"t\",\"x\""})
    EXPECT_EQ(read(heading + "\n0,10\n"), expected) << heading;
}

TEST(NumberColumns, DamagedNumbers) {
  const std::string hint = "' is not a number; a heading is the first line, or begins with '#'";
  EXPECT_EQ(fault_of("O,10\n1,20\n"), "f.csv:1:1: 'O" + hint);
  EXPECT_EQ(fault_of("0,1O\n1,20\n"), "f.csv:1:3: '1O" + hint);
  EXPECT_EQ(fault_of("0..5,x\n1,20\n"), "f.csv:1:1: '0..5" + hint);
  EXPECT_EQ(fault_of("-l,.5\n"), "f.csv:1:1: '-l" + hint);
  EXPECT_EQ(fault_of("t,x\n0,10\n1,2O\n"), "f.csv:3:3: '2O" + hint);
  EXPECT_EQ(fault_of("t,x\ns,m\n0,10\n"), "f.csv:2:1: 's" + hint);
  EXPECT_EQ(fault_of("0,nan\n"), "f.csv:1:3: 'nan" + hint);
  EXPECT_EQ(fault_of("0,1e999\n"), "f.csv:1:3: '1e999" + hint);
  EXPECT_EQ(fault_of("0,,10\n"), "f.csv:1:3: column 1 is empty here");
  EXPECT_EQ(fault_of("0,,10\n", {0, 2}), "no error");
  EXPECT_EQ(fault_of("0,10\n1,20,30\n"), "f.csv:2:1: this line has 3 columns, the first one has 2");
  EXPECT_EQ(fault_of("0,10\n", {0, 2}),
            "f.csv:1:1: this line has 2 columns; column 2 is wanted (the first is 0)");
}

}  // namespace
}  // namespace trammel
