// Sufficient statistics of chrF (Popovic 2015), characters 1 to 6 without spaces: for each order in
// turn the n-grams of the hypothesis, those of the reference, and their matches. Of several
// references the one with the highest F counts, the first of equals.
#pragma once

#include <cstdint>
#include <vector>

#include "ngrams.h"

namespace nlmt::evaluation {

// The characters of each word, as dense ids.
struct Spelling {
  const int32_t* characters;
  const int64_t* offsets;  // word w is characters[offsets[w] ... offsets[w + 1])
  int32_t alphabet;        // ids are below it
};

class ChrfStatistics {
 public:
  static constexpr int kOrder = 6;
  static constexpr int kWidth = 3 * kOrder;

  explicit ChrfStatistics(const Spelling& spelling) : spelling_(spelling) {}
  void set_references(const References& references);
  void count(Words words, int32_t* out);

 private:
  void spell(Words words);  // into `letters_`

  Spelling spelling_;
  std::vector<int32_t> letters_;
  std::vector<NgramMatcher> matchers_;  // one for each reference
  std::vector<int64_t> lengths_;        // of the references, in characters
};

// F from 0 to 1 of statistics or of their sums, as sacreBLEU rounds it: recall twice as weighty as
// precision, both averaged over the orders that the hypothesis and the reference have.
template <class Count>
double chrf_score(const Count* statistics) {
  constexpr double kFactor = 4;  // beta squared
  double precision = 0, recall = 0;
  int orders = 0;
  for (int i = 0; i < ChrfStatistics::kWidth; i += 3) {
    const double ours = statistics[i], theirs = statistics[i + 1], matches = statistics[i + 2];
    if (ours == 0 || theirs == 0) continue;
    precision += matches / ours;
    recall += matches / theirs;
    ++orders;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  return (1 + kFactor) * precision * recall / (kFactor * precision + recall);
}

}  // namespace nlmt::evaluation
