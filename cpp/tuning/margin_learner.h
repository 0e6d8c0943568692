// What MIRA learns, list by list: weights, and the document that quality is judged in.
#pragma once

#include <cstdint>
#include <vector>

#include "corpus_objective.h"

namespace nlmt::tuning {

struct MiraOptions {
  double largest_step;  // C: a larger one follows the sentences closer
  double decay;         // what the document keeps of its weight with each sentence that follows
  int epochs;
};

class MarginLearner {
 public:
  MarginLearner(const Objective& objective, int width, const double* start,
                const MiraOptions& options);

  const std::vector<double>& weights() const { return weights_; }
  // The hypotheses lately hoped for, those longer ago with less weight.
  const Sums& document() const { return document_; }
  // Of the document with a hypothesis at its end, times the length of the references.
  double quality(const int32_t* statistics) const;

  // Moves the weights so that the hypothesis hoped for outscores the one feared by what it is
  // better, as far as one step may go, and adds it to the document.
  // difference: features of the first less those of the second; loss: its quality less the other's.
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
