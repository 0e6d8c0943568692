// The n-grams of a sentence's references as an automaton (Aho and Corasick 1975).
//
// A state is the longest suffix of the words read so far that is an n-gram of a reference, up to
// order 4; all its suffixes are n-grams of that reference, too. So the state alone determines how
// many n-grams match at a word, and what the next word will match.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "word_trie.h"

namespace nlmt::tuning {

constexpr int kNgramOrder = 4;

// Clipped matches and numbers of n-grams of orders 1 to 4 in turn, then the length of the closest
// reference, the shorter one of two.
using BleuStatistics = std::array<int32_t, 2 * kNgramOrder + 1>;

class ReferenceNgrams {
 public:
  // references: words of each, all from 0; a negative word is one that none has.
  explicit ReferenceNgrams(const std::vector<std::vector<int32_t>>& references);

  static constexpr int32_t kStart = 0;
  // The state after one more word. It has matched n-grams of orders 1 to `order(state)`.
  int32_t next(int32_t state, int32_t word) const;
  int order(int32_t state) const { return nodes_[state].order; }
  // The part of a state on which the future depends: equal for all states with the same future.
  int32_t context(int32_t state) const {
    return nodes_[state].order < kNgramOrder ? state : nodes_[state].shorter;
  }

  BleuStatistics statistics(const std::vector<int32_t>& words) const;
  // The statistics of the first reference itself.
  const BleuStatistics& perfect() const { return perfect_; }

 private:
  struct Node {
    int32_t shorter;   // without its first word
    int32_t order;     // its number of words
    int32_t most = 0;  // its occurrences in the reference that has most of it
  };
  // -1: none.
  int32_t child(int32_t node, int32_t word) const {
    return static_cast<int32_t>(
        trie_.child(static_cast<uint32_t>(node), static_cast<uint32_t>(word)));
  }
  int32_t add(int32_t node, int32_t word);

  std::vector<Node> nodes_{{kStart, 0}};
  WordTrie trie_;
  std::vector<int64_t> lengths_;
  BleuStatistics perfect_{};
};

}  // namespace nlmt::tuning
