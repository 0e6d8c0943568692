#include "lists.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "hashing.h"
#include "interner.h"
#include "vector.h"

namespace nlmt::tuning {
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
  for (int64_t s = 0; s < sentences; ++s) {
    for (int64_t i = 0; i < padded(s); ++i) {
      const double* from = features + (offsets[s] + (i < sizes_[s] ? i : 0)) * width;
      // Adding 0 turns -0 into 0.
      for (int f = 0; f < width; ++f) columns_[f][begins_[s] + i] = from[f] + 0.0;
    }
  }
  number_statistics(offsets, statistics);
}

void Lists::number_statistics(const int64_t* offsets, const int32_t* statistics) {
  const int64_t kinds = objective_->width();
  stride_ = (kinds + kLane - 1) / kLane * kLane;
  statistics_ids_.assign(rows_, 0);
  first_ids_.assign(1, 0);
  std::vector<int32_t> order;
  for (int64_t s = 0; s < sentences(); ++s) {
    const int32_t* first = statistics + offsets[s] * kinds;
    const auto at = [&](int32_t row) { return first + row * kinds; };
    order.resize(sizes_[s]);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return std::lexicographical_compare(at(a), at(a) + kinds, at(b), at(b) + kinds);
    });
    for (size_t i = 0; i < order.size(); ++i) {
      if (i == 0 || !std::equal(at(order[i]), at(order[i]) + kinds, at(order[i - 1]))) {
        distinct_.insert(distinct_.end(), at(order[i]), at(order[i]) + kinds);
        distinct_.resize((distinct_.size() + kLane - 1) / kLane * kLane, 0);
      }
      statistics_ids_[begins_[s] + order[i]] =
          static_cast<int32_t>(static_cast<int64_t>(distinct_.size()) / stride_ - 1);
    }
    first_ids_.push_back(static_cast<int32_t>(static_cast<int64_t>(distinct_.size()) / stride_));
  }
}

// Projects the rows from `first` to `last`, both at whole vectors, onto kCount directions; the
// `last - first` results of a direction are contiguous.
template <int kCount>
void Lists::project(const double* directions, int64_t first, int64_t last, double* out) const {
  const auto block = [&](int64_t begin, auto vectors) {
    constexpr int kVectors = decltype(vectors)::value;
    Doubles sums[kCount][kVectors] = {};
    for (int f = 0; f < width(); ++f) {
      const double* values = column(f) + begin;
      for (int v = 0; v < kVectors; ++v) {
        const Doubles value = load(values + v * kWidth);
        for (int d = 0; d < kCount; ++d) sums[d][v] += directions[d * width() + f] * value;
      }
    }
    for (int d = 0; d < kCount; ++d) {
      std::memcpy(out + d * (last - first) + begin - first, sums[d], sizeof sums[d]);
    }
  };
  int64_t i = first;
  for (; i + 2 * kWidth <= last; i += 2 * kWidth) block(i, std::integral_constant<int, 2>());
  if (i < last) block(i, std::integral_constant<int, 1>());
}

void Lists::slopes(const double* directions, int count, double* out) const {
  switch (count) {
    case 1:
      return project<1>(directions, 0, rows_, out);
    case 2:
      return project<2>(directions, 0, rows_, out);
    case 3:
      return project<3>(directions, 0, rows_, out);
    default:
      return project<4>(directions, 0, rows_, out);
  }
}

void Lists::scores_of(int64_t sentence, const double* weights, double* out) const {
  project<1>(weights, begins_[sentence], begins_[sentence + 1], out);
}

void Lists::scores(const double* weights, std::vector<double>* out) const {
  out->resize(rows_);
  slopes(weights, 1, out->data());
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

double Lists::value(const double* weights) const {
  std::vector<double> all;
  scores(weights, &all);
  return objective_->value(sums(all.data()));
}

std::vector<int64_t> distinct_rows(const int32_t* sentence, const double* features, int64_t rows,
                                   int64_t width) {
  Interner numbers;
  std::vector<int64_t> kept;
  for (int64_t row = 0; row < rows; ++row) {
    const double* values = features + row * width;
    uint64_t hash = static_cast<uint32_t>(sentence[row]);
    for (int64_t f = 0; f < width; ++f) {
      const double value = values[f] + 0.0;  // -0 equals 0
      uint64_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      hash = fold(hash, bits);
    }
    const uint32_t number = numbers.intern(hash, [&](uint32_t other) {
      return sentence[kept[other]] == sentence[row] &&
             std::equal(values, values + width, features + kept[other] * width);
    });
    if (number == kept.size()) kept.push_back(row);
  }
  return kept;
}

}  // namespace nlmt::tuning
