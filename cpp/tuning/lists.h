// n-best lists in MERT's layout: feature columns and statistics, grouped by sentence.
//
// Each sentence is padded to a multiple of kLane rows, so that loops over it run in whole vectors.
// Padding rows have the features of the sentence's first row, so that they change no extremes;
// their `scores` are minus infinity, so that they never win.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "corpus_objective.h"

namespace nlmt::tuning {

constexpr int64_t kLane = 8;
// Features and weights stay below it: larger ones would overflow where lines cross.
constexpr double kTooLarge = 1e30;

class Lists {
 public:
  // Directions whose slopes are found at once.
  static constexpr int kBatch = 4;

  // features: row-major (offsets[sentences], width), all finite; offsets: sentences + 1, rising;
  // statistics: row-major (offsets[sentences], objective->width()).
  Lists(const double* features, int width, const int64_t* offsets, int64_t sentences,
        const int32_t* statistics, std::unique_ptr<const Objective> objective);

  const Objective& objective() const { return *objective_; }

  int64_t sentences() const { return static_cast<int64_t>(sizes_.size()); }
  int width() const { return static_cast<int>(columns_.size()); }
  int64_t rows() const { return rows_; }
  // First row of a sentence, and its numbers of rows with and without padding.
  int64_t begin(int64_t sentence) const { return begins_[sentence]; }
  int64_t padded(int64_t sentence) const { return begins_[sentence + 1] - begins_[sentence]; }
  int64_t size(int64_t sentence) const { return sizes_[sentence]; }
  const double* column(int feature) const { return columns_[feature].data(); }
  // Statistics of a row, padded with zeros to `statistics_width()` values.
  const int32_t* statistics(int64_t row) const { return statistics_of(statistics_id(row)); }
  int64_t statistics_width() const { return stride_; }
  // Rows of one sentence have the same number if and only if their statistics are equal.
  int32_t statistics_id(int64_t row) const { return statistics_ids_[row]; }
  const int32_t* statistics_of(int32_t id) const { return &distinct_[id * stride_]; }
  // The numbers of a sentence are those from its own first one to that of the next sentence.
  int32_t first_statistics_id(int64_t sentence) const { return first_ids_[sentence]; }
  void prefetch_id(int64_t row) const { __builtin_prefetch(&statistics_ids_[row]); }
  void prefetch_statistics(int32_t id) const { __builtin_prefetch(statistics_of(id)); }

  // Model scores of all rows, minus infinity for padding.
  void scores(const double* weights, std::vector<double>* out) const;
  // Slopes of all rows along `count` directions, up to kBatch: directions[d * width() + f] gives
  // out[d * rows() + row].
  void slopes(const double* directions, int count, double* out) const;
  // Model scores of a sentence's rows, in padded(sentence) places; those of padding are
  // meaningless.
  void scores_of(int64_t sentence, const double* weights, double* out) const;
  // Place within its sentence of the best hypothesis, the first of equals; -1 in an empty list.
  int64_t best(const double* scores, int64_t sentence) const;
  // Summed statistics of the best hypotheses.
  Sums sums(const double* scores) const;
  // Value of the objective for the best hypotheses.
  double value(const double* weights) const;

 private:
  template <int kCount>
  void project(const double* directions, int64_t first, int64_t last, double* out) const;
  void number_statistics(const int64_t* offsets, const int32_t* statistics);

  std::unique_ptr<const Objective> objective_;
  int64_t rows_ = 0;
  std::vector<int64_t> begins_, sizes_;
  std::vector<std::vector<double>> columns_;
  int64_t stride_;
  std::vector<int32_t> statistics_ids_, distinct_, first_ids_;
};

// The rows, in order, that are the first with their features in their sentence: no weights tell
// others from them. features: row-major (rows, width).
std::vector<int64_t> distinct_rows(const int32_t* sentence, const double* features, int64_t rows,
                                   int64_t width);

}  // namespace nlmt::tuning
