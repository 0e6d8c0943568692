// A phrase table, its reordering scores and its words in one mapped file (docs/formats.md).
//
// Source phrases are a trie in breadth-first order, so that the children of a node are contiguous,
// sorted by word. Translations are in the order of their source phrases and, for one source
// phrase, in the order of the text table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "checked_file.h"
#include "table_block.h"
#include "vocabulary.h"

namespace nlmt::decoder {

inline constexpr CheckedFormat kBinaryTableFormat = {{"nlmt tables\r\n\x1a"}, 1};

enum BinarySection : std::size_t {
  kWordBegins,  // u64 by word and one more, into kWordBytes
  kWordBytes,
  kWordSlots,   // WordId by hash, open addressing, a power of two
  kNodes,       // TrieNode; 0 is the root, one more at the end
  kEntries,     // TableEntry
  kPool,        // WordId: words of a translation, then its AlignmentPoints
  kScores,      // float by translation and score
  kReordering,  // the same; the first is NaN where the reordering table has none
};
enum BinarySetting : std::size_t { kWidth, kReorderingWidth, kByTarget };

struct TrieNode {
  std::uint64_t first_entry;
  std::uint32_t entries;
  std::uint32_t word;         // that leads here
  std::uint32_t first_child;  // the children end where those of the next node begin
  std::uint32_t length;       // words from the root to here
};

// The place of a translation's words and alignment.
struct TableEntry {
  std::uint64_t position : 40;  // in the pool
  std::uint64_t length : 8;     // in words
  std::uint64_t alignment_points : 16;

  // Its size in the pool.
  std::size_t pool() const { return length + (alignment_points + 1) / 2; }
};
static_assert(sizeof(TrieNode) == 24 && sizeof(TableEntry) == 8);
static_assert(sizeof(AlignmentPoint) * 2 == sizeof(WordId));
inline constexpr std::uint64_t kMostPool = std::uint64_t{1} << 40;

class BinaryTable : public WordSource {
 public:
  static bool recognises(const std::string& path) {
    return CheckedFile::recognises(path, kBinaryTableFormat);
  }

  // Raises InputError, as do all calls, for damaged content.
  explicit BinaryTable(const std::string& path);

  const CheckedFile& file() const { return file_; }
  std::size_t width() const { return file_.setting(kWidth); }
  std::size_t reordering_width() const { return file_.setting(kReorderingWidth); }
  bool by_target() const { return file_.setting(kByTarget) != 0; }
  std::size_t entries() const { return file_.count<TableEntry>(kEntries); }
  std::size_t nodes() const { return file_.count<TrieNode>(kNodes) - 1; }

  std::size_t size() const override { return file_.count<std::uint64_t>(kWordBegins) - 1; }
  std::string_view word(WordId id) const override;
  WordId find(std::string_view word) const override;

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  // The node that a word leads to, or kNone.
  std::uint32_t child(std::uint32_t node, WordId word) const;
  std::pair<std::size_t, std::size_t> entries(std::uint32_t node) const;
  // Checks the translations of a source phrase of so many words against the file's checksums and
  // bounds, after which they can be read from the file's sections.
  void check(std::uint32_t node, std::size_t length) const;
  // Checks the whole file; calls `poll`, which may throw, now and then.
  void check_all(const std::function<void()>& poll) const;

 private:
  CheckedFile file_;
};

}  // namespace nlmt::decoder
