#include "trammel/numerics/differentiation/adolc_jacobian.h"

#include <stdexcept>

#ifdef TRAMMEL_ADOLC

#include <ColPack/ColPackHeaders.h>
#include <adolc/adolc.h>
#include <adolc/sparse/sparsedrivers.h>

#include <array>
#include <cstdlib>

#include "trammel/numerics/differentiation/graph_program.h"

namespace trammel {
namespace {

using Kind = OperationGraph::Kind;

// One node as ADOL-C sees it. Its tape has no branches but conditional assignments.
adouble of_node(const OperationGraph& graph, const OperationGraph::Node& node, const std::vector<adouble>& at,
                const std::vector<int>& place) {
  const auto operand = [&](int which) -> const adouble& {
    return at[static_cast<std::size_t>(place[static_cast<std::size_t>(which)])];
  };
  const auto chosen = [](const adouble& if_positive, const adouble& then, const adouble& otherwise) {
    adouble result;
    condassign(result, if_positive, then, otherwise);
    return result;
  };
  switch (node.kind) {
    case Kind::constant:
      return node.number;
    case Kind::input:
      break;
    case Kind::negate:
      return -operand(node.a);
    case Kind::sine:
      return sin(operand(node.a));
    case Kind::cosine:
      return cos(operand(node.a));
    case Kind::tangent:
      return tan(operand(node.a));
    case Kind::arcsine:
      return asin(operand(node.a));
    case Kind::arccosine:
      return acos(operand(node.a));
    case Kind::arctangent:
      return atan(operand(node.a));
    case Kind::hyperbolic_sine:
      return sinh(operand(node.a));
    case Kind::hyperbolic_cosine:
      return cosh(operand(node.a));
    case Kind::hyperbolic_tangent:
      return tanh(operand(node.a));
    case Kind::exponential:
      return exp(operand(node.a));
    case Kind::logarithm:
      return log(operand(node.a));
    case Kind::square_root:
      return sqrt(operand(node.a));
    case Kind::cube_root: {
      const adouble magnitude = pow(fabs(operand(node.a)), 1.0 / 3);
      return chosen(operand(node.a), magnitude, -magnitude);
    }
    case Kind::floor:
      return floor(operand(node.a));
    case Kind::ceiling:
      return ceil(operand(node.a));
    case Kind::round:
      return floor(operand(node.a) + 0.5);
    case Kind::logical_not:
      return chosen(operand(node.a) * operand(node.a), 0.0, 1.0);
    case Kind::piecewise: {
      const PiecewiseCubic& table = graph.tables()[static_cast<std::size_t>(node.b)];
      adouble result;
      for (std::size_t i = 0; i < table.size(); ++i) {
        const CubicPiece& piece = table[i];
        const adouble u = operand(node.a) - piece.start;
        std::array<double, 4> c{piece.c0, piece.c1, piece.c2, piece.c3};
        for (int order = 0; order < node.c; ++order) c = {c[1], 2 * c[2], 3 * c[3], 0};
        const adouble value = c[0] + u * (c[1] + u * (c[2] + u * c[3]));
        result = i == 0 ? value : chosen(u, value, result);
      }
      return result;
    }
    case Kind::add:
      return operand(node.a) + operand(node.b);
    case Kind::subtract:
      return operand(node.a) - operand(node.b);
    case Kind::multiply:
      return operand(node.a) * operand(node.b);
    case Kind::divide:
      return operand(node.a) / operand(node.b);
    case Kind::power:
      if (graph.is_constant(node.b)) return pow(operand(node.a), graph[node.b].number);
      return pow(operand(node.a), operand(node.b));
    case Kind::arctangent2:
      return atan2(operand(node.a), operand(node.b));
    case Kind::less:
      return chosen(operand(node.b) - operand(node.a), 1.0, 0.0);
    case Kind::less_equal:
      return chosen(operand(node.a) - operand(node.b), 0.0, 1.0);
    case Kind::equal: {
      const adouble difference = operand(node.a) - operand(node.b);
      return chosen(difference * difference, 0.0, 1.0);
    }
    case Kind::select:
      return chosen(operand(node.a) * operand(node.a), operand(node.b), operand(node.c));
  }
  throw std::logic_error("an input has no value of its own");
}

// A tape of the function, which goes with the object.
class Tape {
 public:
  Tape(const RecordedFunction& recorded, std::span<const double> x)
      : inputs(recorded.inputs), outputs(static_cast<int>(recorded.outputs.size())), tag(next_tag()) {
    trace_on(tag);
    const std::vector<int> order = GraphProgram::order(recorded);
    std::vector<adouble> in(static_cast<std::size_t>(inputs)), at(order.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] <<= x[i];
    std::vector<int> place(static_cast<std::size_t>(recorded.graph.size()), -1);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const OperationGraph::Node& node = recorded.graph[order[i]];
      at[i] = node.kind == Kind::input ? in[static_cast<std::size_t>(node.a)]
                                       : of_node(recorded.graph, node, at, place);
      place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    }
    double ignored = 0;
    // each a number of its own: of one that is several outputs the reverse sweep would know the last one only
    std::vector<adouble> out(recorded.outputs.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = at[static_cast<std::size_t>(place[static_cast<std::size_t>(recorded.outputs[i])])];
      out[i] >>= ignored;
    }
    trace_off();
  }
  ~Tape() { removeTape(tag, ADOLC_REMOVE_COMPLETELY); }
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  std::size_t bytes() const {
    std::array<std::size_t, STAT_SIZE> counts{};
    tapestats(tag, counts.data());
    return counts[NUM_OPERATIONS] + counts[NUM_LOCATIONS] * sizeof(locint) +
           counts[NUM_VALUES] * sizeof(double);
  }

  const int inputs, outputs;
  const short tag;

 private:
  static short next_tag() {
    static short tag = 1000;
    return ++tag;
  }
};

// A matrix as ADOL-C wants it: rows of pointers.
class RowPointers {
 public:
  RowPointers(int rows, int columns)
      : columns_(static_cast<std::size_t>(columns)), values_(static_cast<std::size_t>(rows) * columns_) {
    for (int i = 0; i < rows; ++i) rows_.push_back(values_.data() + static_cast<std::size_t>(i) * columns_);
  }
  double& operator()(int i, int j) { return rows_[static_cast<std::size_t>(i)][j]; }
  double** get() { return rows_.data(); }
  std::size_t bytes() const { return values_.size() * sizeof(double); }

 private:
  std::size_t columns_;
  std::vector<double> values_;
  std::vector<double*> rows_;
};

// By a seed: one direction for each column, or for each colour.
class AdolcForward final : public Jacobian {
 public:
  AdolcForward(const RecordedFunction& recorded, int inputs, std::span<const double> x, bool is_sparse)
      : tape_(recorded, x), y_(static_cast<std::size_t>(tape_.outputs)) {
    if (is_sparse) {
      find_pattern(x, inputs);
    } else {
      pattern_ = JacobianPattern::full(tape_.outputs, inputs);
      directions_ = inputs;
      for (int j = 0; j < inputs; ++j) colour_.push_back(j);
    }
    seed_.emplace(tape_.inputs, directions_);
    for (int j = 0; j < inputs; ++j) (*seed_)(j, colour_[static_cast<std::size_t>(j)]) = 1;
    compressed_.emplace(tape_.outputs, directions_);
  }

  void compute(std::span<const double> x, std::span<double> entries) override {
    x_.assign(x.begin(), x.end());
    if (fov_forward(tape_.tag, tape_.outputs, tape_.inputs, directions_, x_.data(), seed_->get(), y_.data(),
                    compressed_->get()) < 0)
      throw std::runtime_error("ADOL-C cannot use its tape at this point");
    for (int i = 0; i < pattern_.rows; ++i)
      for (int k = pattern_.begin[static_cast<std::size_t>(i)];
           k < pattern_.begin[static_cast<std::size_t>(i) + 1]; ++k)
        entries[static_cast<std::size_t>(k)] = (*compressed_)(
            i, colour_[static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(k)])]);
  }
  std::size_t bytes() const override { return tape_.bytes() + seed_->bytes() + compressed_->bytes(); }

 private:
  // Debian's ADOL-C is built without ColPack, so that its own sparse drivers do not work; the parts do.
  void find_pattern(std::span<const double> x, int inputs) {
    std::vector<unsigned*> rows(static_cast<std::size_t>(tape_.outputs), nullptr);
    std::array<int, 3> options{0, 0, 0};
    jac_pat(tape_.tag, tape_.outputs, tape_.inputs, x.data(), rows.data(), options.data());
    pattern_ = {tape_.outputs, inputs, {0}, {}};
    for (unsigned* row : rows) {
      for (unsigned k = 1; k <= row[0]; ++k)
        if (row[k] < static_cast<unsigned>(inputs)) pattern_.column.push_back(static_cast<int>(row[k]));
      pattern_.begin.push_back(static_cast<int>(pattern_.column.size()));
      std::free(row);
    }
    // by the columns alone that are wanted
    std::vector<std::vector<unsigned>> kept;
    std::vector<unsigned*> pointers;
    for (int i = 0; i < pattern_.rows; ++i) {
      const std::span<const int> row = pattern_.row(i);
      kept.push_back({static_cast<unsigned>(row.size())});
      kept.back().insert(kept.back().end(), row.begin(), row.end());
    }
    for (std::vector<unsigned>& row : kept) pointers.push_back(row.data());
    ColPack::BipartiteGraphPartialColoringInterface graph(SRC_MEM_ADOLC, pointers.data(), pattern_.rows,
                                                          inputs);
    graph.PartialDistanceTwoColoring("SMALLEST_LAST", "COLUMN_PARTIAL_DISTANCE_TWO");
    graph.GetRightVertexColors(colour_);
    directions_ = graph.GetRightVertexColorCount();
  }

  Tape tape_;
  std::vector<double> x_, y_;
  std::vector<int> colour_;
  std::optional<RowPointers> seed_, compressed_;
};

class AdolcReverse final : public Jacobian {
 public:
  AdolcReverse(const RecordedFunction& recorded, int inputs, std::span<const double> x)
      : tape_(recorded, x),
        y_(static_cast<std::size_t>(tape_.outputs)),
        weights_(tape_.outputs, tape_.outputs),
        rows_(tape_.outputs, tape_.inputs) {
    pattern_ = JacobianPattern::full(tape_.outputs, inputs);
    directions_ = tape_.outputs;
    for (int i = 0; i < tape_.outputs; ++i) weights_(i, i) = 1;
  }

  void compute(std::span<const double> x, std::span<double> entries) override {
    x_.assign(x.begin(), x.end());
    if (zos_forward(tape_.tag, tape_.outputs, tape_.inputs, 1, x_.data(), y_.data()) < 0 ||
        fov_reverse(tape_.tag, tape_.outputs, tape_.inputs, tape_.outputs, weights_.get(), rows_.get()) < 0)
      throw std::runtime_error("ADOL-C cannot use its tape at this point");
    std::size_t next = 0;
    for (int i = 0; i < pattern_.rows; ++i)
      for (int j = 0; j < pattern_.columns; ++j) entries[next++] = rows_(i, j);
  }
  std::size_t bytes() const override { return tape_.bytes() + weights_.bytes() + rows_.bytes(); }

 private:
  Tape tape_;
  std::vector<double> x_, y_;
  RowPointers weights_, rows_;
};

}  // namespace

bool has_adolc() { return true; }

std::unique_ptr<Jacobian> make_adolc_jacobian(const std::string& way, const RecordedFunction& recorded,
                                              int inputs, std::span<const double> x) {
  if (static_cast<int>(x.size()) != recorded.inputs)
    throw std::invalid_argument("ADOL-C needs a point at which its tape is made");
  if (way == "adolc-reverse") return std::make_unique<AdolcReverse>(recorded, inputs, x);
  return std::make_unique<AdolcForward>(recorded, inputs, x, way == "adolc-sparse");
}

}  // namespace trammel

#else

namespace trammel {

bool has_adolc() { return false; }

std::unique_ptr<Jacobian> make_adolc_jacobian(const std::string&, const RecordedFunction&, int,
                                              std::span<const double>) {
  throw std::logic_error("ADOL-C is not in this build");
}

}  // namespace trammel

#endif
