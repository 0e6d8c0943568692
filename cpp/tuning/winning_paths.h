// The paths of a lattice that win somewhere along lines through the space of weights.
#pragma once

#include <cstdint>
#include <vector>

namespace nlmt::tuning {

// A lattice as arrays: arcs sorted by their start, leading to higher nodes.
struct LatticeArrays {
  int32_t nodes;
  int64_t arcs;
  int width;  // of the features
  const int32_t *from, *to, *phrase;
  const float* features;  // row-major (arcs, width)
  const int64_t* word_offsets;
  const int32_t* words;
};

struct WinningPaths {
  std::vector<double> features;  // row-major (paths, width)
  std::vector<int32_t> words;
  std::vector<int64_t> offsets{0};  // paths + 1, into `words`
};

// points, directions: row-major (count, width). Each path occurs once, where it is found first.
WinningPaths winning_paths(const LatticeArrays& lattice, const double* points, int64_t point_count,
                           const double* directions, int64_t direction_count);

}  // namespace nlmt::tuning
