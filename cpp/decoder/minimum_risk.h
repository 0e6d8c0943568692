// The translation of least expected loss, instead of the one with the highest score.
#pragma once

#include <cstddef>
#include <vector>

#include "nbest.h"

namespace nlmt::decoder {

struct RiskOptions {
  std::size_t size = 0;  // different translations to choose from; 0: take the best one
  double scale = 1;      // of model scores, before they become probabilities
  // For lattice MBR: for a word, and for n-grams of each length; empty: MBR over the list.
  std::vector<double> thetas;
  double density = 30;    // arcs a word of the best translation that its n-grams come from
  double map_weight = 0;  // of the model score of the best translation
};

// Place in `list`, of which the first is the best, of the translation with the highest gain by the
// linear approximation of BLEU (Tromble, Kumar, Och and Macherey 2008, equation 18): thetas[0]
// times its words, and for each n-gram thetas[n] times its count times its posterior probability in
// the lattice. The first of equal ones.
std::size_t choose_by_lattice(const Searcher& searcher, std::uint32_t best_hypothesis,
                              const std::vector<Translation>& list, const RiskOptions& options);

// Place in `list` of the translation with the least expected loss over the list
// (base/bleu_risk.h), the first of equal ones.
std::size_t choose_by_bleu(const Searcher& searcher, const std::vector<Translation>& list,
                           const RiskOptions& options);

}  // namespace nlmt::decoder
