// The posterior probability of each n-gram in a lattice: of all paths that contain it at least
// once, for the linear approximation of BLEU in Tromble, Kumar, Och and Macherey (2008).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lattice_graph.h"
#include "ngram_trie.h"

namespace nlmt::io {

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
