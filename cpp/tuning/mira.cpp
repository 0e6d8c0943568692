#include "mira.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace nlmt::tuning {
namespace {

double value_of(const Lists& lists, const std::vector<double>& weights) {
  std::vector<double> scores;
  lists.scores(weights.data(), &scores);
  return lists.objective().value(lists.sums(scores.data()));
}

class Learner {
 public:
  Learner(const Lists& lists, const double* start, const MiraOptions& options)
      : lists_(lists), options_(options), weights_(start, start + lists.width()) {
    total_.assign(weights_.size(), 0);
    document_.fill(1);
  }

  void update(int64_t sentence) {
    const int64_t begin = lists_.begin(sentence), size = lists_.size(sentence);
    const int width = lists_.objective().width();
    score(begin, size);
    int64_t hope = 0, fear = 0;
    quality_.resize(size);
    for (int64_t i = 0; i < size; ++i) {
      Sums sums = document_;
      const int32_t* values = lists_.statistics(begin + i);
      for (int k = 0; k < width; ++k) sums[k] += values[k];
      quality_[i] = lists_.objective().value(sums) * lists_.objective().reference_length(sums);
      if (scores_[i] + quality_[i] > scores_[hope] + quality_[hope]) hope = i;
      if (scores_[i] - quality_[i] > scores_[fear] - quality_[fear]) fear = i;
    }
    step(begin, hope, fear);
    for (int f = 0; f < lists_.width(); ++f) total_[f] += weights_[f];
    ++updates_;
    const int32_t* values = lists_.statistics(begin + hope);
    for (int k = 0; k < width; ++k) {
      document_[k] = options_.decay * (document_[k] + values[k]);
    }
  }

  std::vector<double> average() const {
    std::vector<double> mean = total_;
    for (double& value : mean) value /= static_cast<double>(updates_);
    return mean;
  }

 private:
  void score(int64_t begin, int64_t size) {
    scores_.assign(size, 0);
    for (int f = 0; f < lists_.width(); ++f) {
      const double weight = weights_[f];
      const double* values = lists_.column(f) + begin;
      for (int64_t i = 0; i < size; ++i) scores_[i] += weight * values[i];
    }
  }

  // Moves the weights towards the hypothesis `hope` of a list and away from `fear`.
  void step(int64_t begin, int64_t hope, int64_t fear) {
    std::vector<double> difference(weights_.size());
    double length = 0, margin = 0;
    for (int f = 0; f < lists_.width(); ++f) {
      difference[f] = lists_.column(f)[begin + hope] - lists_.column(f)[begin + fear];
      length += difference[f] * difference[f];
      margin += difference[f] * weights_[f];
    }
    const double loss = quality_[hope] - quality_[fear] - margin;
    if (!(loss > 0) || length == 0) return;
    const double step = std::min(options_.largest_step, loss / length);
    for (int f = 0; f < lists_.width(); ++f) weights_[f] += step * difference[f];
  }

  const Lists& lists_;
  const MiraOptions& options_;
  std::vector<double> weights_, total_, scores_, quality_;
  int64_t updates_ = 0;
  Sums document_;
};

}  // namespace

std::vector<double> mira(const Lists& lists, const double* start, uint64_t seed,
                         const MiraOptions& options, const std::atomic<bool>& stop) {
  std::vector<double> best(start, start + lists.width());
  double best_value = value_of(lists, best);
  Learner learner(lists, start, options);
  std::mt19937_64 random(seed);
  std::vector<int64_t> order;
  for (int64_t s = 0; s < lists.sentences(); ++s) {
    if (lists.size(s) > 0) order.push_back(s);
  }
  if (order.empty()) return best;
  for (int epoch = 0; epoch < options.epochs && !stop; ++epoch) {
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (int64_t sentence : order) learner.update(sentence);
    std::vector<double> average = learner.average();
    const double value = value_of(lists, average);
    if (value > best_value) {
      best = std::move(average);
      best_value = value;
    }
  }
  return best;
}

}  // namespace nlmt::tuning
