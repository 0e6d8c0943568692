// MIRA on lattices (Cherry and Foster 2012): hope and fear among all paths.
//
// The hope and fear paths are those with the highest sum of model score and plus or minus a linear
// approximation of quality: BLEU's first derivatives at the document in which quality is judged.
// The update then uses the exact quality of the two paths. Paths of other lattices of the sentence,
// of earlier decoder runs, compete with them.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <vector>

#include "hope_fear.h"
#include "lists.h"
#include "margin_learner.h"
#include "reference_ngrams.h"

namespace nlmt::tuning {

struct LatticeSentence {
  io::Lattice lattice;           // its arcs and words
  std::vector<double> features;  // row-major (arcs, width)
  ReferenceNgrams references;
  int64_t known = -1;  // its list of known paths, if any
};

struct LatticeMiraResult {
  std::vector<double> weights;
  double value;  // of the best paths under the weights
  // The arcs of all hope and fear paths, by sentence.
  std::vector<std::set<std::vector<int32_t>>> paths;
};

// The gains of a word and of its matches that approximate quality near `sums`, BLEU's statistics.
Gains linear_gains(const Objective& bleu, const Sums& sums);

// As `mira` on lists; the value of weights is that of the best paths of all lattices and lists.
// known: lists of known paths, each with BLEU's statistics; may have none.
LatticeMiraResult lattice_mira(const std::vector<LatticeSentence>& sentences, const Lists& known,
                               const double* start, uint64_t seed, const MiraOptions& options,
                               const std::atomic<bool>& stop);

}  // namespace nlmt::tuning
