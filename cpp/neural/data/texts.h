// Texts of one sentence a line: their words counted and numbered, in bounded memory.
//
//   WordCounts counts(folder, 4'000'000, poll);
//   counts.read("train.gz");
//   counts.finish(2);                                // words that occur twice or more
//
//   TextReader reader("train.gz", words);
//   ids = reader.read(1 << 20, poll);                // words of each sentence, then </s>
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "external_sort.h"
#include "files.h"
#include "text.h"
#include "utf8.h"
#include "word_table.h"

namespace nlmt::neural {

constexpr int32_t kUnknown = 0, kBegin = 1, kEnd = 2;
constexpr int64_t kPollLines = 1 << 14;

// Calls use(word) for each word between spaces and tabs; the line may end with a carriage return.
template <class Use>
void each_word(std::string_view line, Use use) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  for (auto word = next_token(line); !word.empty(); word = next_token(line)) use(word);
}

// Steps to the next line; raises InputError if it is not UTF-8, or has a NUL byte, or a carriage
// return that is not at its end: a file of words, one a line, would lose it.
inline bool next_line(LineReader& lines) {
  if (!lines.next()) return false;
  const std::string_view line = lines.line();
  const bool nul = line.find('\0') != line.npos;
  if (nul || !is_utf8(line)) throw not_utf8(lines.path(), lines.number(), nul);
  const size_t at = line.find('\r');
  if (at != line.npos && at + 1 < line.size()) {
    throw InputError("a carriage return within a line", lines.path(), lines.number(),
                     "remove it, for example with tr -d '\\r'");
  }
  return true;
}

class WordCounts {
 public:
  // Different words beyond `most` go to sorted runs in `folder`. `poll` is called periodically and
  // may throw.
  WordCounts(std::string folder, int64_t most, const std::function<void()>& poll)
      : most_(most), poll_(poll), runs_(std::move(folder), kMemory, poll) {}
  WordCounts(const WordCounts&) = delete;
  WordCounts& operator=(const WordCounts&) = delete;

  // Sentences and words of a text.
  std::pair<int64_t, int64_t> read(const std::string& path) {
    LineReader lines(path);
    int64_t words = 0;
    while (next_line(lines)) {
      each_word(lines.line(), [&](std::string_view word) {
        const int32_t id = table_.add(word);
        counts_.resize(static_cast<size_t>(table_.size()));
        ++counts_[id];
        ++words;
      });
      if (table_.size() >= most_) spill();
      if (lines.number() % kPollLines == 0) poll_();
    }
    return {lines.number(), words};
  }

  // The words that occur at least so often, in no particular order. Nothing can be read afterwards.
  std::vector<std::pair<std::string, int64_t>> finish(int64_t least) {
    std::vector<std::pair<std::string, int64_t>> result;
    if (!spilled_) {
      for (int32_t id = 0; id < table_.size(); ++id) {
        if (counts_[id] >= least) result.emplace_back(table_.word(id), counts_[id]);
      }
      return result;
    }
    spill();
    runs_.start();
    std::string word;  // with its newline
    int64_t total = 0;
    const auto close = [&] {
      if (!word.empty() && total >= least) {
        result.emplace_back(std::string_view(word).substr(0, word.size() - 1), total);
      }
    };
    for (std::string record; runs_.next(record);) {
      int64_t count;
      const size_t size = record.size() - sizeof count;
      std::memcpy(&count, record.data() + size, sizeof count);
      if (record.compare(0, size, word) != 0) {
        close();
        word.assign(record, 0, size);
        total = 0;
      }
      total += count;
    }
    close();
    return result;
  }

 private:
  // A record is a word, a newline, which no word contains, and its count: those of a word are
  // adjacent in byte order.
  void spill() {
    spilled_ = true;
    std::string record;
    for (int32_t id = 0; id < table_.size(); ++id) {
      record.assign(table_.word(id));
      record.push_back('\n');
      record.append(reinterpret_cast<const char*>(&counts_[id]), sizeof counts_[id]);
      runs_.add(record);
    }
    table_ = WordTable();
    counts_.clear();
  }

  static constexpr size_t kMemory = size_t{128} << 20;

  int64_t most_;
  std::function<void()> poll_;
  WordTable table_;
  std::vector<int64_t> counts_;
  ExternalSort runs_;
  bool spilled_ = false;
};

class TextReader {
 public:
  // `words`: `<unk>`, `<s>` and `</s>` first. A text's own `<s>` and `</s>` are never marks.
  TextReader(const std::string& path, const std::vector<std::string>& words) : lines_(path) {
    for (const std::string& word : words) table_.add(word);
  }

  // Whole sentences, each followed by `</s>`, until there are `least` ids; none at the end.
  template <class Poll>
  std::vector<int32_t> read(int64_t least, Poll poll) {
    std::vector<int32_t> ids;
    while (static_cast<int64_t>(ids.size()) < least && next_line(lines_)) {
      each_word(lines_.line(), [&](std::string_view word) {
        const int32_t id = table_.find(word);
        ids.push_back(id <= kEnd ? kUnknown : id);
      });
      ids.push_back(kEnd);
      if (lines_.number() % kPollLines == 0) poll();
    }
    return ids;
  }

 private:
  LineReader lines_;
  WordTable table_;
};

}  // namespace nlmt::neural
