// The state of MIRA's learning: weights, and the document in which quality is judged.
#pragma once

#include <atomic>
#include <cstdint>
#include <random>
#include <utility>
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

// Updates a learner for all sentences of each epoch, in random order. Returns the best of the
// averages of all weights after each epoch, or the start if none is better. Ends early once `stop`
// is set.
template <class Learner>
Optimum learn(Learner& learner, std::vector<double> start, std::vector<int64_t> order,
              uint64_t seed, int epochs, const std::atomic<bool>& stop) {
  Optimum best{start, learner.value(start)};
  std::mt19937_64 random(seed);
  for (int epoch = 0; epoch < epochs && !order.empty(); ++epoch) {
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (const int64_t sentence : order) {
      if (stop) return best;
      learner.update(sentence);
    }
    std::vector<double> average = learner.average();
    const double value = learner.value(average);
    if (value > best.value) best = {std::move(average), value};
  }
  return best;
}

}  // namespace nlmt::tuning
