// The state of MIRA's learning: weights, and the document in which quality is judged.
#pragma once

#include <cstdint>
#include <vector>

#include "corpus_objective.h"

namespace nlmt::tuning {

struct MiraOptions {
  double largest_step;  // C: larger values fit single sentences more tightly
  double decay;         // share of its weight that the document keeps with each following sentence
  int epochs;
};

class MarginLearner {
 public:
  MarginLearner(const Objective& objective, int width, const double* start,
                const MiraOptions& options);

  const std::vector<double>& weights() const { return weights_; }
  // Recent hope hypotheses, older ones with less weight.
  const Sums& document() const { return document_; }
  // Quality of the document followed by a hypothesis, times the length of the references.
  double quality(const int32_t* statistics) const;

  // Moves the weights so that the hope hypothesis outscores the fear hypothesis by their difference
  // in quality, as far as one step may go, and adds it to the document. difference: features of
  // hope minus those of fear; loss: quality of hope minus that of fear.
  void update(const double* difference, double loss, const int32_t* hope);

  // The mean of the weights after all updates so far.
  std::vector<double> average() const;

 private:
  const Objective& objective_;
  const MiraOptions& options_;
  std::vector<double> weights_, total_;
  int64_t updates_ = 0;
  Sums document_;
};

}  // namespace nlmt::tuning
