// The phrase table in memory: source phrases as a trie, their translations as arrays.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "table_block.h"
#include "vocabulary.h"

namespace nlmt::decoder {

// Sequences of words as nodes; the root is 0.
class PhraseTrie {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  PhraseTrie() : slots_(1 << 12) {}
  std::uint32_t child(std::uint32_t node, WordId word) const {
    return slots_[slot(node, word)].node;
  }
  std::uint32_t add_child(std::uint32_t node, WordId word);
  std::uint32_t add(const std::vector<WordId>& words);
  std::uint32_t find(const std::vector<WordId>& words) const;
  std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint32_t parent = 0;
    WordId word = 0;
    std::uint32_t node = kNone;
  };

  std::size_t slot(std::uint32_t node, WordId word) const;

  std::vector<Slot> slots_;
  std::size_t size_ = 1;
};

class PhraseTable {
 public:
  struct Entry {
    std::uint64_t words;      // where the target phrase begins in the pool
    std::uint64_t alignment;  // where its alignment begins
    std::uint16_t length;
    std::uint16_t alignment_points;
  };

  PhraseTable(const TableFormat& format, Vocabulary& vocabulary, int threads);

  const PhraseTrie& sources() const { return sources_; }
  // Numbers [first, last) of the translations of a source phrase.
  std::pair<std::size_t, std::size_t> entries(std::uint32_t source) const {
    return source < first_.size() ? first_[source] : std::pair<std::size_t, std::size_t>();
  }
  std::size_t size() const { return entries_.size(); }
  const Entry& entry(std::size_t number) const { return entries_[number]; }
  const WordId* words(const Entry& entry) const { return words_.data() + entry.words; }
  const AlignmentPoint* alignment(const Entry& entry) const {
    return alignment_.data() + entry.alignment;
  }
  const float* scores(std::size_t number) const { return scores_.data() + number * width_; }
  std::size_t width() const { return width_; }

 private:
  void append(TableBlock&& block, Vocabulary& vocabulary);
  void group_by_source();

  std::size_t width_;
  PhraseTrie sources_;
  std::vector<std::pair<std::size_t, std::size_t>> first_;  // by node
  std::vector<Entry> entries_;
  std::vector<WordId> words_;
  std::vector<AlignmentPoint> alignment_;
  std::vector<float> scores_;
  // While loading: the source of each run of entries, and whether one came up twice.
  std::vector<std::pair<std::uint32_t, std::size_t>> runs_;
  bool scattered_ = false;
};

// Numbers of a block's words in `vocabulary`, added where `add` says so, else kNoWord.
std::vector<WordId> global_words(const TableBlock& block, Vocabulary& vocabulary, bool add);

}  // namespace nlmt::decoder
