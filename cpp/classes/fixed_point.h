// n log n and log n of counts as 64-bit integers.
//
// Sums of integers are exact: a loss that is kept up to date over ten thousand merges equals the
// one computed from scratch, equal losses compare equal, and the result depends on neither the
// order of summation nor the compiler's flags.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace nlmt::classes {

class FixedPoint {
 public:
  // `total`: the sum of all bigram counts; `further`: the largest value that is added to sums of
  // them. Precision is cut where sums could pass 2^62.
  FixedPoint(int64_t total, double further) {
    const double n = static_cast<double>(std::max<int64_t>(total, 2));
    const double largest = n * std::log(n) + further;
    bits_ = std::min(kMostBits, 59 - static_cast<int>(std::ceil(std::log2(largest))));
    const int64_t size = std::min(total + 1, kTableSize);
    log_.resize(size);
    xlogx_.resize(size);
    for (int64_t x = 1; x < size; ++x) {
      log_[x] = compute_log(x);
      xlogx_[x] = compute_x_log_x(x);
    }
  }

  int64_t number(double x) const { return std::llround(std::ldexp(x, bits_)); }

  // x log x, 0 for 0.
  int64_t x_log_x(int64_t x) const {
    return x < static_cast<int64_t>(xlogx_.size()) ? xlogx_[x] : compute_x_log_x(x);
  }

  // x_log_x of 0, 1 ... as far as it is tabulated.
  const std::vector<int64_t>& xlogx() const { return xlogx_; }

  // log x, 0 for 0.
  int64_t log(int64_t x) const {
    return x < static_cast<int64_t>(log_.size()) ? log_[x] : compute_log(x);
  }

 private:
  static constexpr int kMostBits = 40;
  static constexpr int64_t kTableSize = int64_t{1} << 20;

  int64_t compute_log(int64_t x) const { return number(std::log(static_cast<double>(x))); }
  int64_t compute_x_log_x(int64_t x) const {
    const double value = static_cast<double>(x);
    return number(value * std::log(value));
  }

  int bits_;
  std::vector<int64_t> log_, xlogx_;
};

}  // namespace nlmt::classes
