#include "trammel/derivatives/way_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "trammel/numerics/differentiation/c_code.h"
#include "trammel/numerics/differentiation/compiled_code.h"
#include "trammel/numerics/thread_team.h"

namespace trammel {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Of this thread alone: others that run beside it do not count.
double processor_seconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Time that others spend on a sweep for this thread would not be seen: it does all by itself while this lives.
class OneThread {
 public:
  OneThread() : before_(ThreadTeam::of_process().threads()) { ThreadTeam::of_process().set_threads(1); }
  ~OneThread() { ThreadTeam::of_process().set_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

// Two points a little apart, taken in turn: what is known of a point must not be had for nothing.
struct Points {
  explicit Points(std::vector<double> point, int displacements) : first(point), second(std::move(point)) {
    for (std::size_t i = static_cast<std::size_t>(displacements); i < second.size(); ++i) second[i] += 1e-9;
  }
  const std::vector<double>& operator[](int i) const { return i % 2 == 0 ? first : second; }
  std::vector<double> first, second;
};

double seconds_of(const ComparisonTiming& timing, const Points& points, const auto& call) {
  call(points[0]);
  // to ask for the time takes as long as a small function: so many calls go between that it does not count
  constexpr double much_longer_than_asking = 50e-6;
  double best = INFINITY;
  int batch = 1, count = 0;
  for (int repetition = 0; repetition < timing.repetitions; ++repetition) {
    double total = 0;
    do {
      const double start = processor_seconds();
      for (int i = 0; i < batch; ++i) call(points[++count % 2]);
      const double elapsed = processor_seconds() - start;
      total += elapsed;
      if (elapsed < much_longer_than_asking)
        batch *= 2;
      else
        best = std::min(best, elapsed / batch);
    } while (total < timing.seconds / timing.repetitions || best == INFINITY);
  }
  return best;
}

double largest_error(const Matrix& found, const Matrix& reference) {
  double largest = 0;
  // a row that is round-off is held against the others
  const double least = std::max(1e-6 * reference.cwiseAbs().maxCoeff(), 1e-300);
  for (Index i = 0; i < reference.rows(); ++i) {
    const double scale = std::max(reference.row(i).cwiseAbs().maxCoeff(), least);
    const double error = (found.row(i) - reference.row(i)).cwiseAbs().maxCoeff() / scale;
    if (!(error <= largest)) largest = error;  // also what is not a number
  }
  return largest;
}

double generated_evaluation(const FunctionOfMechanism& function, const Points& points,
                            const ComparisonTiming& timing) {
  const RecordedFunction& graph = function.graph();
  if (operation_count(graph) > most_generated_operations || graph.outputs.empty()) return 0;
  const CFunction code{.name = "trammel_function",
                       .inputs = {{"x", graph.inputs}},
                       .outputs = {{"y", static_cast<int>(graph.outputs.size())}},
                       .recorded = &graph};
  const CompiledCode compiled("#include <math.h>\n\n" + c_definitions({code}));
  const auto evaluate = reinterpret_cast<void (*)(const double*, double*)>(compiled.find("trammel_function"));
  std::vector<double> y(graph.outputs.size());
  return seconds_of(timing, points, [&](const std::vector<double>& x) { evaluate(x.data(), y.data()); });
}

WayCost library_cost(FunctionOfMechanism& function, const Points& points, const ComparisonTiming& timing,
                     const Matrix& reference) {
  WayCost cost{.way = "library", .description = "element by element, put together along the mechanism"};
  cost.seconds =
      seconds_of(timing, points, [&](const std::vector<double>& x) { function.compute_slopes(x); });
  function.compute_slopes(points.first);
  const Matrix found = function.slopes();
  cost.entries = static_cast<std::size_t>((found.array() != 0).count());
  cost.directions = function.columns();
  cost.error = largest_error(found, reference);
  return cost;
}

WayCost cost_of(const std::string& name, const DifferentiableFunction& function, const Points& points,
                const ComparisonTiming& timing, const Matrix& reference) {
  WayCost cost{.way = name};
  for (const DifferentiationWay& way : differentiation_ways())
    if (way.name == name) cost.description = way.description;
  try {
    const Clock::time_point start = Clock::now();
    const std::unique_ptr<Jacobian> jacobian = make_jacobian(name, function, points.first);
    cost.preparation = since(start);
    std::vector<double> entries(jacobian->pattern().entries());
    cost.seconds =
        seconds_of(timing, points, [&](const std::vector<double>& x) { jacobian->compute(x, entries); });
    cost.bytes = jacobian->bytes() + entries.size() * sizeof(double);
    cost.directions = jacobian->directions();
    cost.entries = entries.size();
    cost.error = largest_error(jacobian->dense(points.first), reference);
  } catch (const std::runtime_error& error) {
    cost.failure = error.what();
  }
  return cost;
}

}  // namespace

WayComparison compare_ways(FunctionOfMechanism& function, double t, const VectorIn& x,
                           std::vector<std::string> ways, const ComparisonTiming& timing) {
  const OneThread alone;
  const Points points(function.point(t, x), function.recorded().inputs.velocities);
  const std::optional<DifferentiableFunction> library = function.by_library();
  const DifferentiableFunction recorded = function.by_recording();

  WayComparison result;
  result.coordinates = function.recorded().coordinates;
  result.rows = recorded.outputs;
  result.columns = recorded.inputs;
  result.pattern = pattern_of(function.graph(), function.columns());
  result.operations = operation_count(function.graph());
  if (result.rows == 0) return result;

  Matrix reference;
  if (function.has_slopes()) {
    result.reference = "the library's own slopes";
    function.compute_slopes(points.first);
    reference = function.slopes();
  } else {
    result.reference = "forward duals";
    reference = make_jacobian("forward", recorded)->dense(points.first);
  }

  std::vector<double> y(static_cast<std::size_t>(result.rows));
  const auto evaluation = [&](const DifferentiableFunction& of) {
    return seconds_of(timing, points, [&](const std::vector<double>& at) { of.plain(at, y); });
  };
  if (library) result.library_seconds = evaluation(*library);
  result.recorded_seconds = evaluation(recorded);
  if (ways.empty()) {
    if (function.has_slopes()) ways.emplace_back("library");
    for (const DifferentiationWay& way : differentiation_ways())
      if (way.is_available) ways.push_back(way.name);
  }
  if (std::find(ways.begin(), ways.end(), "generated") != ways.end())
    result.generated_seconds = generated_evaluation(function, points, timing);
  const double one = library ? result.library_seconds : result.recorded_seconds;
  for (const std::string& way : ways) {
    // differences are of the faster evaluation of the two that need no compiler
    const bool by_library = library && result.library_seconds < result.recorded_seconds;
    const bool is_difference = way.starts_with("central");
    WayCost cost = way == "library" ? library_cost(function, points, timing, reference)
                                    : cost_of(way, is_difference && by_library ? *library : recorded, points,
                                              timing, reference);
    cost.ratio = cost.seconds / one;
    result.ways.push_back(std::move(cost));
  }
  return result;
}

}  // namespace trammel
