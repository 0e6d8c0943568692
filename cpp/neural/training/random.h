// Random numbers of an example, which depend only on a key and its number, and distributions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace nlmt::neural {

// SplitMix64: Steele, Lea and Flood (2014), Fast splittable pseudorandom number generators.
class Random {
 public:
  Random(uint64_t key, uint64_t example) : state_(mix(key) ^ mix(example + kStep)) {}
  uint64_t next() { return mix(state_ += kStep); }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15ull;
  static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }
  uint64_t state_;
};

// Distributions over consecutive ranges of items, drawn from in constant time (Walker's aliases).
class AliasTable {
 public:
  // Adds a range with probabilities in proportion to `weights`; a range without weight is uniform.
  void add(const double* weights, int n) {
    double total = 0;
    for (int i = 0; i < n; ++i) total += weights[i];
    const std::size_t base = cells_.size();
    std::vector<double> share(n);
    std::vector<int> small, large;
    for (int i = 0; i < n; ++i) {
      const double p = total > 0 ? weights[i] / total : 1.0 / n;
      log_probability_.push_back(std::log(p));
      share[i] = p * n;
      (share[i] < 1.0 ? small : large).push_back(i);
      cells_.push_back({~0u, i});
    }
    while (!small.empty() && !large.empty()) {
      const int s = small.back(), l = large.back();
      small.pop_back();
      cells_[base + s] = {static_cast<uint32_t>(share[s] * 4294967295.0), l};
      share[l] -= 1.0 - share[s];
      if (share[l] < 1.0) {
        large.pop_back();
        small.push_back(l);
      }
    }
    // Rounding may leave over an item without weight, which must not be drawn.
    const int heaviest = static_cast<int>(std::max_element(weights, weights + n) - weights);
    for (const int s : small) {
      if (share[s] <= 0.0) cells_[base + s] = {0, heaviest};
    }
  }

  // Draws an item of the range of n items at `base`; the item counts from the range's begin.
  int draw(int64_t base, int n, Random& random) const {
    const uint64_t bits = random.next();
    const int i = static_cast<int>((bits >> 32) * static_cast<uint64_t>(n) >> 32);
    const Cell& cell = cells_[base + i];
    return static_cast<uint32_t>(bits) < cell.keep ? i : cell.alias;
  }

  double log_probability(int64_t item) const { return log_probability_[item]; }

 private:
  struct Cell {
    uint32_t keep;  // draws below this value stay
    int alias;
  };
  std::vector<Cell> cells_;
  std::vector<double> log_probability_;
};

}  // namespace nlmt::neural
