#include "lists.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace nlmt::tuning {
namespace {

constexpr int64_t kBlock = 1024;

}  // namespace

Lists::Lists(const double* features, int width, const int64_t* offsets, int64_t sentences,
             const int32_t* statistics, std::unique_ptr<const Objective> objective)
    : objective_(std::move(objective)) {
  begins_.assign(1, 0);
  for (int64_t s = 0; s < sentences; ++s) {
    sizes_.push_back(offsets[s + 1] - offsets[s]);
    begins_.push_back(begins_.back() + (sizes_.back() + kLane - 1) / kLane * kLane);
  }
  rows_ = begins_.back();
  columns_.assign(width, std::vector<double>(rows_, 0));
  const int64_t kinds = objective_->width();
  statistics_.assign(rows_ * kinds, 0);
  for (int64_t s = 0; s < sentences; ++s) {
    for (int64_t i = 0; i < sizes_[s]; ++i) {
      const double* from = features + (offsets[s] + i) * width;
      // Adding 0 turns -0 into 0.
      for (int f = 0; f < width; ++f) columns_[f][begins_[s] + i] = from[f] + 0.0;
    }
    std::copy(statistics + offsets[s] * kinds, statistics + offsets[s + 1] * kinds,
              statistics_.begin() + begins_[s] * kinds);
  }
}

void Lists::slopes(const double* direction, std::vector<double>* out) const {
  out->assign(rows_, 0);
  double* sums = out->data();
  // Block by block, so that the sums stay in the nearest cache.
  for (int64_t begin = 0; begin < rows_; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, rows_);
    for (int f = 0; f < width(); ++f) {
      if (direction[f] == 0) continue;
      const double* values = column(f);
      for (int64_t i = begin; i < end; ++i) sums[i] += direction[f] * values[i];
    }
  }
}

void Lists::scores(const double* weights, std::vector<double>* out) const {
  slopes(weights, out);
  for (int64_t s = 0; s < sentences(); ++s) {
    std::fill(out->begin() + begins_[s] + sizes_[s], out->begin() + begins_[s + 1],
              -std::numeric_limits<double>::infinity());
  }
}

int64_t Lists::best(const double* scores, int64_t sentence) const {
  if (sizes_[sentence] == 0) return -1;
  const double* from = scores + begins_[sentence];
  return std::max_element(from, from + sizes_[sentence]) - from;
}

Sums Lists::sums(const double* scores) const {
  Sums sums{};
  for (int64_t s = 0; s < sentences(); ++s) {
    const int64_t winner = best(scores, s);
    if (winner < 0) continue;
    const int32_t* values = statistics(begins_[s] + winner);
    for (int k = 0; k < objective_->width(); ++k) sums[k] += values[k];
  }
  return sums;
}

}  // namespace nlmt::tuning
