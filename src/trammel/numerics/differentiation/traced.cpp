#include "trammel/numerics/differentiation/traced.h"

#include <fmt/format.h>

#include <unordered_map>

namespace trammel {
namespace {

// A way through a part of a function: the conditions in the order in which they were met, and their answers.
struct Way {
  struct Decision {
    int condition;
    bool answer;
    bool is_last;  // both answers have been tried
  };
  std::vector<Decision> decisions;
  std::size_t next = 0;
};

thread_local OperationGraph* recorded_graph = nullptr;
thread_local std::vector<Way*> ways_at_hand;  // of parts within parts, the innermost last

OperationGraph& graph_at_hand() {
  if (recorded_graph == nullptr) throw std::logic_error("nothing is being recorded");
  return *recorded_graph;
}

// Goes on to the next way; false if there is none.
bool advance(Way& way) {
  while (!way.decisions.empty() && way.decisions.back().is_last) way.decisions.pop_back();
  if (way.decisions.empty()) return false;
  way.decisions.back().answer = !way.decisions.back().answer;
  way.decisions.back().is_last = true;
  return true;
}

// The results of all ways, as a tree of decisions.
struct Outcome {
  std::vector<Way::Decision> decisions;
  std::vector<Traced> results;
};

std::vector<Traced> merged(std::span<const Outcome> outcomes, std::size_t depth) {
  if (outcomes.size() == 1) return outcomes.front().results;
  // ways that begin alike stand together: first those that said yes, or those that said no
  const bool first = outcomes.front().decisions[depth].answer;
  std::size_t split = 0;
  while (split < outcomes.size() && outcomes[split].decisions[depth].answer == first) ++split;
  if (split == outcomes.size()) return merged(outcomes, depth + 1);
  const std::vector<Traced> one = merged(outcomes.first(split), depth + 1);
  const std::vector<Traced> other = merged(outcomes.subspan(split), depth + 1);
  if (one.size() != other.size()) throw std::logic_error("branches with results of different numbers");
  const Traced condition = Traced::node(outcomes.front().decisions[depth].condition);
  std::vector<Traced> results;
  for (std::size_t i = 0; i < one.size(); ++i)
    results.push_back(Traced::choose(condition, first ? one[i] : other[i], first ? other[i] : one[i]));
  return results;
}

}  // namespace

Traced Traced::node(int index) {
  Traced result;
  if (const OperationGraph& graph = graph_at_hand(); graph.is_constant(index))
    result.number_ = graph[index].number;
  else
    result.node_ = index;
  return result;
}

int Traced::node() const { return is_constant() ? graph_at_hand().constant(number_) : node_; }

Traced Traced::of_one(Kind kind, const Traced& a) {
  if (a.is_constant()) {
    const OperationGraph none;
    return {apply(none, {.kind = kind}, a.number_, 0, 0)};
  }
  return node(graph_at_hand().make(kind, a.node()));
}

Traced Traced::of_two(Kind kind, const Traced& a, const Traced& b) {
  if (a.is_constant() && b.is_constant()) {
    const OperationGraph none;
    return {apply(none, {.kind = kind}, a.number_, b.number_, 0)};
  }
  const int first = a.node();
  return node(graph_at_hand().make(kind, first, b.node()));
}

Traced Traced::choose(const Traced& condition, const Traced& then, const Traced& otherwise) {
  if (condition.is_constant()) return condition.number_ != 0 ? then : otherwise;
  const int yes = then.node(), no = otherwise.node();
  return node(graph_at_hand().select(condition.node(), yes, no));
}

Traced Traced::piecewise(const PiecewiseCubic& pieces, int order, const Traced& x) {
  if (x.is_constant()) return {evaluate(pieces, order, x.number_)};
  return node(graph_at_hand().piecewise(pieces, order, x.node()));
}

bool Traced::decide(const Traced& condition) {
  if (condition.is_constant()) return condition.number_ != 0;
  if (ways_at_hand.empty()) throw std::logic_error("a comparison outside of a recording");
  const int node = condition.node();
  // what was decided on this way before, or where parts enclose this one, stays as it is
  for (const Way* way : ways_at_hand)
    for (std::size_t i = 0; i < way->next; ++i)
      if (way->decisions[i].condition == node) return way->decisions[i].answer;
  Way& way = *ways_at_hand.back();
  if (way.next == way.decisions.size()) way.decisions.push_back({node, true, false});
  return way.decisions[way.next++].answer;
}

Recorder::Recorder(OperationGraph& graph) : before_(recorded_graph) { recorded_graph = &graph; }
Recorder::~Recorder() { recorded_graph = before_; }

std::vector<Traced> record_branches(const std::string& part, const TracedPart& run) {
  Way way;
  std::vector<Outcome> outcomes;
  do {
    if (outcomes.size() == Recorder::most_branches)
      throw RecordingError(fmt::format("{} branches in more than {} ways", part, Recorder::most_branches));
    way.next = 0;
    struct Scope {  // also if it throws
      explicit Scope(Way& way) { ways_at_hand.push_back(&way); }
      ~Scope() { ways_at_hand.pop_back(); }
    } scope(way);
    std::vector<Traced> results;
    run(results);
    outcomes.push_back({way.decisions, std::move(results)});
  } while (advance(way));
  return merged(outcomes, 0);
}

RecordedFunction record(int inputs, int outputs, const TracedFunction& function, const std::string& name) {
  RecordedFunction recorded;
  recorded.inputs = inputs;
  const Recorder recorder(recorded.graph);
  std::vector<Traced> x;
  for (int i = 0; i < inputs; ++i) x.push_back(Traced::node(recorded.graph.input(i)));
  const std::vector<Traced> y = record_branches(name, [&](std::vector<Traced>& results) {
    results.assign(static_cast<std::size_t>(outputs), Traced(0.0));
    function(x, results);
  });
  for (const Traced& output : y) recorded.outputs.push_back(output.node());
  return recorded;
}

}  // namespace trammel
