#include "phrase_store.h"

#include <algorithm>

namespace nlmt::phrases {

uint32_t PhraseStore::intern(uint32_t begin, uint32_t length) {
  const uint32_t* const words = text_ + begin;
  const uint32_t phrase = numbers_.intern(hash_words(words, length, length), [&](uint32_t other) {
    return this->length(other) == length && std::equal(words, words + length, this->words(other));
  });
  if (phrase == phrases_.size()) phrases_.push_back({begin, length});
  return phrase;
}

std::vector<uint32_t> PhraseStore::sort() {
  // Two words decide most comparisons.
  struct Item {
    uint64_t key;
    uint32_t phrase;
  };
  std::vector<Item> items(phrases_.size());
  for (uint32_t i = 0; i < items.size(); ++i) {
    const uint64_t first = sort_key(phrases_[i], 0), second = sort_key(phrases_[i], 1);
    items[i] = {first << 32 | second, i};
  }
  std::sort(items.begin(), items.end(), [this](const Item& a, const Item& b) {
    return a.key != b.key ? a.key < b.key : before(phrases_[a.phrase], phrases_[b.phrase]);
  });
  std::vector<uint32_t> rank(items.size());
  std::vector<Span> sorted(items.size());
  for (uint32_t i = 0; i < items.size(); ++i) {
    rank[items[i].phrase] = i;
    sorted[i] = phrases_[items[i].phrase];
  }
  phrases_ = std::move(sorted);
  numbers_ = {};
  return rank;
}

void PhraseStore::append_text(uint32_t phrase, std::string& text) const {
  for (uint32_t i = 0; i < length(phrase); ++i) {
    if (i > 0) text += ' ';
    text += side_->spelling(words(phrase)[i]);
  }
}

bool PhraseStore::before(Span a, Span b) const {
  for (uint32_t i = 2; i <= std::min(a.length, b.length); ++i) {
    const uint64_t x = sort_key(a, i), y = sort_key(b, i);
    if (x != y) return x < y;
  }
  return false;  // the same phrase
}

}  // namespace nlmt::phrases
