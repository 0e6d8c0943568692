// The n-grams of a sentence's references as an automaton (Aho and Corasick 1975).
//
// A state is the longest suffix of the words read so far that is an n-gram of a reference, up to
// order 4; all its suffixes are n-grams of that reference, too. So the state alone determines how
// many n-grams match at a word, and what the next word will match.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "corpus_objective.h"
#include "io/ngram_trie.h"

namespace nlmt::tuning {

// Clipped matches and numbers of n-grams of orders 1 to 4 in turn, then the length of the closest
// reference, the shorter one of two.
using BleuStatistics = std::array<int32_t, 2 * kBleuOrder + 1>;

class ReferenceNgrams {
 public:
  // references: the words of each.
  explicit ReferenceNgrams(const std::vector<std::vector<int32_t>>& references);

  static constexpr int32_t kStart = 0;  // the empty n-gram
  // The state after one more word. It has matched n-grams of orders 1 to `order(state)`.
  int32_t next(int32_t state, int32_t word) const;
  int order(int32_t state) const { return ngrams_.length(state); }
  // The part of a state on which the future depends: equal for all states with the same future.
  int32_t context(int32_t state) const { return ngrams_.history(state); }

  BleuStatistics statistics(const std::vector<int32_t>& words) const;
  // The statistics of the first reference itself.
  const BleuStatistics& perfect() const { return perfect_; }

 private:
  io::NgramTrie ngrams_{kBleuOrder};
  std::vector<int32_t> most_;  // occurrences of each in the reference that has most of it
  std::vector<int64_t> lengths_;
  BleuStatistics perfect_{};
};

}  // namespace nlmt::tuning
