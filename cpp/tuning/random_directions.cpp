#include "random_directions.h"

#include <algorithm>
#include <cmath>

namespace nlmt::tuning {
namespace {

// Uniform in [0, 1). The standard's distributions differ between libraries, its engines do not.
double uniform(std::mt19937_64* random) { return static_cast<double>((*random)() >> 11) * 0x1p-53; }

}  // namespace

void normalise(double* weights, int width) {
  double sum = 0;
  for (int f = 0; f < width; ++f) sum += std::abs(weights[f]);
  if (sum == 0) return;
  for (int f = 0; f < width; ++f) weights[f] /= sum;
}

void RandomDirections::draw(int count, std::mt19937_64* random) {
  const int width = lists_.width();
  count_ = count;
  current_ = -1;
  first_ = ready_ = 0;
  directions_.resize(count_ * width);
  for (int64_t d = 0; d < count_; ++d) {
    double* direction = &directions_[d * width];
    for (int f = 0; f < width; ++f) {
      direction[f] = spreads_[f] > 0 ? (2 * uniform(random) - 1) / spreads_[f] : 0;
    }
    normalise(direction, width);
  }
}

void RandomDirections::advance() {
  if (++current_ == ready_) {
    first_ = ready_;
    ready_ = std::min(count_, ready_ + Lists::kBatch);
    slopes_.resize(Lists::kBatch * lists_.rows());
    lists_.slopes(&directions_[first_ * lists_.width()], static_cast<int>(ready_ - first_),
                  slopes_.data());
  }
  range_.emplace(lists_, slopes());
}

}  // namespace nlmt::tuning
