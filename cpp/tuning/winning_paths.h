// The paths of a lattice that win somewhere along lines through the space of weights.
#pragma once

#include <cstdint>
#include <vector>

#include "io/lattice_graph.h"

namespace nlmt::tuning {

struct WinningPaths {
  std::vector<double> features;  // row-major (paths, width)
  std::vector<int32_t> words;
  std::vector<int64_t> offsets{0};  // paths + 1, into `words`
};

// features: row-major (arcs, width); points, directions: row-major (count, width). Each path occurs
// once, where it is found first.
WinningPaths winning_paths(const io::LatticeArcs& arcs, const io::ArcWords& words,
                           const float* features, int width, const double* points,
                           int64_t point_count, const double* directions, int64_t direction_count);

}  // namespace nlmt::tuning
