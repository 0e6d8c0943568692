// Several doubles at once, as many as a register of the machine holds (a GCC and Clang extension).
//
// Not wider, as compilers split comparisons of vectors that fill several registers, lane by lane.
// Results do not depend on the width.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "lists.h"
#include "simd.h"

namespace nlmt::tuning {

constexpr int kWidth = kRegisterBytes / static_cast<int>(sizeof(double));
static_assert(kLane % kWidth == 0, "rows are padded to whole vectors");

using Doubles = double __attribute__((vector_size(kRegisterBytes)));
using Places = int64_t __attribute__((vector_size(kRegisterBytes)));

inline Doubles load(const double* from) {
  Doubles values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

// One of the lanes, by halves: a chain over the lanes would wait for each comparison.
template <class Scalar, class Vector, class Choose>
inline Scalar choose_lane(const Vector& values, Choose choose) {
  Scalar lanes[kWidth];
  std::memcpy(lanes, &values, sizeof lanes);
  for (int half = kWidth / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) lanes[i] = choose(lanes[i], lanes[i + half]);
  }
  return lanes[0];
}

inline double largest(const Doubles& values) {
  return choose_lane<double>(values, [](double a, double b) { return a > b ? a : b; });
}

inline double smallest(const Doubles& values) {
  return choose_lane<double>(values, [](double a, double b) { return a < b ? a : b; });
}

constexpr double kNever = -std::numeric_limits<double>::infinity();

// Collects the largest of a sequence of values, given kWidth at a time, and its first place.
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

  // The place of `value()`; meaningless if nothing above minus infinity was added.
  int32_t place() const {
    Places lanes;
    for (int i = 0; i < kWidth; ++i) lanes[i] = i;
    const Places never = Places{} + std::numeric_limits<int32_t>::max();
    const Places places = top_ == Doubles{} + value() ? block_ + lanes : never;
    return static_cast<int32_t>(
        choose_lane<int64_t>(places, [](int64_t a, int64_t b) { return a < b ? a : b; }));
  }

 private:
  Doubles top_ = Doubles{} + kNever;
  Places block_{};
};

}  // namespace nlmt::tuning
