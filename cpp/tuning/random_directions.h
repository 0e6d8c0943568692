// Random lines through the space of weights.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "line_search.h"
#include "lists.h"

namespace nlmt::tuning {

// Makes magnitudes sum to 1; zeros stay.
void normalise(double* weights, int width);

// Directions along which every feature changes the scores about equally, drawn in batches and used
// one by one. The slopes of several are found in one pass over the features.
class RandomDirections {
 public:
  // spreads: mean distance of each feature's extremes within a sentence.
  RandomDirections(const Lists& lists, const std::vector<double>& spreads)
      : lists_(lists), spreads_(spreads) {}

  // Draws directions; those drawn before are forgotten.
  void draw(int count, std::mt19937_64* random);
  // Advances to the next direction.
  void advance();

  // The current direction.
  const double* direction() const { return &directions_[current_ * lists_.width()]; }
  const double* slopes() const { return &slopes_[(current_ - first_) * lists_.rows()]; }
  const SlopeRange& range() const { return *range_; }

 private:
  const Lists& lists_;
  const std::vector<double>& spreads_;
  int64_t count_ = 0, current_ = -1;
  int64_t first_ = 0, ready_ = 0;  // slopes are those of [first_, ready_)
  std::vector<double> directions_, slopes_;
  std::optional<SlopeRange> range_;
};

}  // namespace nlmt::tuning
