// The search graph of a sentence as a lattice: an arc is the application of a phrase.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "../io/lattice.h"
#include "../io/lattice_text.h"
#include "connected_graph.h"
#include "word_table.h"

namespace nlmt::decoder {

// What of the graph to keep; see nlmt::io::prune_arcs.
struct LatticeLimits {
  double beam = std::numeric_limits<double>::infinity();     // model score below the best path
  double density = std::numeric_limits<double>::infinity();  // arcs a word of the best path
};

// Words are added to `words`, whose ids the lattice has.
io::Lattice make_lattice(const Searcher& searcher, const std::vector<ConnectedNode>& nodes,
                         const std::vector<std::string_view>& tokens, std::size_t sentence,
                         const LatticeLimits& limits, WordTable& words);

// The lattice of a sentence without words.
io::Lattice empty_lattice(const Model& model, std::size_t sentence);

// For the text formats; lasts as long as `words`.
io::LatticeMeaning lattice_meaning(const Model& model, const WordTable& words);

}  // namespace nlmt::decoder
