// Words as numbers: one vocabulary for both languages.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "hashing.h"
#include "interner.h"

namespace nlmt::decoder {

using WordId = std::uint32_t;
inline constexpr WordId kNoWord = ~WordId{0};

// Words that are numbered already.
class WordSource {
 public:
  virtual ~WordSource() = default;
  virtual std::size_t size() const = 0;
  virtual std::string_view word(WordId id) const = 0;
  virtual WordId find(std::string_view word) const = 0;  // or kNoWord
};

class Vocabulary {
 public:
  // Takes over the numbers of `source`, before anything is added. It must outlive this.
  void begin_with(const WordSource& source) {
    source_ = &source;
    first_ = static_cast<WordId>(source.size());
  }

  // The word's number, or kNoWord.
  WordId find(std::string_view word) const {
    const WordId known = source_ ? source_->find(word) : kNoWord;
    if (known != kNoWord) return known;
    const WordId own =
        numbers_.find(hash_bytes(word), [&](std::uint32_t other) { return words_[other] == word; });
    return own == Interner::kNone ? kNoWord : first_ + own;
  }

  WordId add(std::string_view word) {
    const WordId known = source_ ? source_->find(word) : kNoWord;
    if (known != kNoWord) return known;
    const WordId own = numbers_.intern(hash_bytes(word),
                                       [&](std::uint32_t other) { return words_[other] == word; });
    if (own == words_.size()) words_.push_back(store(word));
    return first_ + own;
  }

  std::string_view word(WordId id) const {
    return id < first_ ? source_->word(id) : words_[id - first_];
  }
  std::size_t size() const { return first_ + words_.size(); }

 private:
  static constexpr std::size_t kChunk = 1 << 16;

  // Copies the bytes to a place where they never move.
  std::string_view store(std::string_view word) {
    if (word.size() > left_) {
      left_ = std::max(kChunk, word.size());
      chunks_.push_back(std::make_unique<char[]>(left_));
      next_ = chunks_.back().get();
    }
    std::memcpy(next_, word.data(), word.size());
    const std::string_view stored(next_, word.size());
    next_ += word.size();
    left_ -= word.size();
    return stored;
  }

  const WordSource* source_ = nullptr;
  WordId first_ = 0;  // of our own words
  std::vector<std::string_view> words_;
  Interner numbers_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace nlmt::decoder
