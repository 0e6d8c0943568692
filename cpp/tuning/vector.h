// Eight doubles at once, in whatever registers the machine has (a GCC and Clang extension).
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "lists.h"

namespace nlmt::tuning {

using Doubles = double __attribute__((vector_size(kLane * sizeof(double))));
using Places = int64_t __attribute__((vector_size(kLane * sizeof(int64_t))));

inline Doubles load(const double* from) {
  Doubles values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

static_assert(kLane == 8, "the halves below are four and two");

template <class Half, class Whole>
inline std::pair<Half, Half> halves(const Whole& whole) {
  std::pair<Half, Half> parts;
  std::memcpy(&parts.first, &whole, sizeof(Half));
  std::memcpy(&parts.second, reinterpret_cast<const char*>(&whole) + sizeof(Half), sizeof(Half));
  return parts;
}

constexpr double kNever = -std::numeric_limits<double>::infinity();

// By halves: a chain over the lanes would wait for each comparison.
inline double largest(const Doubles& values) {
  using Four = double __attribute__((vector_size(4 * sizeof(double))));
  using Two = double __attribute__((vector_size(2 * sizeof(double))));
  const auto [low, high] = halves<Four>(values);
  const auto [first, second] = halves<Two>(low > high ? low : high);
  const Two best = first > second ? first : second;
  return best[0] > best[1] ? best[0] : best[1];
}

// Collects the largest of a sequence of values, given eight at a time, and its first place.
class Maximum {
 public:
  void add(Doubles values, int64_t block) {
    const Places higher = values > top_;
    top_ = higher ? values : top_;
    block_ = higher ? Places{} + block : block_;
  }

  void add(const Maximum& other) {
    const Places wins = (other.top_ > top_) | ((other.top_ == top_) & (other.block_ < block_));
    top_ = wins ? other.top_ : top_;
    block_ = wins ? other.block_ : block_;
  }

  double value() const { return largest(top_); }

  // The place of `value()`; meaningless where nothing above minus infinity was added.
  int32_t place() const {
    using Four = int64_t __attribute__((vector_size(4 * sizeof(int64_t))));
    using Two = int64_t __attribute__((vector_size(2 * sizeof(int64_t))));
    constexpr Places kLanes = {0, 1, 2, 3, 4, 5, 6, 7};
    const Places never = Places{} + std::numeric_limits<int32_t>::max();
    const auto [low, high] = halves<Four>(top_ == Doubles{} + value() ? block_ + kLanes : never);
    const auto [first, second] = halves<Two>(low < high ? low : high);
    const Two least = first < second ? first : second;
    return static_cast<int32_t>(least[0] < least[1] ? least[0] : least[1]);
  }

 private:
  Doubles top_ = Doubles{} + kNever;
  Places block_{};
};

}  // namespace nlmt::tuning
