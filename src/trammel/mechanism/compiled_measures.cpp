#include "trammel/mechanism/compiled_measures.h"

#include <fmt/format.h>

#include <algorithm>

namespace trammel {
namespace {

constexpr std::size_t longest_law = 20000;

// The expression is program −1, a measure the program with its index.
class LawWithMeasures final : public ProgramSource {
 public:
  LawWithMeasures(const Expression& law, const CompiledMeasures& measures, int own, std::vector<int>& inputs)
      : law_(law), measures_(measures), own_(own), inputs_(inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) places_.emplace(inputs[i], static_cast<int>(i));
  }

  const ExpressionProgram& program(int index) const override {
    return index < 0 ? law_.program() : measures_[index].expression.program();
  }

  Meaning meaning(int program, int input) const override {
    if (input >= first_measure_input) return {true, input - first_measure_input};
    if (program < 0 || input == 0) return {false, input};
    const int wanted = measures_[program].inputs[static_cast<std::size_t>(input) - 1];
    const auto [place, is_new] = places_.emplace(wanted, static_cast<int>(inputs_.size()));
    if (is_new) inputs_.push_back(wanted);
    return {false, 1 + own_ + place->second};
  }

 private:
  const Expression& law_;
  const CompiledMeasures& measures_;
  int own_;
  std::vector<int>& inputs_;
  mutable std::unordered_map<int, int> places_;  // in inputs_
};

}  // namespace

std::vector<int> measures_in(const Expression& expression) {
  std::vector<int> found;
  for (const Instruction& instruction : expression.program().code)
    if (instruction.operation == Operation::input && instruction.argument >= first_measure_input)
      found.push_back(instruction.argument - first_measure_input);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

CompiledMeasures::CompiledMeasures(const std::vector<Measure>& measures)
    : measures_(measures), entries_(measures.size()), progress_(measures.size(), Progress::none) {
  for (std::size_t i = 0; i < measures.size(); ++i) names_.emplace(measures[i].name, static_cast<int>(i));
}

int CompiledMeasures::find(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? -1 : found->second;
}

void CompiledMeasures::require(const std::vector<int>& measures, const Compile& compile) {
  // depth first with a list instead of recursion: chains may be long
  struct Visit {
    int measure;
    std::size_t next = 0;  // of its needs
  };
  std::vector<Visit> visits;
  const auto begin = [&](int measure) {
    const auto i = static_cast<std::size_t>(measure);
    if (progress_[i] == Progress::done) return;
    if (progress_[i] == Progress::begun) {
      for (const Visit& visit : visits) progress_[static_cast<std::size_t>(visit.measure)] = Progress::none;
      throw ModelError(measures_[i].place, fmt::format("measure '{}' depends on itself", measures_[i].name));
    }
    Entry entry;
    compile(measures_[i], entry);
    entry.needs = measures_in(entry.expression);
    entry.depends_on_motion = !entry.inputs.empty();
    entries_[i] = std::move(entry);
    progress_[i] = Progress::begun;
    visits.push_back({measure});
  };
  for (const int measure : measures) {
    begin(measure);
    while (!visits.empty()) {
      Entry& entry = entries_[static_cast<std::size_t>(visits.back().measure)];
      if (visits.back().next < entry.needs.size()) {
        begin(entry.needs[visits.back().next++]);
        continue;
      }
      for (const int need : entry.needs)
        entry.depends_on_motion |= entries_[static_cast<std::size_t>(need)].depends_on_motion;
      progress_[static_cast<std::size_t>(visits.back().measure)] = Progress::done;
      order_.push_back(visits.back().measure);
      visits.pop_back();
    }
  }
}

Expression with_measures_inserted(const Expression& expression, const CompiledMeasures& measures, int own,
                                  std::vector<int>& inputs) {
  const LawWithMeasures source(expression, measures, own, inputs);
  return Expression(with_programs_inserted(source, -1, longest_law));
}

}  // namespace trammel
