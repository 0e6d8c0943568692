// The upper envelope of all paths of a lattice along a line (Macherey et al. 2008).
//
// Along point + x * direction a path scores intercept + x * slope, both sums over its arcs. At each
// node the paths that win for some x are kept: those from all incoming arcs are merged, and those
// that never win are dropped. The last node has all paths of the lattice that win anywhere, however
// many paths there are.
#pragma once

#include <cstdint>
#include <vector>

#include "io/lattice_graph.h"

namespace nlmt::tuning {

class LatticeEnvelope {
 public:
  explicit LatticeEnvelope(const io::LatticeArcs& arcs);

  // The arcs of each path that wins somewhere, from the start on; the paths by rising slopes.
  std::vector<std::vector<int32_t>> find(const double* intercepts, const double* slopes);

 private:
  struct Line {
    double intercept, slope;
    int32_t arc;       // the last one; -1 at the start
    int64_t previous;  // the line of the path without it
  };
  void keep_envelope();

  const io::LatticeArcs arcs_;
  std::vector<int32_t> incoming_;   // arcs by the node where they end
  std::vector<int64_t> offsets_;    // nodes + 1, into `incoming_`
  std::vector<int64_t> begins_;     // nodes + 1, into `lines_`
  std::vector<Line> lines_, here_;  // of all nodes so far; those that reach the node at hand
};

}  // namespace nlmt::tuning
