#include "trammel/mechanism/time_function.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "trammel/mechanism/time_corners.h"

namespace trammel {
namespace {

double evaluate_at(const Expression& expression, double t) {
  const std::array<double, 1> inputs{t};
  return expression.evaluate<double>(inputs);
}

Taylor<double> evaluate_along(const Expression& expression, double t) {
  const std::array<Taylor<double>, 1> inputs{Taylor<double>(t, 1.0, 0.0)};
  return expression.evaluate<Taylor<double>>(inputs);
}

// Nodes and weights of Gauss and Kronrod with 7 and 15 points on [−1, 1]: R. Piessens et al., QUADPACK,
// Springer 1983. Every second Kronrod node is one of Gauss.
constexpr std::array<double, 8> kronrod_nodes = {
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
    0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0.000000000000000000000000000000000};
constexpr std::array<double, 8> kronrod_weights = {
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
    0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
constexpr std::array<double, 4> gauss_weights = {
    0.129484966168869693270611432679082, 0.279705391489276667901467771423780,
    0.381830050505118944950369775488975, 0.417959183673469387755102040816327};

struct Piece {
  double from = 0, to = 0;
  double integral = 0;
  double error = 0;      // zero if it is round-off
  double magnitude = 0;  // the integral of the absolute value
};

template <class Integrand>
Piece gauss_kronrod(const Integrand& integrand, double from, double to) {
  const double centre = 0.5 * (from + to), half = 0.5 * (to - from);
  double kronrod = 0, gauss = 0, magnitude = 0;
  for (std::size_t i = 0; i < kronrod_nodes.size(); ++i) {
    const bool is_centre = i + 1 == kronrod_nodes.size();
    const double right = integrand(centre + half * kronrod_nodes[i]);
    const double left = is_centre ? 0.0 : integrand(centre - half * kronrod_nodes[i]);
    kronrod += kronrod_weights[i] * (left + right);
    magnitude += kronrod_weights[i] * (std::abs(left) + std::abs(right));
    if (i % 2 == 1) gauss += gauss_weights[i / 2] * (left + right);
  }
  // the error of Kronrod's rule is about that of Gauss's to the power of 1.5: of 1e-12, round-off is left
  const double difference = std::abs(kronrod - gauss);
  const double error = difference > 1e-12 * magnitude ? std::abs(half) * difference : 0.0;
  return {from, to, half * kronrod, error, std::abs(half) * magnitude};
}

// Halves the worst piece until what is left to gain is round-off. A corner or a jump takes some fifty
// halvings; a noisy integrand, which no halving improves, ends at the limit.
template <class Integrand>
double adaptive_integral(const Integrand& integrand, double from, double to) {
  constexpr std::size_t most_pieces = 300;
  const Piece whole = gauss_kronrod(integrand, from, to);
  const double negligible = 1e-16 * whole.magnitude;
  if (!(whole.error > negligible)) return whole.integral;
  const auto better = [](const Piece& a, const Piece& b) { return a.error < b.error; };
  std::vector<Piece> pieces{whole};  // a heap, the worst first
  while (pieces.front().error > negligible && pieces.size() < most_pieces) {
    std::pop_heap(pieces.begin(), pieces.end(), better);
    const Piece worst = pieces.back();
    const double middle = 0.5 * (worst.from + worst.to);
    pieces.back() = gauss_kronrod(integrand, worst.from, middle);
    std::push_heap(pieces.begin(), pieces.end(), better);
    pieces.push_back(gauss_kronrod(integrand, middle, worst.to));
    std::push_heap(pieces.begin(), pieces.end(), better);
  }
  double sum = 0;
  for (const Piece& piece : pieces) sum += piece.integral;
  return sum;
}

class DrivenPosition final : public TimeFunction {
 public:
  explicit DrivenPosition(Expression motion) : motion_(std::move(motion)) {}
  Taylor<double> operator()(double t) const override { return evaluate_along(motion_, t); }
  Formula formula() const override { return {&motion_, 0}; }

 private:
  Expression motion_;
};

class DrivenVelocity final : public TimeFunction {
 public:
  explicit DrivenVelocity(Expression motion) : motion_(std::move(motion)) {}
  Taylor<double> operator()(double t) const override {
    const Taylor<double> velocity = evaluate_along(motion_, t);
    return {0.0, velocity.value, velocity.first};
  }
  Formula formula() const override { return {&motion_, 1}; }

 private:
  Expression motion_;
};

class DrivenAcceleration final : public TimeFunction {
 public:
  DrivenAcceleration(const Expression& motion, double initial_rate)
      : motion_(motion), change_(motion), initial_rate_(initial_rate) {}
  Taylor<double> operator()(double t) const override {
    return {0.0, initial_rate_ + change_(t), evaluate_at(motion_, t)};
  }
  Formula formula() const override { return {&motion_, 2}; }

 private:
  Expression motion_;
  TimeIntegral change_;
  double initial_rate_;
};

}  // namespace

std::unique_ptr<TimeFunction> make_time_function(Driver::Level level, Expression motion,
                                                 double initial_rate) {
  switch (level) {
    case Driver::Level::position:
      return std::make_unique<DrivenPosition>(std::move(motion));
    case Driver::Level::velocity:
      return std::make_unique<DrivenVelocity>(std::move(motion));
    case Driver::Level::acceleration:
      break;
  }
  return std::make_unique<DrivenAcceleration>(motion, initial_rate);
}

double TimeIntegral::piece(double from, double to) const {
  return adaptive_integral(
      [this](double t) { return (weight_ == Weight::time ? t : 1.0) * evaluate_at(integrand_, t); }, from,
      to);
}

// Lets the times that are known go beyond t, if it is not too far away.
void TimeIntegral::reach(double t) const {
  // seconds: most motions are smooth enough within; months of them fit into memory
  constexpr double cell = 0.5, block = 32 * cell, farthest = 5e6;
  while (times_.back() <= t && times_.back() < farthest) {
    const double from = times_.back();
    double to = from + block;
    std::vector<double> next;
    for (const TimeCorner& corner : time_corners(integrand_, from, to)) next.push_back(corner.t);
    // so many that it is noise: adaptive halving has its limit
    if (to - from < 1e-3 * block) {
      next.clear();
      to = from + block;
    }
    for (double time = from + cell; time < to; time += cell) next.push_back(time);
    next.push_back(to);
    std::sort(next.begin(), next.end());
    for (const double time : next) {
      if (!(time > times_.back())) continue;
      integrals_.push_back(integrals_.back() + piece(times_.back(), time));
      times_.push_back(time);
    }
  }
}

double TimeIntegral::operator()(double t) const {
  if (integrand_.is_constant())
    return evaluate_at(integrand_, 0) * (weight_ == Weight::time ? 0.5 * t * t : t);
  if (!(t > 0)) return piece(0, t);
  if (std::isinf(t)) return std::numeric_limits<double>::quiet_NaN();
  reach(t);
  const auto last =
      static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), t) - times_.begin()) - 1;
  return integrals_[last] + piece(times_[last], t);
}

}  // namespace trammel
