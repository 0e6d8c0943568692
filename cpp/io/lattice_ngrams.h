// The posterior probability of each n-gram in a lattice: of all paths that contain it at least
// once, for the linear approximation of BLEU in Tromble, Kumar, Och and Macherey (2008).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lattice_graph.h"
#include "word_trie.h"

namespace nlmt::io {

// N-grams up to an order, numbered in the order of adding; 0 is the empty one.
class NgramTrie {
 public:
  static constexpr std::int32_t kNone = -1;

  explicit NgramTrie(int order) : order_(order), nodes_(1, {0, 0}) {}

  std::int32_t size() const { return static_cast<std::int32_t>(nodes_.size()); }
  int length(std::int32_t ngram) const { return nodes_[ngram].length; }
  // Without its first word.
  std::int32_t shorter(std::int32_t ngram) const { return nodes_[ngram].shorter; }
  // With a word more, or kNone.
  std::int32_t find(std::int32_t ngram, std::int32_t word) const {
    return static_cast<std::int32_t>(
        children_.child(static_cast<std::uint32_t>(ngram), static_cast<std::uint32_t>(word)));
  }
  std::int32_t add(std::int32_t ngram, std::int32_t word);
  // The words before the next one that may still take part in an n-gram with it.
  std::int32_t history(std::int32_t ngram) const {
    return length(ngram) == order_ ? shorter(ngram) : ngram;
  }

 private:
  struct Node {
    std::int32_t shorter;
    int length;
  };

  int order_;
  std::vector<Node> nodes_;
  WordTrie children_;
};

class NgramPosteriors {
 public:
  // `scores` are logs of unnormalised probabilities. Exact: the lattice is unfolded until a state
  // determines the order - 1 words before it, and an n-gram that may occur twice on a path is
  // counted at its first occurrence. The time grows with arcs times n-grams: prune first.
  NgramPosteriors(const LatticeArcs& arcs, const double* scores, const ArcWords& words, int order,
                  const std::function<void()>& poll);

  const NgramTrie& trie() const { return trie_; }
  double probability(std::int32_t ngram) const { return probabilities_[ngram]; }

 private:
  // An arc between unfolded states, and its probability given its start.
  struct Edge {
    std::int32_t from, to;
    double probability;
  };

  void unfold(const LatticeArcs& arcs, const double* scores, const ArcWords& words,
              std::vector<std::vector<std::int32_t>>& places, const std::function<void()>& poll);
  double first_time(const std::vector<std::int32_t>& edges);

  NgramTrie trie_;
  std::vector<Edge> edges_;    // by start state, in topological order
  std::vector<double> reach_;  // by state: how likely a path leads there
  std::vector<double> seen_;   // by state: and has had the current n-gram
  std::vector<double> probabilities_;
};

}  // namespace nlmt::io
