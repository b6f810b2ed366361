// Interpolation by a table: values, slopes and continuity of each kind, outside of the points, with every
// number type.
#include "trammel/mechanism/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace trammel {
namespace {

using Interpolation = Table::Interpolation;
using Outside = Table::Outside;

const std::vector<double> uneven_x{-1, 0, 0.5, 2, 3.5}, uneven_y{2, 1, 1.5, -1, 4};

TEST(Table, goes_through_its_points) {
  for (const Interpolation kind : {Interpolation::linear, Interpolation::cubic, Interpolation::monotone})
    for (const Outside outside : {Outside::hold, Outside::extend}) {
      const Table table(uneven_x, uneven_y, kind, outside);
      for (std::size_t i = 0; i < uneven_x.size(); ++i) {
        EXPECT_DOUBLE_EQ(table(uneven_x[i]), uneven_y[i]);
        // and continuously so
        EXPECT_NEAR(table(uneven_x[i] - 1e-9), uneven_y[i], 1e-7);
      }
      EXPECT_EQ(table.begin(), -1);
      EXPECT_EQ(table.end(), 3.5);
    }
}

TEST(Table, linear_is_straight_between_points) {
  const Table table(uneven_x, uneven_y, Interpolation::linear);
  EXPECT_DOUBLE_EQ(table(-0.25), 1.25);
  EXPECT_DOUBLE_EQ(table(1.25), 0.25);
  EXPECT_DOUBLE_EQ(table.derivatives(1.0)[1], -2.5 / 1.5);
  EXPECT_EQ(table.derivatives(1.0)[2], 0);
  // at a corner, the slope to the right
  EXPECT_DOUBLE_EQ(table.derivatives(0.5)[1], -2.5 / 1.5);
}

// The natural spline through (0, 0), (1, 1), (2, 0) is 1.5 x − 0.5 x³ and its mirror image.
TEST(Table, cubic_is_the_natural_spline) {
  const Table table(std::vector<double>{0, 1, 2}, std::vector<double>{0, 1, 0}, Interpolation::cubic);
  for (const double x : {0.0, 0.3, 0.9})
    for (const double sign : {1.0, -1.0}) {
      const Derivatives f = table.derivatives(1 + sign * (x - 1));
      EXPECT_NEAR(f[0], 1.5 * x - 0.5 * x * x * x, 1e-15);
      if (x == 0.0 && sign < 0) continue;  // the end, where the outside begins
      EXPECT_NEAR(f[1], sign * (1.5 - 1.5 * x * x), 1e-14);
      EXPECT_NEAR(f[2], -3 * x, 1e-14);
      EXPECT_NEAR(f[3], -3 * sign, 1e-14);
    }
}

TEST(Table, cubic_has_two_continuous_derivatives) {
  const Table table(uneven_x, uneven_y, Interpolation::cubic, Outside::extend);
  for (const double x : uneven_x) {
    const Derivatives left = table.derivatives(std::nextafter(x, -10.0)), right = table.derivatives(x);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(left[i], right[i], 1e-12) << x << ", derivative " << i;
  }
  EXPECT_NE(table.derivatives(0.4)[3], table.derivatives(0.6)[3]);
}

TEST(Table, monotone_does_not_overshoot) {
  const std::vector<double> x{0, 1, 2, 2.1, 3, 4, 7}, y{0, 0, 0.1, 5, 5, 5.5, 5};
  const Table monotone(x, y, Interpolation::monotone), cubic(x, y, Interpolation::cubic);
  bool cubic_overshoots = false;
  for (std::size_t i = 0; i + 1 < x.size(); ++i)
    for (double u = 0; u <= 1; u += 1.0 / 64) {
      const double at = x[i] + u * (x[i + 1] - x[i]);
      const double low = std::min(y[i], y[i + 1]), high = std::max(y[i], y[i + 1]);
      EXPECT_GE(monotone(at), low - 1e-13) << at;
      EXPECT_LE(monotone(at), high + 1e-13) << at;
      if (u < 1) {
        EXPECT_GE(monotone.derivatives(at)[1] * (y[i + 1] - y[i]), -1e-13) << at;
      }
      cubic_overshoots = cubic_overshoots || cubic(at) > high + 0.1;
    }
  EXPECT_TRUE(cubic_overshoots) << "the points are no test of overshooting";
  // the slope is continuous
  for (const double knot : {1.0, 2.0, 2.1, 3.0, 4.0})
    EXPECT_NEAR(monotone.derivatives(std::nextafter(knot, 0.0))[1], monotone.derivatives(knot)[1], 1e-11);
}

TEST(Table, monotone_reproduces_a_gentle_parabola) {
  const std::vector<double> x{1, 1.5, 2.5, 3, 4};
  std::vector<double> y;
  for (const double value : x) y.push_back(value * value);
  const Table table(x, y, Interpolation::monotone);
  for (double at = 1; at < 4; at += 0.1) EXPECT_NEAR(table(at), at * at, 1e-13);
}

TEST(Table, two_points_are_a_line) {
  for (const Interpolation kind : {Interpolation::linear, Interpolation::cubic, Interpolation::monotone}) {
    const Table table(std::vector<double>{1, 3}, std::vector<double>{2, 8}, kind);
    EXPECT_NEAR(table(1.5), 3.5, 1e-15);
    EXPECT_NEAR(table.derivatives(2.0)[2], 0, 1e-14);
  }
}

TEST(Table, outside_holds_or_extends) {
  for (const Interpolation kind : {Interpolation::linear, Interpolation::cubic, Interpolation::monotone}) {
    const Table hold(uneven_x, uneven_y, kind, Outside::hold),
        extend(uneven_x, uneven_y, kind, Outside::extend);
    EXPECT_EQ(hold(-7.0), 2);
    EXPECT_EQ(hold(9.0), 4);
    EXPECT_EQ(hold.derivatives(-7)[1], 0);
    EXPECT_EQ(hold.derivatives(9)[1], 0);
    const double first = hold.derivatives(-1)[1], last = hold.derivatives(std::nextafter(3.5, 0.0))[1];
    EXPECT_DOUBLE_EQ(extend(-3.0), 2 - 2 * first);
    EXPECT_NEAR(extend(5.5), 4 + 2 * last, 1e-12);
    EXPECT_DOUBLE_EQ(extend.derivatives(-3)[1], first);
    EXPECT_EQ(extend.derivatives(-3)[2], 0);
    EXPECT_EQ(extend.derivatives(5)[2], 0);
  }
}

TEST(Table, carries_derivatives_of_every_number_type) {
  const Table table(uneven_x, uneven_y, Interpolation::cubic);
  for (const double x : {-0.3, 0.2, 1.7, 3.0}) {
    const double v = 0.7, a = -1.3;
    const Derivatives f = table.derivatives(x);

    const auto dual = table(Dual<double, 3>::variable(x, 1));
    EXPECT_EQ(dual.value, table(x));
    EXPECT_EQ(dual.derivative[0], 0);
    EXPECT_EQ(dual.derivative[1], f[1]);

    const auto taylor = table(Taylor<double>(x, v, a));
    EXPECT_EQ(taylor.value, table(x));
    EXPECT_DOUBLE_EQ(taylor.first, f[1] * v);
    EXPECT_DOUBLE_EQ(taylor.second, f[2] * v * v + f[1] * a);

    using D = Dual<double, 3>;
    const auto mixed = table(Taylor<D>(D::variable(x, 0), D::variable(v, 1), D::variable(a, 2)));
    EXPECT_DOUBLE_EQ(mixed.second.derivative[0], f[3] * v * v + f[2] * a);
    EXPECT_DOUBLE_EQ(mixed.second.derivative[1], 2 * f[2] * v);
    EXPECT_DOUBLE_EQ(mixed.second.derivative[2], f[1]);

    Dual<D, 2> nested;
    nested.value = D::variable(x, 0);
    nested.derivative[0] = D(1.0);
    EXPECT_DOUBLE_EQ(table(nested).derivative[0].derivative[0], f[2]);

    // and they are those of the values
    const double h = 1e-5;
    EXPECT_NEAR((table(x + h) - table(x - h)) / (2 * h), f[1], 1e-8);
    for (std::size_t i = 1; i < 4; ++i)
      EXPECT_NEAR((table.derivatives(x + h)[i - 1] - table.derivatives(x - h)[i - 1]) / (2 * h), f[i], 1e-8);
  }
}

TEST(Table, lets_not_a_number_through) {
  const Table table(uneven_x, uneven_y);
  EXPECT_TRUE(std::isnan(table(std::numeric_limits<double>::quiet_NaN())));
}

std::string refusal(const std::vector<double>& x, const std::vector<double>& y,
                    Interpolation kind = Interpolation::linear) {
  try {
    const Table table(x, y, kind);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Table, refuses_points_it_cannot_interpolate) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal({0, 1, 2}, {0, 1}), "a table needs as many y as x, but there are 3 x and 2 y");
  EXPECT_EQ(refusal({}, {}), "a table needs at least 2 points, but there are 0");
  EXPECT_EQ(refusal({1}, {1}), "a table needs at least 2 points, but there are 1");
  EXPECT_EQ(refusal({0, 1, 1}, {0, 1, 2}), "the x of a table must ascend, but x = 1 is followed by x = 1");
  EXPECT_EQ(refusal({0, 2, 1}, {0, 1, 2}), "the x of a table must ascend, but x = 2 is followed by x = 1");
  EXPECT_EQ(refusal({0, nan}, {0, 1}), "point 2 of the table, (nan, 1), is not finite");
  EXPECT_EQ(refusal({0, 1}, {inf, 1}), "point 1 of the table, (0, inf), is not finite");
  for (const Interpolation kind : {Interpolation::linear, Interpolation::cubic, Interpolation::monotone}) {
    EXPECT_NE(refusal({0, 1e-320, 1}, {0, 1, 2}, kind).find("too close"), std::string::npos);
    EXPECT_NE(refusal({-1.5e308, 1.5e308}, {0, 1}, kind).find("too far apart"), std::string::npos);
  }
}

}  // namespace
}  // namespace trammel
