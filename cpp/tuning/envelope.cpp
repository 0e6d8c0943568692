#include "envelope.h"

#include <algorithm>

#include "lists.h"
#include "vector.h"

namespace nlmt::tuning {
namespace {

// Place of the largest intercept among the lines of a slope, the first of equals.
int32_t best_of_slope(const double* intercepts, const double* slopes, int64_t padded,
                      double slope) {
  Maximum best;
  for (int64_t i = 0; i < padded; i += kLane) {
    const Places fits = load(slopes + i) == slope;
    best.add(fits ? load(intercepts + i) : Doubles{} + kNever, i);
  }
  return best.place();
}

}  // namespace

const std::vector<Piece>& Envelope::find(const double* intercepts, const double* slopes,
                                         int64_t padded, double lowest, double highest) {
  pieces_.clear();
  pending_.clear();
  int32_t left = best_of_slope(intercepts, slopes, padded, lowest);
  pieces_.push_back({-kFar, left});
  if (lowest == highest) return pieces_;
  pending_.push_back(best_of_slope(intercepts, slopes, padded, highest));
  while (!pending_.empty()) {
    const int32_t right = pending_.back();
    const double exact = (intercepts[left] - intercepts[right]) / (slopes[right] - slopes[left]);
    const double x = std::clamp(exact, pieces_.back().from, kFar);
    // Two at a time: each alone waits for the comparison before it.
    Maximum best, other;
    int64_t i = 0;
    for (; i + kLane < padded; i += 2 * kLane) {
      best.add(load(intercepts + i) + x * load(slopes + i), i);
      other.add(load(intercepts + i + kLane) + x * load(slopes + i + kLane), i + kLane);
    }
    if (i < padded) best.add(load(intercepts + i) + x * load(slopes + i), i);
    best.add(other);
    bool between = false;
    if (best.value() >
        std::max(intercepts[left] + x * slopes[left], intercepts[right] + x * slopes[right])) {
      // Rounding may show a neighbour, or a line parallel to one, above itself.
      const double slope = slopes[best.place()];
      between = slopes[left] < slope && slope < slopes[right];
    }
    if (between) {
      pending_.push_back(best.place());
    } else {
      pieces_.push_back({x, right});
      left = right;
      pending_.pop_back();
    }
  }
  return pieces_;
}

}  // namespace nlmt::tuning
