// The phrase table: source phrases as a trie, their translations as arrays, in memory or mapped.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "binary_table.h"
#include "table_block.h"
#include "vocabulary.h"
#include "word_trie.h"

namespace nlmt::decoder {

// Source phrases as the nodes of a trie.
class PhraseTrie : public WordTrie {
 public:
  std::uint32_t add(const std::vector<WordId>& words);
  std::uint32_t find(const std::vector<WordId>& words) const;
};

class PhraseTable {
 public:
  // Reads a text table; adds to `warnings` what is left out of it.
  PhraseTable(const TableFormat& format, Vocabulary& vocabulary, int threads,
              std::vector<std::string>& warnings);
  // Maps a binary table, with whose words the vocabulary begins.
  PhraseTable(const TableFormat& format, std::shared_ptr<const BinaryTable> binary);

  // The node that a word leads to from another, 0 at first, or kNone.
  std::uint32_t child(std::uint32_t node, WordId word) const {
    return binary_ ? binary_->child(node, word) : sources_.child(node, word);
  }
  // Numbers [first, last) of the translations of a source phrase.
  std::pair<std::size_t, std::size_t> entries(std::uint32_t source) const {
    return binary_ ? binary_->entries(source) : ranges_[source];
  }
  // To be called before the translations of a source phrase of so many words are used. Raises
  // InputError if the file is damaged.
  void check(std::uint32_t source, std::size_t length) const {
    if (binary_) binary_->check(source, length);
  }
  std::size_t size() const { return size_; }
  const TableEntry& entry(std::size_t number) const { return entry_data_[number]; }
  const WordId* words(const TableEntry& entry) const { return pool_data_ + entry.position; }
  const AlignmentPoint* alignment(const TableEntry& entry) const {
    return reinterpret_cast<const AlignmentPoint*>(words(entry) + entry.length);
  }
  const float* scores(std::size_t number) const { return score_data_ + number * width_; }
  std::size_t width() const { return width_; }

  // Of a text table.
  const PhraseTrie& sources() const { return sources_; }
  // The mapped table, if any.
  const BinaryTable* binary() const { return binary_.get(); }

 private:
  // Translations of one source phrase, next to each other in the file.
  struct Run {
    std::uint32_t source;
    std::size_t begin, end;
  };

  void append(TableBlock&& block, Vocabulary& vocabulary);
  bool find_ranges();
  void group_by_source();

  std::size_t width_;
  std::shared_ptr<const BinaryTable> binary_;
  std::size_t size_;
  const TableEntry* entry_data_;
  const WordId* pool_data_;
  const float* score_data_;

  // Of a text table.
  PhraseTrie sources_;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;  // by node
  std::vector<TableEntry> entries_;
  std::vector<WordId> pool_;
  std::vector<float> scores_;
  std::vector<Run> runs_;  // while loading
};

}  // namespace nlmt::decoder
