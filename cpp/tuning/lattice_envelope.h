// The upper envelope of all paths of a lattice along a line (Macherey et al. 2008).
//
// Along point + x * direction a path scores intercept + x * slope, both sums over its arcs. From
// node to node the paths that win for some x are kept: those that come in over the arcs of a node
// are joined, and those that never win dropped. At the end stand all paths of the lattice that win
// anywhere, however many paths there are.
#pragma once

#include <cstdint>
#include <vector>

namespace nlmt::tuning {

struct LatticePaths {
  std::vector<int32_t> arcs;     // of all paths, from the start on
  std::vector<int64_t> offsets;  // paths + 1: where each begins; rising slopes
};

// Node 0 is the start, the last one the end. Arcs lead to higher nodes and are sorted by `from`.
LatticePaths lattice_envelope(int32_t nodes, const std::vector<int32_t>& from,
                              const std::vector<int32_t>& to, const double* intercepts,
                              const double* slopes);

}  // namespace nlmt::tuning
