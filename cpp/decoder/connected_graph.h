// The part of a search graph that complete translations use.
#pragma once

#include <cstdint>
#include <vector>

#include "search.h"

namespace nlmt::decoder {

// A hypothesis from which the end can be reached; it represents all that were recombined with it.
struct ConnectedNode {
  std::uint32_t hypothesis;
  std::uint32_t covered;             // source words
  std::vector<std::uint32_t> edges;  // itself, then its alternatives by age; none at the start
};

// By covered words, then by age: every edge comes from a node before its own. The empty
// hypothesis is first, the one complete hypothesis is last.
std::vector<ConnectedNode> connected_graph(const Searcher& searcher, std::uint32_t best);

}  // namespace nlmt::decoder
