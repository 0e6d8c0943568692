// The best weights for n-best lists: exact line searches from many starting points.
//
// From each start, passes over the coordinates in random order take every step that improves the
// objective, until a pass gains nothing. The best few of these optima are continued, with random
// directions among the coordinates, until several consecutive passes gain nothing. Each climb has
// its own random numbers, so that the result does not depend on the number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "line_search.h"
#include "lists.h"

namespace nlmt::tuning {

class CoordinateAscent {
 public:
  // The random numbers follow from `seed`; the climbs end early once `stop` is set.
  CoordinateAscent(const Lists& lists, uint64_t seed, const std::atomic<bool>& stop);

  // Climbs from starts[i * width ... (i + 1) * width) for each of `count` > 0 starts. The
  // magnitudes of the weights found sum to 1.
  Optimum run(const double* starts, int count, int threads) const;

 private:
  Optimum climb(const std::vector<double>& start, bool finalist, int number) const;
  std::vector<Optimum> climb_all(const std::vector<std::vector<double>>& starts, bool finalists,
                                 int threads) const;

  const Lists& lists_;
  uint64_t seed_;
  const std::atomic<bool>& stop_;
  std::vector<SlopeRange> ranges_;  // along the coordinates
  std::vector<double> spreads_;     // mean distance of a feature's extremes within a sentence
};

}  // namespace nlmt::tuning
