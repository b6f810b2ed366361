// What something carries from one step to the next, as a copy that can be kept: numbers in a row, in an order
// that only their owner knows. Texts are numbers too.
//
//   void Controller::carry(Carrier& carried) { carried(sum_, last_error_); }
//
// names them once, for saving and for restoring alike.
#pragma once

#include <array>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "trammel/numerics/linear_algebra.h"

namespace trammel {

class Snapshot {
 public:
  Snapshot() = default;
  // As they were in a file.
  explicit Snapshot(std::vector<double> numbers) : values_(std::move(numbers)) {}

  bool is_empty() const { return values_.empty(); }
  const std::vector<double>& numbers() const { return values_; }
  bool operator==(const Snapshot&) const = default;

 private:
  friend class Carrier;
  std::vector<double> values_;
};

// Writes values to a snapshot, or reads them from one in the same order.
class Carrier {
 public:
  // What was in the snapshot is lost.
  static Carrier saving(Snapshot& snapshot) {
    snapshot.values_.clear();
    return {&snapshot.values_, snapshot.values_};
  }
  // The same of something that goes on as if nothing had been: it forgets nothing for the sake of the copy.
  static Carrier copying(Snapshot& snapshot) {
    Carrier carrier = saving(snapshot);
    carrier.copying_ = true;
    return carrier;
  }
  static Carrier restoring(const Snapshot& snapshot) { return {nullptr, snapshot.values_}; }

  bool is_saving() const { return saved_ != nullptr; }
  bool is_copying() const { return copying_; }
  // Restoring: whether the snapshot is one of what it was read by.
  bool fits() const { return fits_; }
  bool is_at_end() const { return next_ == values_.size(); }

  template <class... Values>
  void operator()(Values&... values) {
    (carry(values), ...);
  }
  // A value that must be the same in both: the size of a problem, the name of a method.
  void expect(double value) {
    double carried = value;
    carry(carried);
    fits_ = fits_ && carried == value;
  }

 private:
  Carrier(std::vector<double>* saved, const std::vector<double>& values) : saved_(saved), values_(values) {}

  template <class Value>
  void carry(Value& value) {
    if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>)
      carry_number(value);
    else
      value.carry(*this);
  }
  template <class Value>
  void carry_number(Value& value) {
    if (is_saving())
      saved_->push_back(static_cast<double>(value));
    else if (fits_ && next_ < values_.size())
      value = static_cast<Value>(values_[next_++]);
    else
      fits_ = false;
  }
  template <class Value>
  void carry(std::vector<Value>& values) {
    carry_all(values, values.size());
  }
  template <class Value, std::size_t size>
  void carry(std::array<Value, size>& values) {
    for (Value& value : values) carry(value);
  }
  void carry(Vector& values) { carry_all(values, values.size()); }
  void carry(std::string& text) { carry_all(text, text.size()); }
  template <class Container, class Size>
  void carry_all(Container& values, Size size) {
    carry_number(size);
    if (!is_saving() && !(fits_ && static_cast<std::size_t>(size) <= values_.size() - next_)) {
      fits_ = false;
      return;
    }
    values.resize(size);
    for (Size i = 0; i < size; ++i) carry(values[i]);
  }

  std::vector<double>* saved_;
  const std::vector<double>& values_;
  std::size_t next_ = 0;
  bool fits_ = true;
  bool copying_ = false;
};

}  // namespace trammel
