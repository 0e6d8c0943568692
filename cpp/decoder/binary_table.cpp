#include "binary_table.h"

#include <algorithm>
#include <cmath>

#include "probability.h"
#include "utf8.h"

namespace nlmt::decoder {
namespace {

constexpr std::uint32_t kPolled = 1 << 12;  // words, or nodes of the trie

// Whether scores are as in a text table: logs of floats, the smallest of which count as kFloor.
bool in_range(const float* scores, std::size_t count) {
  return std::all_of(scores, scores + count, [](float s) { return std::abs(s) <= -kFloor; });
}

}  // namespace

BinaryTable::BinaryTable(const std::string& path) : file_(path, kBinaryTableFormat) {
  const std::uint64_t slots = file_.count<WordId>(kWordSlots);
  const bool good =
      file_.count<std::uint64_t>(kWordBegins) > 0 && size() < kNoWord &&
      file_.count<TrieNode>(kNodes) > 1 && nodes() < kNone && slots > size() &&
      (slots & (slots - 1)) == 0 && width() > 0 && width() < kPage && reordering_width() < kPage &&
      file_.count<float>(kScores) / width() == entries() &&
      (!reordering_width() || file_.count<float>(kReordering) / reordering_width() == entries());
  // With the root of no words, those of all other nodes are as child() finds them.
  if (!good || file_.view<TrieNode>(kNodes, 0, 1)->length != 0) file_.damaged(0);
}

std::string_view BinaryTable::word(WordId id) const {
  const std::uint64_t* begin = file_.view<std::uint64_t>(kWordBegins, id, 2);
  if (begin[1] < begin[0]) file_.damaged(0);
  const std::uint64_t bytes = begin[1] - begin[0];
  const std::string_view word(file_.view<char>(kWordBytes, begin[0], bytes), bytes);
  // As the words of text tables are: outputs rely on it.
  if (!is_utf8(word) || word.find_first_of(" \t\n") != word.npos) file_.damaged(0);
  return word;
}

WordId BinaryTable::find(std::string_view word) const {
  const std::uint64_t mask = file_.count<WordId>(kWordSlots) - 1;
  std::uint64_t at = hash_bytes(word) & mask;
  for (std::uint64_t tried = 0; tried <= mask; ++tried, at = (at + 1) & mask) {
    const WordId id = *file_.view<WordId>(kWordSlots, at, 1);
    if (id == kNoWord || this->word(id) == word) return id;
  }
  file_.damaged(0);
}

std::uint32_t BinaryTable::child(std::uint32_t node, WordId word) const {
  const TrieNode* parent = file_.view<TrieNode>(kNodes, node, 2);
  std::uint64_t first = parent[0].first_child, last = parent[1].first_child;
  if (last > nodes()) file_.damaged(0);
  while (first < last) {
    const std::uint64_t middle = (first + last) / 2;
    const TrieNode& found = *file_.view<TrieNode>(kNodes, middle, 1);
    if (found.length != parent->length + 1) file_.damaged(0);
    if (found.word == word) return static_cast<std::uint32_t>(middle);
    if (found.word < word) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return kNone;
}

std::pair<std::size_t, std::size_t> BinaryTable::entries(std::uint32_t node) const {
  const TrieNode* found = file_.view<TrieNode>(kNodes, node, 1);
  return {found->first_entry, found->first_entry + found->entries};
}

void BinaryTable::check(std::uint32_t node, std::size_t length) const {
  const TrieNode& source = *file_.view<TrieNode>(kNodes, node, 1);
  const std::uint64_t first = source.first_entry, count = source.entries;
  if (source.length != length) file_.damaged(0);
  const TableEntry* entries = file_.view<TableEntry>(kEntries, first, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const TableEntry& entry = entries[i];
    const WordId* words = file_.view<WordId>(kPool, entry.position, entry.pool());
    for (std::size_t w = 0; w < entry.length; ++w) {
      if (words[w] >= size()) file_.damaged(0);
    }
    const auto* points = reinterpret_cast<const AlignmentPoint*>(words + entry.length);
    for (std::size_t p = 0; p < entry.alignment_points; ++p) {
      if (points[p].source >= length || points[p].target >= entry.length) file_.damaged(0);
    }
  }
  if (!in_range(file_.view<float>(kScores, first * width(), count * width()), count * width())) {
    file_.damaged(0);
  }
  const std::size_t row = reordering_width();
  if (!row) return;
  const float* reordering = file_.view<float>(kReordering, first * row, count * row);
  for (std::uint64_t i = 0; i < count; ++i, reordering += row) {
    if (!std::isnan(*reordering) && !in_range(reordering, row)) file_.damaged(0);
  }
}

void BinaryTable::check_all(const std::function<void()>& poll) const {
  file_.check_all(poll);
  for (WordId id = 0; id < size(); ++id) {
    if (id % kPolled == 0) poll();
    word(id);
  }
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    if (node % kPolled == 0) poll();
    const TrieNode* at = file_.view<TrieNode>(kNodes, node, 2);
    if (at[0].first_child > at[1].first_child || at[1].first_child > nodes()) file_.damaged(0);
    for (std::uint32_t child = at[0].first_child; child < at[1].first_child; ++child) {
      const TrieNode* below = file_.view<TrieNode>(kNodes, child, 1);
      const bool in_order = child == at[0].first_child || below[-1].word < below->word;
      if (below->length != at->length + 1 || !in_order) file_.damaged(0);
    }
    check(node, at->length);
  }
}

}  // namespace nlmt::decoder
