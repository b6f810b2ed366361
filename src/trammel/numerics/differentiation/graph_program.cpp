#include "trammel/numerics/differentiation/graph_program.h"

#include <algorithm>
#include <array>

namespace trammel {

// Output by output, so that what an output needs is near to it, and memory stays in the cache.
std::vector<int> GraphProgram::order(const RecordedFunction& function) {
  const OperationGraph& graph = function.graph;
  std::vector<int> order;
  std::vector<char> done(static_cast<std::size_t>(graph.size()), 0);
  std::vector<std::pair<int, int>> waiting;  // node, how many of its operands have been looked at
  for (const int output : function.outputs) {
    if (!done[static_cast<std::size_t>(output)]) waiting.emplace_back(output, 0);
    while (!waiting.empty()) {
      auto& [node, next] = waiting.back();
      const OperationGraph::Node& at = graph[node];
      if (next < OperationGraph::operands(at.kind)) {
        const int operand = std::array{at.a, at.b, at.c}[static_cast<std::size_t>(next++)];
        if (!done[static_cast<std::size_t>(operand)]) waiting.emplace_back(operand, 0);
        continue;
      }
      if (!done[static_cast<std::size_t>(node)]) order.push_back(node);
      done[static_cast<std::size_t>(node)] = 1;
      waiting.pop_back();
    }
  }
  return order;
}

GraphProgram::GraphProgram(const RecordedFunction& function) : tables_(function.graph.tables()) {
  allocate(function);
}

void GraphProgram::allocate(const RecordedFunction& function) {
  const OperationGraph& graph = function.graph;
  const std::vector<int> order = GraphProgram::order(function);
  const auto count = static_cast<std::size_t>(graph.size());
  std::vector<int> place(count, -1), last(count, -1), slot(count, -1);
  for (std::size_t i = 0; i < order.size(); ++i)
    place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  const auto operands = [&](int node) {
    const OperationGraph::Node& at = graph[node];
    std::vector<int> of{at.a, at.b, at.c};
    of.resize(static_cast<std::size_t>(OperationGraph::operands(at.kind)));
    return of;
  };
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const int operand : operands(order[i]))
      last[static_cast<std::size_t>(operand)] = static_cast<int>(i);

  std::vector<int> free;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int node = order[i];
    const OperationGraph::Node& at = graph[node];
    Instruction instruction{at.kind, 0, at.a, at.b, at.c, at.number};
    const std::vector<int> of = operands(node);
    const std::array<int*, 3> to{&instruction.a, &instruction.b, &instruction.c};
    for (std::size_t k = 0; k < of.size(); ++k) *to[k] = slot[static_cast<std::size_t>(of[k])];
    // the result never takes the place of its operands: number types may write it piece by piece
    if (free.empty()) free.push_back(slots_++);
    instruction.to = slot[static_cast<std::size_t>(node)] = free.back();
    free.pop_back();
    code_.push_back(instruction);
    for (std::size_t k = 0; k < of.size(); ++k) {
      const bool again = std::find(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(k), of[k]) !=
                         of.begin() + static_cast<std::ptrdiff_t>(k);
      if (!again && last[static_cast<std::size_t>(of[k])] == static_cast<int>(i))
        free.push_back(slot[static_cast<std::size_t>(of[k])]);
    }
    // nobody but an output wants it
    if (last[static_cast<std::size_t>(node)] < 0) free.push_back(instruction.to);
  }
  for (std::size_t i = 0; i < function.outputs.size(); ++i)
    results_.emplace_back(place[static_cast<std::size_t>(function.outputs[i])] + 1, static_cast<int>(i));
  std::stable_sort(results_.begin(), results_.end());
  for (const auto& [after, output] : results_)
    result_slots_.push_back(
        slot[static_cast<std::size_t>(function.outputs[static_cast<std::size_t>(output)])]);
}

std::size_t GraphProgram::bytes() const {
  std::size_t sum =
      code_.size() * sizeof(Instruction) + results_.size() * (sizeof(results_[0]) + sizeof(int));
  for (const PiecewiseCubic& table : tables_) sum += table.size() * sizeof(CubicPiece);
  return sum;
}

}  // namespace trammel
