// Moves words, one at a time, to the class that increases the objective most.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "brown.h"
#include "fixed_point.h"
#include "matrix.h"

namespace nlmt::classes {

// Bigram counts of the classes of a full clustering, with the exchange of Martin, Liermann and Ney
// 1998 (Algorithms for bigram and trigram word clustering, figure 2) on it.
//
// The objective is the mutual information, times the number of bigrams, less `penalty` times the
// sum over classes of count times number of words (see cluster).
class Exchange {
 public:
  // `assignment`: (V) the class of each word; every class has a word.
  Exchange(const Bigrams& bigrams, int classes, const FixedPoint& fixed, double penalty,
           std::vector<int32_t> assignment);

  // Moves each word, by falling frequency, to the class where the objective is highest; its own
  // class wins a tie, then the lowest. A class keeps its last word. Returns the number of moved
  // words.
  int pass(const std::function<void()>& poll);

  const std::vector<int32_t>& assignment() const { return assignment_; }
  int64_t unigram(int c) const { return unigram_[c]; }
  // (K + 1, K + 1), the sentence boundary last.
  const Matrix<uint32_t>& counts() const { return counts_; }

 private:
  void gather(int word);
  void move(int word, int into, int sign);
  int best_class(int word, int home);

  const Bigrams& bigrams_;
  const FixedPoint& fixed_;
  const int64_t penalty_;
  const int classes_;
  std::vector<int32_t> assignment_;
  Matrix<uint32_t> counts_, transposed_;
  std::vector<int64_t> unigram_, mass_, cost_;  // P, R and R log P as in Window
  std::vector<int32_t> size_;                   // words in a class

  // The bigrams of the current word, by class.
  std::vector<Neighbour> right_, left_;
  std::vector<uint32_t> right_count_, left_count_;
  int64_t word_mass_ = 0;
  std::vector<int64_t> gain_;
};

}  // namespace nlmt::classes
