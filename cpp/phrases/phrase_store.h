// The distinct phrases of one language, as spans of its text, numbered.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bitext.h"
#include "hashing.h"
#include "interner.h"

namespace nlmt::phrases {

inline uint64_t hash_words(const uint32_t* words, uint32_t length, uint64_t hash) {
  for (uint32_t i = 0; i < length; ++i) hash = fold(hash, words[i]);
  return hash;
}

class PhraseStore {
 public:
  // `text` holds words of `side` and must stay.
  PhraseStore(const Side& side, const uint32_t* text) : side_(&side), text_(text) {}

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
  struct Span {
    uint32_t begin, length;
  };

  uint64_t sort_key(Span span, uint32_t position) const {
    return position < span.length ? side_->sort_key(text_[span.begin + position])
                                  : side_->separator_key();
  }
  bool before(Span a, Span b) const;

  const Side* side_;
  const uint32_t* text_;
  std::vector<Span> phrases_;
  Interner numbers_;
};

}  // namespace nlmt::phrases
