// The values of one map of a model file by their keys. What is written wrongly is told at its place, in the
// user's words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/model/model_keys.h"
#include "trammel/model/number_scope.h"

namespace trammel {

// "; did you mean 'crank'?", or nothing.
std::string hint_at(const std::string& word, const std::vector<std::string>& candidates);
// "a, b or c"
std::string either_of(const std::vector<std::string>& words);
// The first five of them: "a, b, c, d, e, ...".
std::string some_of(const std::vector<std::string>& names);

enum class NumberRange { any, not_negative, positive };

// Lists of numbers, and numbers with a range. `what` is the key. They throw ModelError.
double read_number(const ModelNode& node, const NumberScope& scope, const std::string& what,
                   NumberRange range);
std::vector<double> read_numbers(const ModelNode& node, const NumberScope& scope, const std::string& what);
Vec3<double> read_vector(const ModelNode& node, const NumberScope& scope, const std::string& what);
// A vector that is not zero.
Vec3<double> read_direction(const ModelNode& node, const NumberScope& scope, const std::string& what);

class MapReader {
 public:
  // `what` names the map in messages: "body 'crank'"; `owner` is where that name stands. Throws ModelError if
  // it is no map, has keys it should not have, or lacks some that it must have.
  MapReader(const ModelNode& node, const KeySet& keys, std::string what, SourcePlace owner,
            const NumberScope& scope);

  const std::string& what() const { return what_; }
  const SourcePlace& owner() const { return owner_; }
  const NumberScope& scope() const { return scope_; }

  // A key without a value counts as absent.
  bool has(std::string_view key) const { return find(key) != nullptr; }
  bool has_any(const std::vector<std::string>& keys) const;
  const ModelNode* find(std::string_view key) const;
  const ModelNode& at(std::string_view key) const;
  // Where a key stands; the owner if it does not.
  SourcePlace place(std::string_view key) const;

  double number(const std::string& key, NumberRange range = NumberRange::any) const;
  double number(const std::string& key, double otherwise, NumberRange range = NumberRange::any) const;
  std::optional<double> optional_number(const std::string& key, NumberRange range = NumberRange::any) const;
  Vec3<double> vector(const std::string& key, const Vec3<double>& otherwise) const;
  std::string text(const std::string& key, const std::string& otherwise = {}) const;
  // One of some words.
  std::string choice(const std::string& key, const std::vector<std::string>& words,
                     const std::string& otherwise) const;
  bool flag(const std::string& key, bool otherwise) const;
  // `own` are names that the law gives a meaning of its own.
  Law law(const std::string& key, const std::vector<std::string>& own = {}) const {
    return scope_.law(at(key), key, own);
  }

  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_at(std::string_view key, const std::string& message) const;
  // Refuses the second of two keys that exclude each other.
  void refuse_together(const std::string& first, const std::string& second) const;
  // Refuses a key that means nothing without one of the others.
  void refuse_without(const std::string& key, const std::vector<std::string>& others) const;

 private:
  const ModelNode& node_;
  const KeySet& keys_;
  std::string what_;
  SourcePlace owner_;
  const NumberScope& scope_;
};

}  // namespace trammel
