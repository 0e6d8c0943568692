// Lattices in the text formats of other tools; docs/formats.md describes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lattice.h"

namespace nlmt::io {

// The meaning of a lattice's numbers.
struct LatticeMeaning {
  std::vector<std::string_view> words;  // spelling by id
  std::vector<std::string> names;       // of each feature value
  std::vector<double> weights;
};

// Name of value `number`, counted from 1, of a feature that has `width` of them.
std::string value_name(const std::string& label, std::size_t number, std::size_t width);

// Moses' search graph, extended or plain: a line an arc. Every phrase must have a span.
void append_search_graph(const Lattice& lattice, const LatticeMeaning& meaning, bool extended,
                         std::string& text);

// Moses' hypergraph, with feature values by name.
void append_hypergraph(const Lattice& lattice, const LatticeMeaning& meaning, std::string& text);

// HTK's standard lattice format, a link a word. Throws InputError for a word spelt !NULL.
void append_slf(const Lattice& lattice, const LatticeMeaning& meaning, std::string& text);

// OpenFst's text format for acceptors, a line a word and its cost, and in addition the feature
// values of each of these lines, separated by tabs. Throws InputError for a word spelt <eps>.
void append_openfst(const Lattice& lattice, const LatticeMeaning& meaning, std::string& text,
                    std::string& features);

}  // namespace nlmt::io
