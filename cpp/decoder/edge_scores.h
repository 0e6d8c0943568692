// Feature values of one step of the search.
#pragma once

#include "search.h"

namespace nlmt::decoder {

// Adds the feature values of the phrase that leads to a hypothesis, in the model's order, and
// followed by their weighted sum.
void add_edge_scores(const Searcher& searcher, std::uint32_t edge, float* values);

}  // namespace nlmt::decoder
