// Clipped counts of a sequence's n-grams in its references: each counts at most as often as it
// occurs in one reference.
//
//   NgramMatcher matcher(vocabulary_size, 4);
//   matcher.set_references(references);
//   matcher.count(words, matches);   // matches[n - 1]: of order n
//
// The n-grams of the references are a trie over the references' own words; a sequence walks it from
// each of its positions and stops at the first n-gram that no reference holds.
#pragma once

#include <cstdint>
#include <vector>

#include "word_trie.h"

namespace nlmt::evaluation {

// A run of word ids: a hypothesis or a reference.
struct Words {
  const int32_t* first;
  int64_t size;
};

// All references of a sentence.
using References = std::vector<Words>;

class NgramMatcher {
 public:
  // Word ids are below `vocabulary`.
  NgramMatcher(int32_t vocabulary, int order) : order_(order), local_(vocabulary, 0) {}

  void set_references(const References& references);
  void count(Words words, int32_t* matches);

 private:
  void add_reference(Words words);

  int order_;
  std::vector<int32_t> local_;        // word -> 1-based place among the references' words, 0: none
  std::vector<int32_t> local_words_;  // the words whose `local_` is set
  WordTrie ngrams_;                   // of local words
  std::vector<int32_t> clip_;         // node -> most often in one reference
  std::vector<int32_t> seen_;         // node -> times in the current sequence
  std::vector<uint32_t> touched_;     // the nodes whose `seen_` is not zero
};

}  // namespace nlmt::evaluation
