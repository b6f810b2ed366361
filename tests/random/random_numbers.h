// Random numbers by seed that are the same with every compiler and library, unlike the distributions of the
// standard library.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "trammel/numerics/space.h"

namespace trammel {

class RandomNumbers {
 public:
  // Every purpose has numbers of its own: what is drawn for one does not change what another gets.
  RandomNumbers(std::uint64_t seed, std::string_view purpose) : engine_(mixed(seed, purpose)) {}

  // In [0, 1).
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  // Every order of magnitude as likely as another.
  double across(double low, double high) { return low * std::exp(unit() * std::log(high / low)); }
  bool chance(double probability) { return unit() < probability; }
  double sign() { return chance(0.5) ? 1 : -1; }
  // 0 .. count − 1.
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(unit() * static_cast<double>(count));
  }
  int from_to(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::size_t>(high - low + 1)));
  }

  template <class Value>
  const Value& one_of(const std::vector<Value>& values) {
    return values[below(values.size())];
  }
  // By weight.
  template <class Value>
  Value weighted(const std::vector<std::pair<Value, double>>& choices) {
    double total = 0;
    for (const auto& [value, weight] : choices) total += weight;
    double left = unit() * total;
    for (const auto& [value, weight] : choices) {
      left -= weight;
      if (left < 0) return value;
    }
    return choices.back().first;
  }
  template <class Value>
  void shuffle(std::vector<Value>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

  Vec3<double> vector(double size) {
    return {between(-size, size), between(-size, size), between(-size, size)};
  }
  Vec3<double> direction() {
    for (;;) {
      const Vec3<double> a = vector(1);
      const double square = dot(a, a);
      if (square > 0.01 && square < 1) return a * (1 / std::sqrt(square));
    }
  }
  Mat3<double> rotation() { return rotation_about(direction(), between(-3, 3)); }

 private:
  // FNV-1a over the purpose, then the finisher of splitmix64, so that neighbouring seeds have nothing in
  // common.
  static std::uint64_t mixed(std::uint64_t seed, std::string_view purpose) {
    std::uint64_t hash = 0xcbf29ce484222325u ^ seed;
    for (const char letter : purpose) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
    hash += 0x9e3779b97f4a7c15u * (seed + 1);
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    return hash ^ (hash >> 31);
  }

  std::mt19937_64 engine_;
};

}  // namespace trammel
