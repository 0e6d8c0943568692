// The path of a lattice with the highest sum of model score and gain, by dynamic programming.
//
// The gain is linear in the n-grams of a path (Tromble et al. 2008): one term for each word, and
// one for each occurrence of an n-gram that a reference has. A state of the search is a node of the
// lattice and the last words, as far as further n-grams depend on them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "io/lattice.h"
#include "reference_ngrams.h"

namespace nlmt::tuning {

struct Gains {
  double word = 0;                         // for each word
  std::array<double, kBleuOrder> match{};  // for each match of an order
};

class PathSearch {
 public:
  // The arcs of the best path, the first found of equal ones; empty if none leads to the end.
  // arc_scores: the model's, one an arc.
  std::vector<int32_t> find(const io::Lattice& lattice, const ReferenceNgrams& references,
                            const double* arc_scores, const Gains& gains);

 private:
  struct State {
    int32_t context;  // of the references' n-grams
    double score;
    int32_t arc;       // the last one; -1 at the start
    int64_t previous;  // the state before it
  };
  std::vector<std::vector<State>> waiting_;  // by node, those that lead to it
  std::vector<State> states_;                // of all nodes that have been gone through
};

}  // namespace nlmt::tuning
