#include "trammel/numerics/differentiation/jacobian.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "trammel/numerics/differentiation/adolc_jacobian.h"
#include "trammel/numerics/differentiation/c_code.h"
#include "trammel/numerics/differentiation/compiled_code.h"
#include "trammel/numerics/differentiation/graph_jacobian.h"
#include "trammel/numerics/differentiation/graph_program.h"
#include "trammel/numerics/nearest_name.h"

namespace trammel {
namespace {

using Wide = DifferentiableFunction::Wide;
constexpr int wide_directions = Wide::directions;

std::size_t bytes_of(const JacobianPattern& pattern) {
  return (pattern.begin.size() + pattern.column.size()) * sizeof(int);
}

// Columns that are found together, and which entries each of them has.
class ColumnGroups {
 public:
  // Each column by itself.
  explicit ColumnGroups(const JacobianPattern& pattern) : ColumnGroups(pattern, each(pattern.columns)) {}
  ColumnGroups(const JacobianPattern& pattern, const Colouring& colouring)
      : groups_(static_cast<std::size_t>(colouring.colours)) {
    for (int j = 0; j < pattern.columns; ++j)
      groups_[static_cast<std::size_t>(colouring.of_column[static_cast<std::size_t>(j)])].columns.push_back(
          j);
    for (int i = 0; i < pattern.rows; ++i)
      for (int k = pattern.begin[static_cast<std::size_t>(i)];
           k < pattern.begin[static_cast<std::size_t>(i) + 1]; ++k) {
        const int column = pattern.column[static_cast<std::size_t>(k)];
        groups_[static_cast<std::size_t>(colouring.of_column[static_cast<std::size_t>(column)])]
            .entries.push_back({i, k, column});
      }
  }

  struct Entry {
    int row, place, column;
  };
  struct Group {
    std::vector<int> columns;
    std::vector<Entry> entries;
  };
  const std::vector<Group>& groups() const { return groups_; }
  int count() const { return static_cast<int>(groups_.size()); }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Group& group : groups_)
      sum += group.columns.size() * sizeof(int) + group.entries.size() * sizeof(Entry);
    return sum;
  }

 private:
  static Colouring each(int columns) {
    Colouring colouring{columns, {}};
    for (int j = 0; j < columns; ++j) colouring.of_column.push_back(j);
    return colouring;
  }
  std::vector<Group> groups_;
};

// --- differences ------------------------------------------------------------------------------------------

class DifferenceJacobian final : public Jacobian {
 public:
  DifferenceJacobian(const DifferentiableFunction& function, const JacobianPattern& pattern,
                     const Colouring* colouring)
      : function_(function),
        groups_(colouring != nullptr ? ColumnGroups(pattern, *colouring) : ColumnGroups(pattern)),
        above_(static_cast<std::size_t>(function.outputs)),
        below_(above_.size()),
        step_(static_cast<std::size_t>(function.inputs)) {
    pattern_ = pattern;
    directions_ = groups_.count();
  }

  void compute(std::span<const double> x, std::span<double> entries) override {
    // truncation and round-off balance at the cube root of the machine's precision
    constexpr double relative = 6.0554544523933429e-6;
    at_.assign(x.begin(), x.end());
    for (std::size_t j = 0; j < step_.size(); ++j) {
      const double wanted = relative * (1 + std::abs(x[j]));
      volatile const double moved = x[j] + wanted;  // so that the step is what is really added
      step_[j] = moved - x[j];
    }
    for (const ColumnGroups::Group& group : groups_.groups()) {
      move(x, group, 1);
      function_.plain(at_, above_);
      move(x, group, -1);
      function_.plain(at_, below_);
      move(x, group, 0);
      for (const ColumnGroups::Entry& entry : group.entries) {
        const auto row = static_cast<std::size_t>(entry.row);
        entries[static_cast<std::size_t>(entry.place)] =
            (above_[row] - below_[row]) / (2 * step_[static_cast<std::size_t>(entry.column)]);
      }
    }
  }
  std::size_t bytes() const override {
    return bytes_of(pattern_) + groups_.bytes() +
           (at_.size() + 2 * above_.size() + step_.size()) * sizeof(double);
  }

 private:
  void move(std::span<const double> x, const ColumnGroups::Group& group, int sign) {
    for (const int column : group.columns) {
      const auto j = static_cast<std::size_t>(column);
      at_[j] = x[j] + sign * step_[j];
    }
  }

  DifferentiableFunction function_;
  ColumnGroups groups_;
  std::vector<double> at_, above_, below_, step_;
};

// --- complex step -----------------------------------------------------------------------------------------

class ComplexJacobian final : public Jacobian {
 public:
  ComplexJacobian(const RecordedFunction& recorded, int inputs)
      : program_(recorded),
        x_(static_cast<std::size_t>(recorded.inputs)),
        y_(recorded.outputs.size()),
        work_(static_cast<std::size_t>(program_.slots())) {
    pattern_ = JacobianPattern::full(static_cast<int>(recorded.outputs.size()), inputs);
    directions_ = inputs;
  }

  void compute(std::span<const double> x, std::span<double> entries) override {
    constexpr double step = 1e-150;  // nothing is subtracted: it only has to stay clear of underflow
    std::copy(x.begin(), x.end(), x_.begin());
    const auto columns = static_cast<std::size_t>(pattern_.columns);
    for (std::size_t j = 0; j < columns; ++j) {
      x_[j] = {x[j], step};
      program_.operator()<std::complex<double>>(x_, y_, work_);
      x_[j] = x[j];
      for (std::size_t i = 0; i < y_.size(); ++i) entries[i * columns + j] = y_[i].imag() / step;
    }
  }
  std::size_t bytes() const override {
    return program_.bytes() + (x_.size() + y_.size() + work_.size()) * sizeof(x_[0]);
  }

 private:
  GraphProgram program_;
  std::vector<std::complex<double>> x_, y_, work_;
};

// --- duals ------------------------------------------------------------------------------------------------

class DualJacobian final : public Jacobian {
 public:
  DualJacobian(const DifferentiableFunction& function, const JacobianPattern& pattern,
               const Colouring* colouring)
      : function_(function),
        groups_(colouring != nullptr ? ColumnGroups(pattern, *colouring) : ColumnGroups(pattern)),
        x_(static_cast<std::size_t>(function.inputs + function.parameters)),
        y_(static_cast<std::size_t>(function.outputs)) {
    pattern_ = pattern;
    directions_ = groups_.count();
  }

  void compute(std::span<const double> x, std::span<double> entries) override {
    for (std::size_t j = 0; j < x_.size(); ++j) x_[j] = Wide(x[j]);
    for (int first = 0; first < groups_.count(); first += wide_directions) {
      const int count = std::min(wide_directions, groups_.count() - first);
      const auto for_columns = [&](double seed) {
        for (int k = 0; k < count; ++k)
          for (const int column : groups_.groups()[static_cast<std::size_t>(first + k)].columns)
            x_[static_cast<std::size_t>(column)].derivative[static_cast<std::size_t>(k)] = seed;
      };
      for_columns(1);
      function_.dual(x_, y_);
      for_columns(0);
      for (int k = 0; k < count; ++k)
        for (const ColumnGroups::Entry& entry : groups_.groups()[static_cast<std::size_t>(first + k)].entries)
          entries[static_cast<std::size_t>(entry.place)] =
              y_[static_cast<std::size_t>(entry.row)].derivative[static_cast<std::size_t>(k)];
    }
  }
  std::size_t bytes() const override {
    return bytes_of(pattern_) + groups_.bytes() + (x_.size() + y_.size()) * sizeof(Wide);
  }

 private:
  DifferentiableFunction function_;
  ColumnGroups groups_;
  std::vector<Wide> x_, y_;
};

// --- generated code ---------------------------------------------------------------------------------------

class GeneratedJacobian final : public Jacobian {
 public:
  GeneratedJacobian(const RecordedFunction& recorded, int inputs) {
    SymbolicJacobian symbolic = symbolic_jacobian(recorded, inputs, WithValues::no);
    pattern_ = symbolic.pattern;
    directions_ = inputs;
    operations_ = operation_count(symbolic.function);
    if (operations_ > most_generated_operations)
      throw RecordingError(
          fmt::format("its generated Jacobian would be of {} operations, more than the {} that a "
                      "compiler takes in reasonable time",
                      operations_, most_generated_operations));
    const CFunction function{.name = "trammel_jacobian",
                             .inputs = {{"x", recorded.inputs}},
                             .outputs = {{"j", static_cast<int>(pattern_.entries())}},
                             .recorded = &symbolic.function};
    if (pattern_.entries() == 0) return;
    code_ = std::make_unique<CompiledCode>("#include <math.h>\n\n" + c_definitions({function}));
    compute_ = reinterpret_cast<Compute*>(code_->find("trammel_jacobian"));
  }

  void compute(std::span<const double> x, std::span<double> entries) override {
    if (compute_ != nullptr) compute_(x.data(), entries.data());
  }
  std::size_t bytes() const override { return bytes_of(pattern_) + (code_ ? code_->bytes() : 0); }

 private:
  using Compute = void(const double*, double*);
  std::size_t operations_ = 0;
  std::unique_ptr<CompiledCode> code_;
  Compute* compute_ = nullptr;
};

// --------------------------------------------------------------------------------------------------------------

const DifferentiationWay& known_way(const std::string& name) {
  std::vector<std::string> names;
  for (const DifferentiationWay& way : differentiation_ways()) {
    if (way.name == name) return way;
    names.push_back(way.name);
  }
  const std::string near = nearest_name(name, names);
  throw std::invalid_argument(fmt::format("there is no way of differentiation '{}'{}", name,
                                          near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
}

// A graph has to be asked for once only.
struct Offered {
  DifferentiableFunction function;
  std::optional<RecordedFunction> recorded;

  const RecordedFunction& graph() {
    if (!recorded) recorded = function.record();
    return *recorded;
  }
  JacobianPattern pattern(std::span<const double> x) {
    if (function.pattern) return *function.pattern;
    if (function.record) return pattern_of(graph(), function.inputs);
    if (static_cast<int>(x.size()) != function.inputs + function.parameters)
      throw std::invalid_argument("a pattern that is found by probing needs a point");
    JacobianPattern found = pattern_by_probing(function.plain, x, function.outputs);
    if (function.parameters == 0) return found;
    JacobianPattern kept{found.rows, function.inputs, {0}, {}};
    for (int i = 0; i < found.rows; ++i) {
      for (const int j : found.row(i))
        if (j < function.inputs) kept.column.push_back(j);
      kept.begin.push_back(static_cast<int>(kept.column.size()));
    }
    return kept;
  }
};

}  // namespace

DifferentiableFunction differentiable(const RecordedFunction& recorded, int inputs) {
  // each copy of the function has work space of its own
  struct Program {
    explicit Program(const RecordedFunction& recorded)
        : code(std::make_shared<const GraphProgram>(recorded)) {}
    std::shared_ptr<const GraphProgram> code;
  };
  const Program program(recorded);
  DifferentiableFunction function{.inputs = inputs,
                                  .parameters = recorded.inputs - inputs,
                                  .outputs = static_cast<int>(recorded.outputs.size())};
  const auto slots = static_cast<std::size_t>(program.code->slots());
  function.plain = [program, work = std::vector<double>(slots)](std::span<const double> x,
                                                                std::span<double> y) mutable {
    program.code->operator()<double>(x, y, work);
  };
  function.dual = [program, work = std::vector<Wide>(slots)](std::span<const Wide> x,
                                                             std::span<Wide> y) mutable {
    program.code->operator()<Wide>(x, y, work);
  };
  function.record = [recorded] { return recorded; };
  return function;
}

Matrix Jacobian::dense(std::span<const double> x) {
  std::vector<double> entries(pattern_.entries());
  compute(x, entries);
  Matrix J = Matrix::Zero(pattern_.rows, pattern_.columns);
  for (int i = 0; i < pattern_.rows; ++i)
    for (int k = pattern_.begin[static_cast<std::size_t>(i)];
         k < pattern_.begin[static_cast<std::size_t>(i) + 1]; ++k)
      J(i, pattern_.column[static_cast<std::size_t>(k)]) = entries[static_cast<std::size_t>(k)];
  return J;
}

const std::vector<DifferentiationWay>& differentiation_ways() {
  static const std::vector<DifferentiationWay> ways = {
      {"central", "central differences, column by column", false, true, false},
      {"central-coloured", "central differences on a coloured pattern", false, true, false},
      {"complex", "complex step, column by column"},
      {"forward", "forward duals, eight columns at a time"},
      {"sparse", "forward duals on a coloured pattern"},
      {"generated", "C code, generated, compiled and loaded"},
      {"adolc-forward", "ADOL-C, dense forward", true, has_adolc()},
      {"adolc-reverse", "ADOL-C, dense reverse", true, has_adolc()},
      {"adolc-sparse", "ADOL-C, its pattern coloured by ColPack", true, has_adolc()},
  };
  return ways;
}

std::string what_is_missing(const DifferentiationWay& way) {
  return fmt::format(
      "'{}' is not in this build: it takes ADOL-C and ColPack (Debian: libadolc-dev, libcolpack-dev) and a "
      "build with -DTRAMMEL_ADOLC=ON",
      way.name);
}

std::unique_ptr<Jacobian> make_jacobian(const std::string& name, const DifferentiableFunction& function,
                                        std::span<const double> x) {
  const DifferentiationWay& way = known_way(name);
  if (!way.is_available) throw std::invalid_argument(what_is_missing(way));
  Offered offered{function, {}};
  const bool is_forward = name == "forward" || name == "sparse";
  if (way.needs_recording && !function.record && !(is_forward && function.dual))
    throw std::invalid_argument(
        fmt::format("'{}' needs a function that is templated on its number type", name));

  if (name == "central")
    return std::make_unique<DifferenceJacobian>(
        function, JacobianPattern::full(function.outputs, function.inputs), nullptr);
  if (name == "forward")
    return std::make_unique<DualJacobian>(function, JacobianPattern::full(function.outputs, function.inputs),
                                          nullptr);
  if (name == "central-coloured" || name == "sparse") {
    const JacobianPattern pattern = offered.pattern(x);
    const Colouring colouring = colour_columns(pattern);
    if (name == "sparse") return std::make_unique<DualJacobian>(function, pattern, &colouring);
    return std::make_unique<DifferenceJacobian>(function, pattern, &colouring);
  }
  if (name == "complex") return std::make_unique<ComplexJacobian>(offered.graph(), function.inputs);
  if (name == "generated") return std::make_unique<GeneratedJacobian>(offered.graph(), function.inputs);
  return make_adolc_jacobian(name, offered.graph(), function.inputs, x);
}

}  // namespace trammel
