// Translations as Moses prints them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "nbest.h"

namespace nlmt::decoder {

struct OutputOptions {
  bool segmentation = false;  // in n-best lists
  bool alignment = false;     // in n-best lists
  bool labels = true;         // of the features in n-best lists
};

// "the words " with a space after each.
void append_words(const Searcher& searcher, const Translation& translation, std::string& text);
// "the |0-0| words |1-2| ": each phrase with its source words.
void append_traced_words(const Searcher& searcher, const Translation& translation,
                         std::string& text);
// Source and target words within a phrase that are aligned.
std::vector<std::pair<std::size_t, std::size_t>> aligned_words(const Searcher& searcher,
                                                               const Option& option);
// "0-0 1-2 ": the words that are aligned.
void append_alignment(const Searcher& searcher, const Translation& translation, std::string& text);
// A line of an n-best list.
void append_nbest_line(const Searcher& searcher, const Translation& translation,
                       std::size_t sentence, const OutputOptions& options, std::string& text);
// The line of an empty sentence: no words, all features zero.
void append_empty_nbest_line(const Model& model, std::size_t sentence, const OutputOptions& options,
                             std::string& text);

}  // namespace nlmt::decoder
