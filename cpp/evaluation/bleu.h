// Sufficient statistics of BLEU (Papineni et al. 2002): matches and totals of orders 1 to 4 in
// turn, then the length of the closest reference, the shorter one of two that are equally close.
#pragma once

#include <cstdint>
#include <vector>

#include "ngrams.h"

namespace nlmt::evaluation {

class BleuStatistics {
 public:
  static constexpr int kOrder = 4;
  static constexpr int kWidth = 2 * kOrder + 1;

  explicit BleuStatistics(int32_t vocabulary) : matcher_(vocabulary, kOrder) {}
  void set_references(const References& references);
  void count(Words words, int32_t* out);

 private:
  NgramMatcher matcher_;
  std::vector<int64_t> lengths_;  // of the references
};

}  // namespace nlmt::evaluation
