// What words of a model file mean as numbers: expressions of parameters and of the indices of `repeat`
// blocks.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "trammel/mechanism/expression_parser.h"
#include "trammel/mechanism/mechanism.h"
#include "trammel/model/model_node.h"

namespace trammel {

class NumberScope : public ExpressionScope {
 public:
  struct Index {
    std::string name;
    double value = 0;
  };

  std::map<std::string, double> parameters;
  std::map<std::string, Table> tables;
  std::vector<Index> indices;       // of the repeat blocks around the present place, and their parameters
  std::set<std::string> variables;  // that change with time: names of states and measures

  // `what` names the number in messages: "mass". All of these throw ModelError at the word.
  double number(const ModelNode& node, const std::string& what) const;
  // A constant if it depends on parameters only, otherwise the text with the indices put in. `own` are names
  // that the law gives a meaning of its own: "length".
  Law law(const ModelNode& node, const std::string& what, const std::vector<std::string>& own = {}) const;
  // A word in which {i}, {i + 1} are replaced by their values.
  std::string text(const ModelNode& node, const std::string& what) const;

  std::optional<ExpressionSymbol> find(const ExpressionReference& reference) const override;
  std::vector<std::string> names() const override;
  const Table* table(const std::string& name) const override;

 private:
  double evaluate(const std::string& text, const ModelNode& node, std::size_t offset) const;
  std::string with_indices(const std::string& text) const;
};

// The names of an expression: those with dots as one, without quotes.
struct NameInText {
  std::string name;
  std::size_t begin = 0, end = 0;
};
std::vector<NameInText> names_in(const std::string& expression);

}  // namespace trammel
