#include "trammel/simulation/table_motion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "trammel/mechanism/measured_function.h"
#include "trammel/numerics/interpolating_spline.h"
#include "trammel/numerics/nearest_name.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {

// One coordinate over time, with as much of its derivatives as the table tells.
struct TableMotion::Coordinate {
  std::string name;
  InterpolatingSpline position;
  std::optional<InterpolatingSpline> rate, acceleration;

  Taylor<double> operator()(double t) const {
    const std::array<double, 3> at = position(0, t);
    double first = at[1], second = at[2];
    if (rate) {
      first = (*rate)(0, t)[0];
      second = (*rate)(0, t)[1];
    }
    if (acceleration) second = (*acceleration)(0, t)[0];
    return {at[0], first, second};
  }
};

namespace {

class GivenMotion final : public TimeFunction {
 public:
  explicit GivenMotion(std::function<Taylor<double>(double)> motion) : motion_(std::move(motion)) {}
  Taylor<double> operator()(double t) const override { return motion_(t); }

 private:
  std::function<Taylor<double>(double)> motion_;
};

std::string coordinate_of_channel(const std::string& channel) {
  for (const char* ending : {"_rate", "_acceleration"})
    if (channel.ends_with(ending)) return channel.substr(0, channel.size() - std::string(ending).size());
  return channel;
}

InterpolatingSpline spline_of(const Recording& table, const Channel& channel) {
  try {
    return {table.times(),
            Eigen::Map<const Vector>(channel.values.data(), static_cast<Index>(channel.values.size()))};
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("'{}' of the table: {}", channel.name, error.what()));
  }
}

}  // namespace

TableMotion::TableMotion(const Mechanism& mechanism, const Recording& table) {
  const MeasuredFunctions functions(mechanism);
  std::vector<std::string> known;
  for (const Joint& joint : mechanism.joints)
    for (const std::string& coordinate : coordinate_names(joint.type))
      known.push_back(joint.name + "." + coordinate);
  bool all_rates = true, all_accelerations = true;
  for (const Channel& channel : table.channels()) {
    const std::string name = coordinate_of_channel(channel.name);
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw std::invalid_argument(
          fmt::format("the table has a column '{}', which is no joint coordinate{}; there are {}",
                      channel.name, hint(name, known), fmt::join(known, ", ")));
    const Channel* position = table.find(name);
    if (position == nullptr)
      throw std::invalid_argument(fmt::format("the table has '{}' without '{}'", channel.name, name));
    if (channel.name != name) continue;
    auto coordinate = std::make_shared<Coordinate>(Coordinate{name, spline_of(table, channel), {}, {}});
    if (const Channel* rate = table.find(name + "_rate")) coordinate->rate.emplace(spline_of(table, *rate));
    if (const Channel* second = table.find(name + "_acceleration"))
      coordinate->acceleration.emplace(spline_of(table, *second));
    all_rates = all_rates && coordinate->rate;
    all_accelerations = all_accelerations && coordinate->acceleration;
    coordinates_.push_back(std::move(coordinate));
  }
  if (coordinates_.empty()) throw std::invalid_argument("the table has no joint coordinates");
  const int degree = coordinates_.front()->position.degree();
  source_ = fmt::format("positions as in the table, velocities {}, accelerations {}",
                        all_rates ? "too" : fmt::format("by splines of degree {} through them", degree),
                        all_accelerations ? "as in the table"
                        : all_rates ? fmt::format("by splines of degree {} through the velocities", degree)
                                    : "by the same splines where the table has none");

  Mechanism driven = mechanism;
  const std::size_t first = driven.drivers.size();
  for (const auto& coordinate : coordinates_) {
    Driver driver;
    driver.name = "motion of " + coordinate->name;
    driver.coordinate = coordinate->name;
    driver.motion = Law((*coordinate)(table.times().front()).value);
    driven.drivers.push_back(driver);
  }
  driven.extensions.emplace_back([first, coordinates = coordinates_](Elements& elements) {
    for (std::size_t i = 0; i < coordinates.size(); ++i)
      for (RowSystem::Driven& row : elements.holonomic.driven)
        if (row.row == elements.driver_rows[first + i].first)
          row.function =
              std::make_unique<GivenMotion>([one = coordinates[i]](double t) { return (*one)(t); });
  });
  equations_ = std::make_unique<JointEquations>(driven);
  motion_ = equations_->mechanism_motion();
  state_ = std::make_unique<ConsistentState>(*motion_);
}

TableMotion::~TableMotion() = default;

Failure TableMotion::start(double t) {
  x_ = equations_->initial_state();
  AssemblyOptions options;
  options.weights = equations_->weights();
  const AssemblyReport report = Assembly(*equations_, options).run(t, x_);
  if (report.failure) return report.failure;
  if (report.degrees_of_freedom > 0) {
    std::vector<std::string> given;
    for (const auto& coordinate : coordinates_) given.push_back(coordinate->name);
    std::vector<std::string> others;
    for (const JointCoordinate& coordinate : equations_->elements().coordinates)
      if (std::find(given.begin(), given.end(), coordinate.name) == given.end())
        others.push_back(coordinate.name);
    return {Reason::invalid_options,
            fmt::format("the table leaves {} degree{} of freedom open: it has {}; other coordinates are {}",
                        report.degrees_of_freedom, report.degrees_of_freedom == 1 ? "" : "s",
                        fmt::join(given, ", "),
                        others.empty() ? "none" : fmt::format("{}", fmt::join(others, ", ")))};
  }
  started_ = true;
  return state_->start(t, x_);
}

Failure TableMotion::find(double t, const Layout& layout, Vector& x, Vector& accelerations) {
  const Layout& l = equations_->layout();
  if (!started_) {
    if (Failure failure = start(t)) return failure;
  } else {
    // coordinates of the tree as they are, the others as they were
    for (const auto& coordinate : coordinates_) {
      const auto& names = equations_->names().p;
      const auto found = std::find(names.begin(), names.end(), coordinate->name);
      if (found != names.end()) x_[l.p.begin + (found - names.begin())] = (*coordinate)(t).value;
    }
    if (Failure failure = state_->project(t, x_)) return failure;
  }
  motion_->follow(t, x_);
  if (Failure failure = state_->accelerate(t, x_)) return failure;
  accelerations = state_->accelerations();
  x = Vector::Zero(layout.total);
  x.segment(layout.p.begin, layout.p.size) = x_.segment(l.p.begin, l.p.size);
  x.segment(layout.v.begin, layout.v.size) = x_.segment(l.v.begin, l.v.size);
  x.segment(layout.r.begin, layout.r.size) = x_.segment(l.r.begin, l.r.size);
  return {};
}

}  // namespace trammel
