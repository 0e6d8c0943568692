// Eight doubles at once, in whatever registers the machine has (a GCC and Clang extension).
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "lists.h"

namespace nlmt::tuning {

using Doubles = double __attribute__((vector_size(kLane * sizeof(double))));
using Places = int64_t __attribute__((vector_size(kLane * sizeof(int64_t))));

inline Doubles load(const double* from) {
  Doubles values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

constexpr double kNever = -std::numeric_limits<double>::infinity();

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

  double value() const {
    double best = top_[0];
    for (int j = 1; j < kLane; ++j) best = top_[j] > best ? top_[j] : best;
    return best;
  }

  // The place of `value()`; meaningless where nothing above minus infinity was added.
  int32_t place() const {
    const double best = value();
    int64_t first = std::numeric_limits<int32_t>::max();
    for (int j = 0; j < kLane; ++j) {
      if (top_[j] == best && block_[j] + j < first) first = block_[j] + j;
    }
    return static_cast<int32_t>(first);
  }

 private:
  Doubles top_ = Doubles{} + kNever;
  Places block_{};
};

}  // namespace nlmt::tuning
