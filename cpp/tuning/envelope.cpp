#include "envelope.h"

#include <algorithm>

#include "lists.h"
#include "vector.h"

namespace nlmt::tuning {
namespace {

struct Ends {
  int32_t left, right;
};

// Places of the largest intercept among the lines of the lowest slope and among those of the
// highest, the first of equals.
Ends find_ends(const double* intercepts, const double* slopes, int64_t padded, double lowest,
               double highest) {
  Maximum left, right;
  for (int64_t i = 0; i < padded; i += kLane) {
    const Doubles intercept = load(intercepts + i), slope = load(slopes + i);
    left.add(slope == lowest ? intercept : Doubles{} + kNever, i);
    right.add(slope == highest ? intercept : Doubles{} + kNever, i);
  }
  return {left.place(), right.place()};
}

}  // namespace

const std::vector<Piece>& Envelope::find(const double* intercepts, const double* slopes,
                                         int64_t padded, double lowest, double highest) {
  pieces_.clear();
  pending_.clear();
  auto [left, last] = find_ends(intercepts, slopes, padded, lowest, highest);
  pieces_.push_back({-kFar, left});
  if (lowest == highest) return pieces_;
  pending_.push_back(last);
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
