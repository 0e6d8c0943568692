// The search graph of a sentence as a lattice, whose arcs are applications of phrases.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "io/lattice.h"
#include "io/lattice_text.h"
#include "search.h"
#include "word_table.h"

namespace nlmt::decoder {

// Limits on the part of the graph to keep; see nlmt::io::prune_arcs.
struct LatticeLimits {
  double beam = std::numeric_limits<double>::infinity();     // model score below the best path
  double density = std::numeric_limits<double>::infinity();  // arcs a word of the best path
};

// The lattice of all that `best` was recombined with. Adds words to `words`, whose ids it uses.
io::Lattice make_lattice(const Searcher& searcher, std::uint32_t best,
                         const std::vector<std::string_view>& tokens, std::size_t sentence,
                         const LatticeLimits& limits, WordTable& words);

// The lattice of a sentence without words.
io::Lattice empty_lattice(const Model& model, std::size_t sentence);

// For the text formats; lasts as long as `words`.
io::LatticeMeaning lattice_meaning(const Model& model, const WordTable& words);

}  // namespace nlmt::decoder
