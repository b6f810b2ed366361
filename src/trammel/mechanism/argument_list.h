// A list of numbers that is built and read within one evaluation: what a formula is a function of.
//
// It lives on the stack, and takes memory from the heap only if it is longer than any usual law needs.
// Nothing is set to zero first: that would cost more than the evaluation when the numbers carry derivatives.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace trammel {

template <class T>
class ArgumentList {
 public:
  static constexpr std::size_t longest_on_stack = 64;

  // As long as it can get.
  explicit ArgumentList(std::size_t capacity) {
    if (capacity > longest_on_stack) long_list_.resize(capacity);
  }
  ArgumentList(const ArgumentList&) = delete;
  ArgumentList& operator=(const ArgumentList&) = delete;

  void push(const T& value) {
    if (long_list_.empty())
      ::new (memory_ + size_ * sizeof(T)) T(value);
    else
      long_list_[size_] = value;
    ++size_;
  }
  std::span<const T> values() const {
    if (size_ == 0) return {};
    if (!long_list_.empty()) return {long_list_.data(), size_};
    return {std::launder(reinterpret_cast<const T*>(memory_)), size_};
  }

 private:
  static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);

  std::size_t size_ = 0;
  std::vector<T> long_list_;
  alignas(T) std::byte memory_[sizeof(T) * longest_on_stack];
};

}  // namespace trammel
