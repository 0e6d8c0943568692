#include "margin_learner.h"

#include <algorithm>

namespace nlmt::tuning {

MarginLearner::MarginLearner(const Objective& objective, int width, const double* start,
                             const MiraOptions& options)
    : objective_(objective), options_(options), weights_(start, start + width), total_(width, 0) {
  document_.fill(1);
}

double MarginLearner::quality(const int32_t* statistics) const {
  Sums sums = document_;
  for (int k = 0; k < objective_.width(); ++k) sums[k] += statistics[k];
  return objective_.value(sums) * objective_.reference_length(sums);
}

void MarginLearner::update(const double* difference, double loss, const int32_t* hope) {
  double length = 0, margin = 0;
  for (size_t f = 0; f < weights_.size(); ++f) {
    length += difference[f] * difference[f];
    margin += difference[f] * weights_[f];
  }
  if (loss > margin && length > 0) {
    const double step = std::min(options_.largest_step, (loss - margin) / length);
    for (size_t f = 0; f < weights_.size(); ++f) weights_[f] += step * difference[f];
  }
  for (size_t f = 0; f < weights_.size(); ++f) total_[f] += weights_[f];
  ++updates_;
  for (int k = 0; k < objective_.width(); ++k) {
    document_[k] = options_.decay * (document_[k] + hope[k]);
  }
}

std::vector<double> MarginLearner::average() const {
  std::vector<double> mean = total_;
  for (double& value : mean) value /= static_cast<double>(updates_);
  return mean;
}

}  // namespace nlmt::tuning
