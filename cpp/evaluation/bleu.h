// Sufficient statistics of BLEU (Papineni et al. 2002) for many hypotheses of one sentence.
//
//   BleuStatistics counter(vocabulary_size);
//   counter.set_references({{first, length}, ...});
//   counter.count(words, length, out);   // out[0..9): match 1, total 1, ..., match 4, total 4, ref
//
// The n-grams of the references are a trie over the references' own words; a hypothesis walks it
// from each of its positions and stops at the first n-gram that no reference holds.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace nlmt::evaluation {

constexpr int kOrder = 4;
constexpr int kStatistics = 2 * kOrder + 1;

class BleuStatistics {
 public:
  // Word ids are below `vocabulary`.
  explicit BleuStatistics(int32_t vocabulary);

  // Takes the references of a sentence, each as its first word and its length.
  void set_references(const std::vector<std::pair<const int32_t*, int64_t>>& references);

  // Writes matches and totals of orders 1 to 4 in turn, then the length of the closest reference,
  // the shorter one of two that are equally close.
  void count(const int32_t* words, int64_t length, int32_t* out);

 private:
  int32_t child(int32_t node, int32_t word) const;
  int32_t add_child(int32_t node, int32_t word);
  void grow();

  std::vector<int32_t> local_;        // word -> 1-based place among the references' words, 0: none
  std::vector<int32_t> local_words_;  // the words whose `local_` is set
  std::vector<uint64_t> keys_;        // open addressing: (node, local word) + 1, 0: free
  std::vector<int32_t> nodes_;
  int32_t size_ = 0;              // nodes without the root, which is 0
  std::vector<int32_t> clip_;     // node -> most often in one reference
  std::vector<int32_t> seen_;     // node -> times in the hypothesis at hand
  std::vector<int32_t> touched_;  // the nodes whose `seen_` is not zero
  std::vector<int64_t> lengths_;  // of the references
};

}  // namespace nlmt::evaluation
