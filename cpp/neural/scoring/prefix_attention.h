// Attention of the last word of a sentence to all of its words (Vaswani et al. 2017, equation 1),
// where the memories of the others are in blocks shared by sentences: nothing is copied.
#pragma once

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "dense.h"
#include "team.h"

namespace nlmt::neural {

// The preceding words of n sentences. A row of a block has numbers of all layers; those of the
// current layer are its keys, heads x size, from `first` on, followed by its values.
template <class Real>
struct PrefixRows {
  std::vector<const Real*> blocks;
  int64_t stride, first;  // numbers
  int64_t longest;
  const int32_t* block;  // (n, longest), -1 in front of the first word
  const int32_t* row;

  const Real* keys(int64_t sentence, int64_t place) const {
    const int64_t at = sentence * longest + place;
    return block[at] < 0 ? nullptr : blocks[block[at]] + row[at] * stride + first;
  }
};

template <class Real>
class PrefixAttention {
 public:
  PrefixAttention(int64_t heads, int64_t size, int threads)
      : heads_(heads), size_(size), team_(threads) {}

  int64_t width() const { return heads_ * size_; }

  // From the last words' queries, keys and values (n, heads x size) to (n, heads x size). A row
  // does not depend on the others.
  void attend(int64_t n, const PrefixRows<Real>& before, const Real* queries, const Real* keys,
              const Real* values, Real* out) {
    const std::lock_guard<std::mutex> alone(mutex_);
    team_.each((n + kBlock - 1) / kBlock, [&](int64_t task, int) {
      std::vector<const Real*> rows;
      Buffer<Real> weights;
      for (int64_t i = task * kBlock; i < std::min(n, (task + 1) * kBlock); ++i) {
        rows.clear();
        for (int64_t p = 0; p < before.longest; ++p) {
          if (const Real* row = before.keys(i, p)) rows.push_back(row);
        }
        const int64_t at = i * width();
        attend(rows, queries + at, keys + at, values + at, weights, out + at);
      }
    });
  }

 private:
  static constexpr int64_t kBlock = 16;  // sentences

  void attend(const std::vector<const Real*>& rows, const Real* query, const Real* key,
              const Real* value, Buffer<Real>& weights, Real* out) const {
    const auto words = static_cast<int64_t>(rows.size());
    const int64_t stride = padded<Real>(words + 1);
    const Real scale = 1 / std::sqrt(static_cast<Real>(size_));
    weights.resize(heads_ * stride);
    for (int64_t p = 0; p <= words; ++p) {
      const Real* of_word = p < words ? rows[p] : key;
      for (int64_t h = 0; h < heads_; ++h) {
        weights[h * stride + p] = scale * dot(query + h * size_, of_word + h * size_);
      }
    }
    for (int64_t h = 0; h < heads_; ++h) softmax(weights.data() + h * stride, words + 1, stride);
    std::fill_n(out, width(), Real{0});
    for (int64_t p = 0; p <= words; ++p) {
      const Real* of_word = p < words ? rows[p] + width() : value;
      for (int64_t h = 0; h < heads_; ++h) {
        const Real weight = weights[h * stride + p];
        for (int64_t d = h * size_; d < (h + 1) * size_; ++d) out[d] += weight * of_word[d];
      }
    }
  }

  // Rows have no padding and may be unaligned.
  Real dot(const Real* a, const Real* b) const {
    constexpr int W = kWidth<Real>;
    Vec<Real> total{}, x, y;
    int64_t d = 0;
    for (; d + W <= size_; d += W) {
      std::memcpy(&x, a + d, sizeof x);
      std::memcpy(&y, b + d, sizeof y);
      total = multiply_add(x, y, total);
    }
    Real rest = 0;
    for (; d < size_; ++d) rest += a[d] * b[d];
    return sum<Real>(total) + rest;
  }

  int64_t heads_, size_;
  std::mutex mutex_;  // the team is of one call at a time
  Team team_;
};

}  // namespace nlmt::neural
