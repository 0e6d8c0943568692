#include "envelope.h"

#include <algorithm>

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
  for (int64_t i = 0; i < padded; i += kWidth) {
    const Doubles intercept = load(intercepts + i), slope = load(slopes + i);
    left.add(slope == lowest ? intercept : Doubles{} + kNever, i);
    right.add(slope == highest ? intercept : Doubles{} + kNever, i);
  }
  return {left.place(), right.place()};
}

// The best hypotheses at kCount places, found in one pass. Each place has kParts maxima, as each
// comparison waits for the one before it.
template <int kCount, int kParts>
void find_highest_at(const double* intercepts, const double* slopes, int64_t padded,
                     const double* at, Maximum* highest) {
  Maximum best[kParts][kCount];
  int64_t i = 0;
  for (; i + kParts * kWidth <= padded; i += kParts * kWidth) {
    for (int p = 0; p < kParts; ++p) {
      const int64_t block = i + p * kWidth;
      const Doubles intercept = load(intercepts + block), slope = load(slopes + block);
      for (int k = 0; k < kCount; ++k) best[p][k].add(intercept + at[k] * slope, block);
    }
  }
  for (; i < padded; i += kWidth) {
    const Doubles intercept = load(intercepts + i), slope = load(slopes + i);
    for (int k = 0; k < kCount; ++k) best[0][k].add(intercept + at[k] * slope, i);
  }
  for (int k = 0; k < kCount; ++k) {
    for (int p = 1; p < kParts; ++p) best[0][k].add(best[p][k]);
    highest[k] = best[0][k];
  }
}

}  // namespace

void Envelope::find_highest(const double* intercepts, const double* slopes, int64_t padded) {
  highest_.resize(at_.size());
  size_t done = 0;
  for (; done + 4 <= at_.size(); done += 4) {
    find_highest_at<4, 1>(intercepts, slopes, padded, &at_[done], &highest_[done]);
  }
  if (done + 2 <= at_.size()) {
    find_highest_at<2, 2>(intercepts, slopes, padded, &at_[done], &highest_[done]);
    done += 2;
  }
  if (done < at_.size()) {
    find_highest_at<1, 4>(intercepts, slopes, padded, &at_[done], &highest_[done]);
  }
}

const std::vector<Piece>& Envelope::find(const double* intercepts, const double* slopes,
                                         int64_t padded, double lowest, double highest) {
  const auto [left, right] = find_ends(intercepts, slopes, padded, lowest, highest);
  pieces_.assign(1, {-kFar, left});
  if (lowest == highest) return pieces_;
  const auto crossing = [&](int32_t a, int32_t b) {
    const double exact = (intercepts[a] - intercepts[b]) / (slopes[b] - slopes[a]);
    return std::clamp(exact, -kFar, kFar);
  };
  winners_.assign({{left, true, 0}, {right, false, 0}});
  at_.assign(1, crossing(left, right));
  while (!at_.empty()) {
    find_highest(intercepts, slopes, padded);
    next_.clear();
    size_t gap = 0;
    for (size_t i = 0; i < winners_.size(); ++i) {
      next_.push_back(winners_[i]);
      if (!winners_[i].open) continue;
      const double x = at_[gap];
      const Maximum& best = highest_[gap++];
      const int32_t a = winners_[i].line, b = winners_[i + 1].line;
      const double known = std::max(intercepts[a] + x * slopes[a], intercepts[b] + x * slopes[b]);
      const int32_t between = best.value() > known ? best.place() : a;
      // Rounding may put a neighbour, or a line parallel to one, above itself.
      if (slopes[a] < slopes[between] && slopes[between] < slopes[b]) {
        next_.push_back({between, true, 0});
      } else {
        next_.back().open = false;
        next_.back().until = x;
      }
    }
    winners_.swap(next_);
    at_.clear();
    for (size_t i = 0; i + 1 < winners_.size(); ++i) {
      if (winners_[i].open) at_.push_back(crossing(winners_[i].line, winners_[i + 1].line));
    }
  }
  for (size_t i = 1; i < winners_.size(); ++i) {
    pieces_.push_back({std::max(pieces_.back().from, winners_[i - 1].until), winners_[i].line});
  }
  return pieces_;
}

}  // namespace nlmt::tuning
