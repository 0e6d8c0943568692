// The current classes while clustering, and the loss of each merge of two.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "brown.h"
#include "fixed_point.h"
#include "matrix.h"

namespace nlmt::classes {

// Classes in slots, and contexts after them that are never merged, such as the sentence boundary.
//
// With f(x) = x log x, P the count of a class and R the number of bigrams that it takes part in
// (row sum + column sum, over the slots in use), the mutual information of neighbouring classes,
// times the number of bigrams and but for a constant, is
//
//     sum_ab f(n_ab) - sum_a R_a log P_a.
//
// Merging s and t loses
//
//     context(s, t) + own(s, t) - R_s log P_s - R_t log P_t + (R_s + R_t) log(P_s + P_t)
//
// where context(s, t) = sum over slots u of g(n_su, n_tu) + g(n_us, n_ut), with
// g(x, y) = f(x) + f(y) - f(x + y), and own(s, t) corrects the four cells among s and t.
// G is 0 where x or y is: adding or merging a class with k neighbours changes context() only for
// pairs with a neighbour among them. Counts and their logarithms are integers (FixedPoint), so
// the sums stay exact however often they are updated.
//
// With a penalty, a merge also loses it times the rise of the sum over classes of count times
// number of words (see cluster).
class Window {
 public:
  Window(int slots, int contexts, const FixedPoint& fixed, double penalty);

  // The first context; the others follow.
  int context() const { return slots_; }

  // Puts a new class of one word into the empty slot `slot`. `right` and `left` hold its bigrams
  // with the slots in use and the contexts, each once.
  void place(int slot, int64_t unigram, const std::vector<Neighbour>& right,
             const std::vector<Neighbour>& left, uint32_t self);

  // The two classes whose merge loses least; of equal ones that with the lowest slots. The class
  // with more tokens comes first (of equal ones the lower slot).
  std::pair<int, int> best_pair();

  // Merges class `gone` into class `keep` and empties its slot.
  void merge(int keep, int gone);

 private:
  int64_t g(int64_t x, int64_t y) const {
    return fixed_.x_log_x(x) + fixed_.x_log_x(y) - fixed_.x_log_x(x + y);
  }
  int64_t own(int s, int t) const;
  void add_bigrams(Matrix<uint32_t>& counts, Matrix<uint32_t>& transposed, int slot,
                   const std::vector<Neighbour>& neighbours);
  void add_context(const uint32_t* column, const std::vector<Neighbour>& neighbours);
  void add_row(const Matrix<uint32_t>& transposed, int slot,
               const std::vector<Neighbour>& neighbours);
  void merge_columns(Matrix<uint32_t>& counts, Matrix<uint32_t>& transposed, int keep, int gone);
  void set_pairs(int slot);
  void mark_changed(int slot);
  void rescan(int slot);
  int64_t loss_of(int s, int t) const {
    return context_[s][t] + own_[s][t] - cost_[s] - cost_[t] +
           (mass_[s] + mass_[t]) * log_sum_[s][t];
  }

  const FixedPoint& fixed_;
  const int64_t penalty_;
  const int slots_;  // for classes
  const int width_;  // slots and contexts
  Matrix<uint32_t> counts_, transposed_;
  Matrix<int64_t> context_;                     // symmetric
  Matrix<int64_t> own_;                         // symmetric; kNever where a slot is empty
  Matrix<int64_t> log_sum_;                     // log(P_s + P_t), symmetric
  std::vector<int64_t> unigram_, mass_, cost_;  // P, R and R log P
  std::vector<int32_t> size_;                   // words in a class
  std::vector<char> live_;

  // The best partner above each slot, valid but for pairs with a slot in changed_.
  std::vector<int64_t> best_loss_;
  std::vector<int> best_;
  std::vector<int> changed_;
  std::vector<char> is_changed_;
};

}  // namespace nlmt::classes
