// Words as numbers: one vocabulary for both languages.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "hashing.h"

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
  Vocabulary() : slots_(1 << 10) {}

  // Takes the numbers of `source` over; before anything is added. It must stay.
  void begin_with(const WordSource& source) {
    source_ = &source;
    first_ = static_cast<WordId>(source.size());
  }

  // The word's number, or kNoWord.
  WordId find(std::string_view word) const {
    const WordId known = source_ ? source_->find(word) : kNoWord;
    return known != kNoWord ? known : slots_[slot(word, hash_bytes(word))].id;
  }

  WordId add(std::string_view word) {
    if (const WordId known = source_ ? source_->find(word) : kNoWord; known != kNoWord) {
      return known;
    }
    const std::uint64_t hash = hash_bytes(word);
    std::size_t at = slot(word, hash);
    if (slots_[at].id != kNoWord) return slots_[at].id;
    if (2 * (words_.size() + 1) > slots_.size()) {
      grow();
      at = slot(word, hash);
    }
    slots_[at] = {tag(hash), static_cast<WordId>(size())};
    words_.push_back(store(word));
    return slots_[at].id;
  }

  std::string_view word(WordId id) const {
    return id < first_ ? source_->word(id) : words_[id - first_];
  }
  std::size_t size() const { return first_ + words_.size(); }

 private:
  static constexpr std::size_t kChunk = 1 << 16;

  struct Slot {
    std::uint32_t tag = 0;  // another part of the hash than the place: spares most comparisons
    WordId id = kNoWord;
  };

  static std::uint32_t tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

  std::size_t slot(std::string_view word, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].id != kNoWord &&
           (slots_[at].tag != tag(hash) || words_[slots_[at].id - first_] != word)) {
      at = (at + 1) & mask;
    }
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& filled : old) {
      if (filled.id == kNoWord) continue;
      const std::string_view word = words_[filled.id - first_];
      slots_[slot(word, hash_bytes(word))] = filled;
    }
  }

  // Copies the bytes to where they never move.
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
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace nlmt::decoder
