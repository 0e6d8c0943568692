// Many sentences at once: threads share the model, results come in the order of the input.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "io/lattice_file.h"
#include "minimum_risk.h"
#include "search.h"
#include "search_lattice.h"
#include "translation_text.h"
#include "writer.h"

namespace nlmt::decoder {

struct BatchOptions {
  SearchOptions search;
  OutputOptions output;
  int threads = 1;
  std::size_t nbest = 0;  // translations a sentence in the n-best list; 0: no list
  bool distinct = false;
  LatticeLimits lattice;           // limits of the lattices
  RiskOptions risk;                // how to choose the translation
  std::size_t first_sentence = 0;  // number of the first line in lists and graphs
  std::size_t first_line = 1;      // its number in `source`
  std::string source = "input";    // origin of the lines, for messages
};

struct BestTranslation {
  std::string text;                                    // words with single spaces
  std::string traced;                                  // "the words |0-1| here |2-2|"
  std::string alignment;                               // "0-0 1-1"
  std::vector<std::string> unknown;                    // source words without translation
  double score = 0;                                    // model score
  std::size_t words = 0, options = 0, hypotheses = 0;  // how many there were to search
  bool found = true;  // false: walls and zones left no way, all else is empty
};

// Outputs beside the translations; null or empty: not requested.
struct Outputs {
  Writer* nbest = nullptr;
  Writer* search_graph = nullptr;
  Writer* extended_graph = nullptr;
  io::LatticeWriter* lattices = nullptr;
  std::string hypergraphs;        // folder that gets a file a sentence
  std::string hypergraph_suffix;  // .txt or .gz
  std::string slf;                // folder that gets an .slf a sentence

  bool texts() const {
    return search_graph || extended_graph || !hypergraphs.empty() || !slf.empty();
  }
  bool graphs() const { return lattices || texts(); }
};

// Translates `lines` and writes the requested `outputs`. Search graphs lack the recombined
// hypotheses unless `options.search.keep_alternatives`. Calls `poll` periodically in the
// calling thread; an exception from there ends the batch. The bytes do not depend on the number of
// threads.
std::vector<BestTranslation> translate(const Model& model, const std::vector<std::string>& lines,
                                       const BatchOptions& options, const Outputs& outputs,
                                       const std::function<void()>& poll);

}  // namespace nlmt::decoder
