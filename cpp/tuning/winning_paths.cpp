#include "winning_paths.h"

#include <set>

#include "lattice_envelope.h"

namespace nlmt::tuning {
namespace {

// (count, arcs) weighted features of each arc.
std::vector<double> project(const float* features, int64_t arcs, int width, const double* weights,
                            int64_t count) {
  std::vector<double> values(count * arcs, 0);
  for (int64_t i = 0; i < count; ++i) {
    double* out = values.data() + i * arcs;
    for (int f = 0; f < width; ++f) {
      const double weight = weights[i * width + f];
      if (weight == 0) continue;
      for (int64_t a = 0; a < arcs; ++a) out[a] += weight * features[a * width + f];
    }
  }
  return values;
}

void add_path(const io::ArcWords& words, const float* features, int width,
              const std::vector<int32_t>& path, WinningPaths* all) {
  std::vector<double> sums(width, 0);
  for (int32_t arc : path) {
    const float* values = features + static_cast<int64_t>(arc) * width;
    for (int f = 0; f < width; ++f) sums[f] += values[f];
    const int64_t* phrase = words.offsets + words.phrase[arc];
    all->words.insert(all->words.end(), words.words + phrase[0], words.words + phrase[1]);
  }
  all->features.insert(all->features.end(), sums.begin(), sums.end());
  all->offsets.push_back(static_cast<int64_t>(all->words.size()));
}

}  // namespace

WinningPaths winning_paths(const io::LatticeArcs& arcs, const io::ArcWords& words,
                           const float* features, int width, const double* points,
                           int64_t point_count, const double* directions, int64_t direction_count) {
  WinningPaths all;
  std::set<std::vector<int32_t>> seen;
  LatticeEnvelope envelope(arcs);
  const auto size = static_cast<int64_t>(arcs.size);
  const std::vector<double> intercepts = project(features, size, width, points, point_count);
  const std::vector<double> slopes = project(features, size, width, directions, direction_count);
  for (int64_t p = 0; p < point_count; ++p) {
    for (int64_t d = 0; d < direction_count; ++d) {
      for (auto& path : envelope.find(intercepts.data() + p * size, slopes.data() + d * size)) {
        if (seen.insert(path).second) add_path(words, features, width, path, &all);
      }
    }
  }
  return all;
}

}  // namespace nlmt::tuning
