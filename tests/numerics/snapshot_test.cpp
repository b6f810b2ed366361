// Numbers, texts and lists of both go into a snapshot and come back; what does not fit is noticed.
#include "trammel/numerics/snapshot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace trammel {
namespace {

enum class Color { red, green };

struct Part {
  std::string name;
  double value = 0;
  void carry(Carrier& carried) { carried(name, value); }
  bool operator==(const Part&) const = default;
};

struct Whole {
  bool flag = false;
  long count = 0;
  std::size_t next = 0;
  Color color = Color::red;
  double infinite = 0, tiny = 0;
  Vector vector;
  std::array<int, 2> pair{};
  std::vector<char> marks;
  std::vector<std::string> notes;
  std::vector<Part> parts;

  void carry(Carrier& carried) {
    carried(flag, count, next, color, infinite, tiny, vector, pair, marks, notes, parts);
  }
};

Whole example() {
  Whole whole;
  whole.flag = true;
  whole.count = -(1L << 52) - 1;
  whole.next = 7;
  whole.color = Color::green;
  whole.infinite = -std::numeric_limits<double>::infinity();
  whole.tiny = std::numeric_limits<double>::denorm_min();
  whole.vector = Vector::LinSpaced(5, 0, 1);
  whole.pair = {3, -4};
  whole.marks = {1, 0, 1};
  whole.notes = {"", "Gelenk \xC3\xBC, with \"quotes\"\n", std::string("zero\0inside", 11)};
  whole.parts = {{"a", 0.1}, {"b", 1 / 3.0}};
  return whole;
}

TEST(SnapshotNumbers, AllKindsOfValuesComeBack) {
  Whole first = example(), second;
  Snapshot snapshot;
  Carrier saving = Carrier::saving(snapshot);
  first.carry(saving);
  EXPECT_FALSE(saving.is_copying());
  // as through a file
  const Snapshot copy(snapshot.numbers());
  EXPECT_TRUE(copy == snapshot);
  Carrier restoring = Carrier::restoring(copy);
  second.carry(restoring);
  EXPECT_TRUE(restoring.fits());
  EXPECT_TRUE(restoring.is_at_end());
  EXPECT_EQ(second.flag, first.flag);
  EXPECT_EQ(second.count, first.count);
  EXPECT_EQ(second.next, first.next);
  EXPECT_EQ(second.color, first.color);
  EXPECT_EQ(second.infinite, first.infinite);
  EXPECT_EQ(second.tiny, first.tiny);
  EXPECT_EQ(second.vector, first.vector);
  EXPECT_EQ(second.pair, first.pair);
  EXPECT_EQ(second.marks, first.marks);
  EXPECT_EQ(second.notes, first.notes);
  EXPECT_EQ(second.parts, first.parts);
}

TEST(SnapshotNumbers, ACopyIsTheSame) {
  Whole whole = example();
  Snapshot saved, copied;
  Carrier saving = Carrier::saving(saved), copying = Carrier::copying(copied);
  whole.carry(saving);
  whole.carry(copying);
  EXPECT_TRUE(copying.is_saving());
  EXPECT_TRUE(copying.is_copying());
  EXPECT_TRUE(saved == copied);
}

// Whatever is cut off, and whatever a length says: nothing is read behind the end.
TEST(SnapshotNumbers, WhatIsCutOffOrTooLongDoesNotFit) {
  Whole whole = example();
  Snapshot snapshot;
  Carrier saving = Carrier::saving(snapshot);
  whole.carry(saving);
  for (std::size_t length = 0; length < snapshot.numbers().size(); ++length) {
    const Snapshot part(std::vector<double>(
        snapshot.numbers().begin(), snapshot.numbers().begin() + static_cast<std::ptrdiff_t>(length)));
    Carrier restoring = Carrier::restoring(part);
    Whole other;
    other.carry(restoring);
    EXPECT_FALSE(restoring.fits()) << length;
  }
  std::vector<double> huge = snapshot.numbers();
  huge[6] = 1e15;  // the length of the vector
  const Snapshot damaged(huge);
  Carrier restoring = Carrier::restoring(damaged);
  Whole other;
  other.carry(restoring);
  EXPECT_FALSE(restoring.fits());
}

}  // namespace
}  // namespace trammel
