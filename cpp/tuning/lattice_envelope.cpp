#include "lattice_envelope.h"

#include <algorithm>

namespace nlmt::tuning {

LatticeEnvelope::LatticeEnvelope(const io::LatticeArcs& arcs)
    : arcs_(arcs), incoming_(arcs.size), offsets_(arcs.nodes + 1, 0), begins_(arcs.nodes + 1) {
  for (size_t arc = 0; arc < arcs.size; ++arc) ++offsets_[arcs.to[arc] + 1];
  for (int32_t node = 0; node < arcs.nodes; ++node) offsets_[node + 1] += offsets_[node];
  std::vector<int64_t> next = offsets_;
  for (size_t arc = 0; arc < arcs.size; ++arc) {
    incoming_[next[arcs.to[arc]]++] = static_cast<int32_t>(arc);
  }
}

std::vector<std::vector<int32_t>> LatticeEnvelope::find(const double* intercepts,
                                                        const double* slopes) {
  lines_.assign(1, {0, 0, -1, -1});
  begins_[0] = 0;
  for (int32_t node = 1; node < arcs_.nodes; ++node) {
    begins_[node] = static_cast<int64_t>(lines_.size());
    here_.clear();
    for (int64_t i = offsets_[node]; i < offsets_[node + 1]; ++i) {
      const int32_t arc = incoming_[i];
      const double intercept = intercepts[arc], slope = slopes[arc];
      const int32_t from = arcs_.from[arc];
      for (int64_t line = begins_[from]; line < begins_[from + 1]; ++line) {
        here_.push_back(
            {lines_[line].intercept + intercept, lines_[line].slope + slope, arc, line});
      }
    }
    if (offsets_[node + 1] - offsets_[node] > 1) keep_envelope();
    lines_.insert(lines_.end(), here_.begin(), here_.end());
  }
  begins_[arcs_.nodes] = static_cast<int64_t>(lines_.size());
  std::vector<std::vector<int32_t>> paths;
  for (int64_t last = begins_[arcs_.nodes - 1]; last < begins_[arcs_.nodes]; ++last) {
    std::vector<int32_t>& path = paths.emplace_back();
    for (int64_t i = last; lines_[i].arc >= 0; i = lines_[i].previous)
      path.push_back(lines_[i].arc);
    std::reverse(path.begin(), path.end());
  }
  return paths;
}

// Reduces `here_` to the lines that are highest somewhere, by rising slope, the first of equal
// ones.
void LatticeEnvelope::keep_envelope() {
  std::sort(here_.begin(), here_.end(), [](const Line& a, const Line& b) {
    if (a.slope != b.slope) return a.slope < b.slope;
    if (a.intercept != b.intercept) return a.intercept > b.intercept;
    return a.arc != b.arc ? a.arc < b.arc : a.previous < b.previous;
  });
  size_t kept = 0;
  for (const Line& line : here_) {
    if (kept > 0 && here_[kept - 1].slope == line.slope) continue;
    while (kept > 1) {
      const Line &left = here_[kept - 2], &middle = here_[kept - 1];
      // The middle one wins nowhere if the new one overtakes the left one before it does.
      if ((left.intercept - line.intercept) * (middle.slope - left.slope) >
          (left.intercept - middle.intercept) * (line.slope - left.slope)) {
        break;
      }
      --kept;
    }
    here_[kept++] = line;
  }
  here_.resize(kept);
}

}  // namespace nlmt::tuning
