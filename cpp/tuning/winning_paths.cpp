#include "winning_paths.h"

#include <set>

#include "lattice_envelope.h"

namespace nlmt::tuning {
namespace {

// (count, arcs) weighted features of each arc.
std::vector<double> project(const LatticeArrays& lattice, const double* weights, int64_t count) {
  std::vector<double> values(count * lattice.arcs, 0);
  for (int64_t i = 0; i < count; ++i) {
    double* out = values.data() + i * lattice.arcs;
    for (int f = 0; f < lattice.width; ++f) {
      const double weight = weights[i * lattice.width + f];
      if (weight == 0) continue;
      for (int64_t a = 0; a < lattice.arcs; ++a) {
        out[a] += weight * lattice.features[a * lattice.width + f];
      }
    }
  }
  return values;
}

void add_path(const LatticeArrays& lattice, const std::vector<int32_t>& path, WinningPaths* all) {
  std::vector<double> sums(lattice.width, 0);
  for (int32_t arc : path) {
    const float* values = lattice.features + static_cast<int64_t>(arc) * lattice.width;
    for (int f = 0; f < lattice.width; ++f) sums[f] += values[f];
    const int64_t* phrase = lattice.word_offsets + lattice.phrase[arc];
    all->words.insert(all->words.end(), lattice.words + phrase[0], lattice.words + phrase[1]);
  }
  all->features.insert(all->features.end(), sums.begin(), sums.end());
  all->offsets.push_back(static_cast<int64_t>(all->words.size()));
}

}  // namespace

WinningPaths winning_paths(const LatticeArrays& lattice, const double* points, int64_t point_count,
                           const double* directions, int64_t direction_count) {
  WinningPaths all;
  std::set<std::vector<int32_t>> seen;
  LatticeEnvelope envelope(lattice.nodes, lattice.arcs, lattice.from, lattice.to);
  const std::vector<double> intercepts = project(lattice, points, point_count);
  const std::vector<double> slopes = project(lattice, directions, direction_count);
  for (int64_t p = 0; p < point_count; ++p) {
    for (int64_t d = 0; d < direction_count; ++d) {
      for (auto& path :
           envelope.find(intercepts.data() + p * lattice.arcs, slopes.data() + d * lattice.arcs)) {
        if (seen.insert(path).second) add_path(lattice, path, &all);
      }
    }
  }
  return all;
}

}  // namespace nlmt::tuning
