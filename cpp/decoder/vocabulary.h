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

class Vocabulary {
 public:
  Vocabulary() : slots_(1 << 10, kNoWord) {}

  // The word's number, or kNoWord.
  WordId find(std::string_view word) const { return slots_[slot(word)]; }

  WordId add(std::string_view word) {
    std::size_t at = slot(word);
    if (slots_[at] != kNoWord) return slots_[at];
    if (2 * (words_.size() + 1) > slots_.size()) {
      grow();
      at = slot(word);
    }
    slots_[at] = static_cast<WordId>(words_.size());
    words_.push_back(store(word));
    return slots_[at];
  }

  std::string_view word(WordId id) const { return words_[id]; }
  std::size_t size() const { return words_.size(); }

 private:
  static constexpr std::size_t kChunk = 1 << 16;

  std::size_t slot(std::string_view word) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash_bytes(word) & mask;
    while (slots_[at] != kNoWord && words_[slots_[at]] != word) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    slots_.assign(slots_.size() * 2, kNoWord);
    for (WordId id = 0; id < words_.size(); ++id) slots_[slot(words_[id])] = id;
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

  std::vector<std::string_view> words_;
  std::vector<WordId> slots_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace nlmt::decoder
