#include "binary_builder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "binary_table.h"
#include "counting.h"
#include "external_sort.h"
#include "spool.h"
#include "text.h"
#include "ticks.h"

namespace nlmt::decoder {
namespace {

constexpr float kNoScores = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kColumnMemory = 1 << 20;    // of each column before it goes to the disk
constexpr std::uint64_t kPolledPieces = 1 << 12;  // of the columns, as they are copied

// Numbers in the order of their bytes: phrases are sequences of numbers above 0, ended by 0, so
// that a phrase comes before those that it begins.
void put_key(std::uint32_t number, std::string& record) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    record += static_cast<char>(number >> shift & 0xff);
  }
}

void put_phrase(const WordId* words, std::size_t length, std::string& record) {
  for (std::size_t i = 0; i < length; ++i) put_key(words[i] + 1, record);
  put_key(0, record);
}

template <class T>
void put(const T* values, std::size_t count, std::string& record) {
  record.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

// Reads the fields of a sorted record from its beginning.
class Fields {
 public:
  explicit Fields(std::string_view record) : rest_(record) {}

  std::string_view rest() const { return rest_; }

  std::uint32_t key() {
    std::uint32_t number = 0;
    for (int i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(rest_[i]);
    rest_.remove_prefix(4);
    return number;
  }
  void phrase(std::vector<WordId>& words) {
    words.clear();
    while (const std::uint32_t number = key()) words.push_back(number - 1);
  }
  // The bytes of a phrase, for comparison.
  std::string_view phrase_bytes() {
    const std::string_view before = rest_;
    while (key()) {
    }
    return before.substr(0, before.size() - rest_.size());
  }
  std::uint64_t line() {
    const std::uint64_t high = key();
    return high << 32 | key();
  }

 private:
  std::string_view rest_;
};

// The format of a table's lines, from its first line.
TableFormat format_of(const std::string& path, const std::string& label, bool has_links) {
  const std::optional<LineBlock> block = LineBlockReader(path).next();
  if (!block) throw InputError("the " + label + " is empty", path);
  check_text(*block, path);
  std::string_view text(block->text);
  std::string_view line = next_line(text);
  std::vector<std::size_t> fields(1);  // the number of tokens in each
  for (auto token = next_token(line); !token.empty(); token = next_token(line)) {
    if (token == "|||") {
      fields.push_back(0);
    } else {
      ++fields.back();
    }
  }
  if (fields.size() < 2) throw InputError("no ' ||| ' in a table's line", path, 1);
  if (fields.back() == 0) fields.pop_back();
  const bool has_target = fields.size() > 2;
  const std::size_t scores = fields.size() < 2 ? 0 : fields[has_target ? 2 : 1];
  if (scores == 0) throw InputError("no scores in the first line", path, 1);
  return {path, label, scores, has_target, has_links};
}

// The lines of a table in the order of source phrase, target phrase, line.
class SortedTable {
 public:
  SortedTable(const TableFormat& format, Vocabulary& vocabulary, bool add_words,
              const std::string& folder, std::size_t memory, int threads,
              std::vector<std::string>& warnings, const std::function<void()>& poll)
      : sort_(folder, memory, poll) {
    std::uint64_t lines = 0;
    parse_table(format, threads, warnings, [&](TableBlock&& block) {
      poll();
      renumber_words(block, vocabulary, add_words);
      add(block, format.scores, lines);
      lines += block.lines.size();
    });
    sort_.start();
    has_record_ = sort_.next(record_);
  }

  bool has_record() const { return has_record_; }
  const std::string& record() const { return record_; }
  void advance() { has_record_ = sort_.next(record_); }

 private:
  // `number`: of the first line in the table.
  void add(const TableBlock& block, std::size_t scores, std::uint64_t number) {
    std::string record;
    const auto known = [](const WordId* words, std::size_t length) {
      return std::find(words, words + length, kNoWord) == words + length;
    };
    for (std::size_t l = 0; l < block.lines.size(); ++l, ++number) {
      const TableBlock::Line& line = block.lines[l];
      const std::vector<WordId>& source = block.sources[line.source];
      const WordId* target = block.target_words.data() + line.target_begin;
      if (!known(source.data(), source.size()) || !known(target, line.target_length)) continue;
      record.clear();
      put_phrase(source.data(), source.size(), record);
      put_phrase(target, line.target_length, record);
      put_key(static_cast<std::uint32_t>(number >> 32), record);
      put_key(static_cast<std::uint32_t>(number), record);
      put(block.scores.data() + l * scores, scores, record);
      put(block.alignment.data() + line.alignment_begin, line.alignment_length, record);
      sort_.add(record);
    }
  }

  ExternalSort sort_;
  std::string record_;
  bool has_record_;
};

// Writes the nodes of the trie, level by level; source phrases must come in order.
class TrieWriter {
 public:
  explicit TrieWriter(std::string folder) : folder_(std::move(folder)) { open(0); }

  void add(const std::vector<WordId>& source, std::uint64_t first_entry, std::uint32_t entries) {
    std::size_t common = 0;
    while (common < source.size() && common + 1 < path_.size() &&
           path_[common + 1].word == source[common]) {
      ++common;
    }
    close(common + 1);
    for (std::size_t i = common; i < source.size(); ++i) open(source[i]);
    path_.back().first_entry = first_entry;
    path_.back().entries = entries;
  }

  void write(CheckedWriter& writer, const std::function<void()>& poll) {
    Ticks tick(poll);
    close(0);
    check_numbered(nodes_, "over 2^32 prefixes of source phrases", "filter the table to the text");
    std::uint32_t next_child = 1;
    TrieNode node{};
    for (Spool& level : levels_) {
      level.rewind();
      while (level.read(&node, sizeof node)) {
        tick();
        const std::uint32_t children = node.first_child;  // until now their number
        node.first_child = next_child;
        next_child += children;
        writer.put(&node, sizeof node);
      }
    }
    node = {};
    node.first_child = next_child;
    writer.put(&node, sizeof node);
  }

 private:
  void open(WordId word) {
    if (!path_.empty()) ++path_.back().first_child;
    TrieNode node{};
    node.word = word;
    node.length = static_cast<std::uint32_t>(path_.size());
    path_.push_back(node);
    if (levels_.size() < path_.size()) levels_.emplace_back(folder_, kColumnMemory);
    ++nodes_;
  }

  // Ends the nodes of the current path from a level on.
  void close(std::size_t level) {
    while (path_.size() > level) {
      levels_[path_.size() - 1].append(&path_.back(), sizeof(TrieNode));
      path_.pop_back();
    }
  }

  std::string folder_;
  std::vector<TrieNode> path_;
  std::vector<Spool> levels_;
  std::uint64_t nodes_ = 0;
};

// A translation before writing; those of a source phrase return to the order of their lines.
struct Pending {
  std::uint64_t line;
  std::vector<WordId> target;
  std::string scores, reordering, alignment;
};

class Builder {
 public:
  Builder(std::size_t width, std::size_t reordering_width, bool by_target, std::string folder)
      : width_(width),
        reordering_width_(reordering_width),
        by_target_(by_target),
        trie_(folder),
        entries_(folder, kColumnMemory),
        pool_(folder, kColumnMemory),
        scores_(folder, kColumnMemory),
        reordering_(folder, kColumnMemory) {}

  // Joins the sorted tables; the second may be null.
  void join(SortedTable& phrases, SortedTable* reordering, const std::function<void()>& poll) {
    std::vector<WordId> source;
    std::string source_bytes;
    while (phrases.has_record()) {
      if ((++counts_.sources & 0xfff) == 0) poll();
      source_bytes = Fields(phrases.record()).phrase_bytes();
      Fields(source_bytes).phrase(source);
      std::vector<Pending> pending;
      while (phrases.has_record() && starts_with(phrases.record(), source_bytes)) {
        take_target(phrases, reordering, source_bytes, pending);
      }
      if (reordering && !by_target_) take_source_scores(*reordering, source_bytes, pending);
      std::sort(pending.begin(), pending.end(),
                [](const Pending& a, const Pending& b) { return a.line < b.line; });
      trie_.add(source, counts_.entries, static_cast<std::uint32_t>(pending.size()));
      for (const Pending& one : pending) write(one);
    }
  }

  BinaryTableCounts finish(const Vocabulary& vocabulary, const std::string& output,
                           const std::function<void()>& poll) {
    CheckedWriter writer(output, kBinaryTableFormat);
    write_vocabulary(vocabulary, writer, poll);
    writer.begin_section();
    trie_.write(writer, poll);
    for (Spool* column : {&entries_, &pool_, &scores_, &reordering_}) {
      writer.begin_section();
      column->rewind();
      std::array<char, kPage> page;
      for (std::uint64_t left = column->size(), pieces = 0; left > 0; ++pieces) {
        if (pieces % kPolledPieces == 0) poll();
        const std::size_t part = std::min<std::uint64_t>(left, page.size());
        column->read(page.data(), part);
        writer.put(page.data(), part);
        left -= part;
      }
    }
    writer.finish({width_, reordering_width_, by_target_ ? 1u : 0u});
    counts_.words = vocabulary.size();
    return counts_;
  }

 private:
  static bool starts_with(std::string_view record, std::string_view bytes) {
    return record.substr(0, bytes.size()) == bytes;
  }

  // The lines of one phrase pair, mostly one. All take the last scores that the reordering table
  // has for the pair, as Moses does.
  void take_target(SortedTable& phrases, SortedTable* reordering, std::string_view source,
                   std::vector<Pending>& pending) {
    const std::size_t first = pending.size();
    Fields key(std::string_view(phrases.record()).substr(source.size()));
    const std::string pair(phrases.record().substr(0, source.size() + key.phrase_bytes().size()));
    while (phrases.has_record() && starts_with(phrases.record(), pair)) {
      Pending one;
      Fields fields(std::string_view(phrases.record()).substr(source.size()));
      fields.phrase(one.target);
      one.line = fields.line();
      const std::size_t bytes = width_ * sizeof(float);
      one.scores = fields.rest().substr(0, bytes);
      one.alignment = fields.rest().substr(bytes);
      pending.push_back(std::move(one));
      phrases.advance();
    }
    if (!reordering || !by_target_) return;
    while (reordering->has_record() && reordering->record().compare(0, pair.size(), pair) < 0) {
      reordering->advance();
    }
    std::string scores;
    while (reordering->has_record() && starts_with(reordering->record(), pair)) {
      scores = reordering->record().substr(pair.size() + kLine);
      reordering->advance();
    }
    for (std::size_t i = first; i < pending.size(); ++i) pending[i].reordering = scores;
  }

  // For a reordering table that is keyed by the source phrase alone.
  void take_source_scores(SortedTable& reordering, std::string_view source,
                          std::vector<Pending>& pending) {
    while (reordering.has_record() && reordering.record().compare(0, source.size(), source) < 0) {
      reordering.advance();
    }
    while (reordering.has_record() && starts_with(reordering.record(), source)) {
      const std::size_t no_target = sizeof(std::uint32_t);
      for (Pending& one : pending) {
        one.reordering = reordering.record().substr(source.size() + no_target + kLine);
      }
      reordering.advance();
    }
  }

  void write(const Pending& one) {
    TableEntry entry{position_, one.target.size(), one.alignment.size() / sizeof(AlignmentPoint)};
    std::vector<WordId> pool = one.target;
    pool.resize(entry.pool());
    if (!one.alignment.empty()) {
      std::memcpy(pool.data() + entry.length, one.alignment.data(), one.alignment.size());
    }
    position_ += pool.size();
    if (position_ >= kMostPool) throw InputError("over 2^40 words of translations");
    entries_.append(&entry, sizeof entry);
    pool_.append(pool.data(), pool.size() * sizeof(WordId));
    scores_.append(one.scores.data(), one.scores.size());
    if (!one.reordering.empty()) {
      reordering_.append(one.reordering.data(), one.reordering.size());
    } else if (reordering_width_) {
      const std::vector<float> none(reordering_width_, kNoScores);
      reordering_.append(none.data(), none.size() * sizeof(float));
      ++counts_.without_reordering;
    }
    ++counts_.entries;
  }

  static void write_vocabulary(const Vocabulary& vocabulary, CheckedWriter& writer,
                               const std::function<void()>& poll) {
    Ticks tick(poll);
    std::uint64_t begin = 0;
    writer.begin_section();
    writer.put(&begin, sizeof begin);
    for (WordId id = 0; id < vocabulary.size(); ++id) {
      tick();
      begin += vocabulary.word(id).size();
      writer.put(&begin, sizeof begin);
    }
    writer.begin_section();
    for (WordId id = 0; id < vocabulary.size(); ++id) {
      tick();
      writer.put(vocabulary.word(id).data(), vocabulary.word(id).size());
    }
    std::size_t size = 16;
    while (size < 2 * vocabulary.size()) size *= 2;
    std::vector<WordId> slots(size, kNoWord);
    for (WordId id = 0; id < vocabulary.size(); ++id) {
      tick();
      std::size_t at = hash_bytes(vocabulary.word(id)) & (size - 1);
      while (slots[at] != kNoWord) at = (at + 1) & (size - 1);
      slots[at] = id;
    }
    writer.begin_section();
    writer.put(slots.data(), slots.size() * sizeof(WordId));
  }

  static constexpr std::size_t kLine = 8;  // bytes of a line's number in a record

  std::size_t width_, reordering_width_;
  bool by_target_;
  TrieWriter trie_;
  Spool entries_, pool_, scores_, reordering_;
  std::uint64_t position_ = 0;
  BinaryTableCounts counts_{};
};

}  // namespace

BinaryTableCounts build_binary_table(const std::string& phrase_table,
                                     const std::string& reordering_table, const std::string& output,
                                     const std::string& folder, std::size_t memory, int threads,
                                     const std::function<void()>& poll) {
  TableFormat format = format_of(phrase_table, "phrase table", true);
  if (!format.has_target) throw InputError("no target phrase in the first line", phrase_table, 1);
  const bool both = !reordering_table.empty();
  TableFormat orientation{};
  if (both) orientation = format_of(reordering_table, "reordering table", false);
  Vocabulary vocabulary;
  std::vector<std::string> warnings;
  SortedTable phrases(format, vocabulary, true, folder, memory / 2, threads, warnings, poll);
  std::unique_ptr<SortedTable> reordering;
  if (both) {
    reordering = std::make_unique<SortedTable>(orientation, vocabulary, false, folder, memory / 2,
                                               threads, warnings, poll);
  }
  Builder builder(format.scores, orientation.scores, !both || orientation.has_target, folder);
  builder.join(phrases, reordering.get(), poll);
  BinaryTableCounts counts = builder.finish(vocabulary, output, poll);
  counts.warnings = std::move(warnings);
  return counts;
}

}  // namespace nlmt::decoder
