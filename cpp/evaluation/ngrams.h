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

#include "words.h"

namespace nlmt::evaluation {

class NgramMatcher {
 public:
  // Word ids are below `vocabulary`.
  NgramMatcher(int32_t vocabulary, int order);

  void set_references(const References& references);
  void count(Words words, int32_t* matches);

 private:
  int32_t child(int32_t node, int32_t word) const;
  int32_t add_child(int32_t node, int32_t word);
  void add_reference(Words words);
  void grow();

  int order_;
  std::vector<int32_t> local_;        // word -> 1-based place among the references' words, 0: none
  std::vector<int32_t> local_words_;  // the words whose `local_` is set
  std::vector<uint64_t> keys_;        // open addressing: (node, local word) + 1, 0: free
  std::vector<int32_t> nodes_;
  int32_t size_ = 0;              // nodes without the root, which is 0
  std::vector<int32_t> clip_;     // node -> most often in one reference
  std::vector<int32_t> seen_;     // node -> times in the current sequence
  std::vector<int32_t> touched_;  // the nodes whose `seen_` is not zero
};

}  // namespace nlmt::evaluation
