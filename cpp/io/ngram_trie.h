// N-grams up to an order, each with its suffixes.
#pragma once

#include <cstdint>
#include <vector>

#include "word_trie.h"

namespace nlmt::io {

// Numbered in the order of adding; 0 is the empty n-gram.
class NgramTrie {
 public:
  static constexpr std::int32_t kNone = -1;

  explicit NgramTrie(int order) : order_(order), nodes_(1, {0, 0}) {}

  std::int32_t size() const { return static_cast<std::int32_t>(nodes_.size()); }
  int length(std::int32_t ngram) const { return nodes_[ngram].length; }
  // Without its first word.
  std::int32_t shorter(std::int32_t ngram) const { return nodes_[ngram].shorter; }
  // With a word more, or kNone.
  std::int32_t find(std::int32_t ngram, std::int32_t word) const {
    return static_cast<std::int32_t>(
        children_.child(static_cast<std::uint32_t>(ngram), static_cast<std::uint32_t>(word)));
  }
  // With a word more, added after its suffixes if there is none.
  std::int32_t add(std::int32_t ngram, std::int32_t word) {
    if (const std::int32_t known = find(ngram, word); known != kNone) return known;
    const std::int32_t rest = ngram == 0 ? 0 : add(shorter(ngram), word);
    nodes_.push_back({rest, length(ngram) + 1});
    return static_cast<std::int32_t>(
        children_.add(static_cast<std::uint32_t>(ngram), static_cast<std::uint32_t>(word)));
  }
  // The words before the next one that may still take part in an n-gram with it.
  std::int32_t history(std::int32_t ngram) const {
    return length(ngram) == order_ ? shorter(ngram) : ngram;
  }

 private:
  struct Node {
    std::int32_t shorter;
    int length;
  };

  int order_;
  std::vector<Node> nodes_;
  WordTrie children_;
};

}  // namespace nlmt::io
