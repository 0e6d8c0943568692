// The interface of output layers.
#pragma once

#include <memory>

#include "networks/direct.h"
#include "networks/layer.h"
#include "outputs/units.h"
#include "team.h"
#include "training/objective.h"

namespace nlmt::neural {

// Settings of the objective of training.
struct ObjectiveSettings {
  std::string name;      // nce or likelihood
  double alpha;          // weight of (log Z)^2
  int noise;             // samples
  const double* counts;  // of each word as a target
};

template <class Real>
struct Output : Layer<Real> {
  int64_t words, dim;

  Output(int64_t words, int64_t dim) : words(words), dim(dim) {}
  const Matrix<Real>& values(int part) const { return this->parameters[part].values; }
  int64_t stride() const { return padded<Real>(dim); }
  // The units of a weight and of the bias after it.
  Units<FloatRow<Real>> units(int weight) const {
    return {&values(weight), values(weight + 1).row(0)};
  }

  // Number of its rows, which have a bias each.
  int64_t rows() const {
    int64_t sum = 0;
    for (const Parameter<Real>& part : this->parameters) sum += part.bias ? part.values.columns : 0;
    return sum;
  }

  // Whether the layer gives the word a probability of its own.
  virtual bool covers(int32_t word) const { return word >= 0 && word < words; }

  // Raises std::invalid_argument if the layer cannot be trained for it.
  virtual std::unique_ptr<Objective<Real>> objective(const ObjectiveSettings& settings,
                                                     const StepSettings& steps) = 0;

  // Natural-log probabilities of words[starts[i]:starts[i + 1]] after the i-th hidden vector;
  // without `normalised`, scores are unnormalised. `features` of the i-th vector are added to the
  // logits, unless null.
  virtual void score(const Matrix<Real>& h, const int64_t* starts, const int32_t* words,
                     bool normalised, const Features<Real>* features, double* out,
                     Team& team) const = 0;
};

// Replaces logits by derivatives of the loss -log p + alpha (log Z)^2, where p is their probability
// of the target.
//
// With alpha = 0 this is the likelihood; else the self-normalised objective (Devlin et al. 2014).
template <class Real>
inline double softmax_loss(Real* logits, int64_t n, int64_t stride, int64_t choice, double alpha) {
  const double logit = logits[choice];
  const double log_z = softmax(logits, n, stride);
  if (alpha > 0) {
    const Vec<Real> scale = broadcast(static_cast<Real>(1 + 2 * alpha * log_z));
    for (int64_t i = 0; i < stride; i += kWidth<Real>) store(logits + i, load(logits + i) * scale);
  }
  logits[choice] -= Real(1);
  return log_z - logit + alpha * log_z * log_z;
}

}  // namespace nlmt::neural
