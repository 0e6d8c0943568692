// The distinct phrases of one language, as spans of its text, numbered.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bitext.h"

namespace nlmt::phrases {

class PhraseStore {
 public:
  // `text` holds words of `side` and must stay.
  PhraseStore(const Side& side, const uint32_t* text)
      : side_(&side), text_(text), slots_(1 << 12, kEmpty) {}

  // The number of the phrase of `length` words that begins at `begin` in the text.
  uint32_t intern(uint32_t begin, uint32_t length);

  // Renumbers the phrases in the order of their text, each followed by " |||", which is how
  // `LC_ALL=C sort` orders a table's lines. Returns the new number of each old one.
  std::vector<uint32_t> sort();

  size_t size() const { return phrases_.size(); }
  uint32_t length(uint32_t phrase) const { return phrases_[phrase].length; }
  const uint32_t* words(uint32_t phrase) const { return text_ + phrases_[phrase].begin; }
  void append_text(uint32_t phrase, std::string& text) const;

 private:
  static constexpr uint32_t kEmpty = ~uint32_t(0);

  struct Span {
    uint32_t begin, length;
  };

  bool equal(Span a, Span b) const;
  uint64_t hash(Span span) const;
  uint64_t sort_key(Span span, uint32_t position) const {
    return position < span.length ? side_->sort_key(text_[span.begin + position])
                                  : side_->separator_key();
  }
  bool before(Span a, Span b) const;
  void grow();

  const Side* side_;
  const uint32_t* text_;
  std::vector<Span> phrases_;
  std::vector<uint32_t> slots_;  // open addressing; a power of two, at most half full
};

}  // namespace nlmt::phrases
