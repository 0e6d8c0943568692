// Words as numbers: one vocabulary for both languages.
#pragma once

#include <cstdint>
#include <string_view>

#include "word_table.h"

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
    const std::int32_t own = own_.find(word);
    return own < 0 ? kNoWord : first_ + static_cast<WordId>(own);
  }

  WordId add(std::string_view word) {
    const WordId known = source_ ? source_->find(word) : kNoWord;
    return known != kNoWord ? known : first_ + static_cast<WordId>(own_.add(word));
  }

  std::string_view word(WordId id) const {
    return id < first_ ? source_->word(id) : own_.word(static_cast<std::int32_t>(id - first_));
  }
  std::size_t size() const { return first_ + static_cast<std::size_t>(own_.size()); }

 private:
  const WordSource* source_ = nullptr;
  WordId first_ = 0;  // of our own words
  WordTable own_;
};

}  // namespace nlmt::decoder
