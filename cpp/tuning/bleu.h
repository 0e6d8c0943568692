// BLEU of a corpus from summed statistics: matches and totals of orders 1 to 4, reference length.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace nlmt::tuning {

constexpr int kOrder = 4;
constexpr int kStatistics = 2 * kOrder + 1;
using Sums = std::array<int64_t, kStatistics>;

// The fourth power of BLEU without the brevity penalty; 0 where an order has no match. It bounds
// the power with the penalty from above, and costs no exponential.
inline double precision_product(const Sums& sums) {
  double matches = 1, totals = 1;
  for (int n = 0; n < kOrder; ++n) {
    matches *= static_cast<double>(sums[2 * n]);
    totals *= static_cast<double>(sums[2 * n + 1]);
  }
  return matches > 0 ? matches / totals : 0;
}

// The fourth power of the brevity penalty.
inline double brevity_power(const Sums& sums) {
  const double length = static_cast<double>(sums[1]);
  const double reference = static_cast<double>(sums[2 * kOrder]);
  return length >= reference || length <= 0 ? 1 : std::exp(kOrder * (1 - reference / length));
}

// BLEU to the fourth: grows with BLEU, and is cheaper to compare.
inline double bleu_power(const Sums& sums) { return precision_product(sums) * brevity_power(sums); }

inline double bleu_of_power(double power) { return std::sqrt(std::sqrt(power)); }

}  // namespace nlmt::tuning
