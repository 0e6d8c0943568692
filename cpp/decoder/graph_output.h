// Search graphs as files; docs/formats.md describes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "connected_graph.h"

namespace nlmt::decoder {

// Moses' plain (-output-search-graph) or extended (-output-search-graph-extended) lines.
void append_search_graph(const Searcher& searcher, const std::vector<ConnectedNode>& nodes,
                         const std::vector<std::string_view>& tokens, std::size_t sentence,
                         bool extended, std::string& text);
// The line of an empty sentence.
void append_empty_search_graph(std::size_t sentence, bool extended, std::string& text);

// Moses' hypergraph of one sentence, with feature values by name.
void append_hypergraph(const Searcher& searcher, const std::vector<ConnectedNode>& nodes,
                       std::string& text);
void append_empty_hypergraph(std::string& text);

// HTK standard lattice format: a word a link, the scores of a phrase on its first one.
void append_slf(const Searcher& searcher, const std::vector<ConnectedNode>& nodes,
                std::size_t sentence, std::string& text);
void append_empty_slf(const Model& model, std::size_t sentence, std::string& text);

}  // namespace nlmt::decoder
