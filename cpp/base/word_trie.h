// Sequences of words as the nodes of a trie, numbered in the order of adding; the root is 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "errors.h"

namespace nlmt {

class WordTrie {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // `most`: nodes, with the root; a test has fewer.
  WordTrie() : WordTrie(kNone) {}
  explicit WordTrie(std::size_t most) : most_(most) { clear(); }

  std::size_t size() const { return size_; }

  // Removes all nodes but the root. The memory is kept, but a large table of which hardly any was
  // used is halved: to clear it takes longer than to grow it again.
  void clear() {
    const bool unusual = slots_.size() > kLarge && 16 * size_ < slots_.size();
    slots_.assign(std::max(unusual ? slots_.size() / 2 : slots_.size(), kFirstSlots), {});
    size_ = 1;
  }

  // The node that a word leads to from another one, or kNone.
  std::uint32_t child(std::uint32_t node, std::uint32_t word) const {
    return slots_[slot(node, word)].node;
  }

  // As above; made if there is none.
  std::uint32_t add(std::uint32_t node, std::uint32_t word) {
    std::size_t at = slot(node, word);
    if (slots_[at].node != kNone) return slots_[at].node;
    if (size_ == most_) {
      throw InputError("more than " + std::to_string(most_ - 1) + " distinct sequences of words",
                       "", 0, "give less text, or a smaller table, at once");
    }
    // A small table is sparse, so that it soon tells that a word leads nowhere.
    const std::size_t sparse = slots_.size() < kLarge ? 4 : 2;
    if (sparse * (size_ + 1) > slots_.size()) {
      grow();
      at = slot(node, word);
    }
    slots_[at] = {node, word, static_cast<std::uint32_t>(size_++)};
    return slots_[at].node;
  }

 private:
  static constexpr std::size_t kFirstSlots = 1 << 6, kLarge = 1 << 16;

  struct Slot {
    std::uint32_t parent = 0, word = 0, node = kNone;
  };

  std::size_t slot(std::uint32_t node, std::uint32_t word) const {
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t key = std::uint64_t{node} << 32 | word;
    std::size_t at = key * 0x9e3779b97f4a7c15ULL >> 32 & mask;
    while (slots_[at].node != kNone && (slots_[at].parent != node || slots_[at].word != word)) {
      at = (at + 1) & mask;
    }
    return at;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& filled : old) {
      if (filled.node != kNone) slots_[slot(filled.parent, filled.word)] = filled;
    }
  }

  std::vector<Slot> slots_;  // open addressing; a power of two
  std::size_t most_, size_ = 1;
};

}  // namespace nlmt
