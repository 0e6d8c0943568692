#include "lattice_envelope.h"

#include <algorithm>

namespace nlmt::tuning {
namespace {

struct Line {
  double intercept, slope;
  int32_t arc;       // the last one; -1 at the start
  int64_t previous;  // the line of the path without it
};

// Keeps the lines that are the highest somewhere, by rising slope; of equal ones the first.
void keep_envelope(std::vector<Line>* lines) {
  std::stable_sort(lines->begin(), lines->end(), [](const Line& a, const Line& b) {
    return a.slope != b.slope ? a.slope < b.slope : a.intercept > b.intercept;
  });
  size_t kept = 0;
  for (const Line& line : *lines) {
    if (kept > 0 && (*lines)[kept - 1].slope == line.slope) continue;
    while (kept > 1) {
      const Line &left = (*lines)[kept - 2], &middle = (*lines)[kept - 1];
      // The middle one wins nowhere if the new one overtakes the left one before it does.
      if ((left.intercept - line.intercept) * (middle.slope - left.slope) >
          (left.intercept - middle.intercept) * (line.slope - left.slope)) {
        break;
      }
      --kept;
    }
    (*lines)[kept++] = line;
  }
  lines->resize(kept);
}

}  // namespace

LatticePaths lattice_envelope(int32_t nodes, const std::vector<int32_t>& from,
                              const std::vector<int32_t>& to, const double* intercepts,
                              const double* slopes) {
  std::vector<std::vector<Line>> arriving(nodes);
  std::vector<Line> all;
  arriving[0].push_back({0, 0, -1, -1});
  size_t arc = 0;
  int64_t first = 0;  // of the lines of the node at hand
  for (int32_t node = 0; node < nodes; ++node) {
    keep_envelope(&arriving[node]);
    first = static_cast<int64_t>(all.size());
    all.insert(all.end(), arriving[node].begin(), arriving[node].end());
    std::vector<Line>().swap(arriving[node]);
    for (; arc < from.size() && from[arc] == node; ++arc) {
      for (int64_t i = first; i < static_cast<int64_t>(all.size()); ++i) {
        arriving[to[arc]].push_back({all[i].intercept + intercepts[arc], all[i].slope + slopes[arc],
                                     static_cast<int32_t>(arc), i});
      }
    }
  }
  LatticePaths paths;
  paths.offsets.push_back(0);
  for (int64_t i = first; i < static_cast<int64_t>(all.size()); ++i) {
    const size_t begin = paths.arcs.size();
    for (int64_t line = i; all[line].arc >= 0; line = all[line].previous) {
      paths.arcs.push_back(all[line].arc);
    }
    std::reverse(paths.arcs.begin() + static_cast<int64_t>(begin), paths.arcs.end());
    paths.offsets.push_back(static_cast<int64_t>(paths.arcs.size()));
  }
  return paths;
}

}  // namespace nlmt::tuning
