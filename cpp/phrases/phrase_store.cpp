#include "phrase_store.h"

#include <algorithm>
#include <stdexcept>

namespace nlmt::phrases {

uint32_t PhraseStore::intern(uint32_t begin, uint32_t length) {
  const Span span{begin, length};
  const size_t mask = slots_.size() - 1;
  size_t slot = hash(span) & mask;
  for (; slots_[slot] != kEmpty; slot = (slot + 1) & mask) {
    if (equal(phrases_[slots_[slot]], span)) return slots_[slot];
  }
  const uint32_t phrase = phrases_.size();
  if (phrase == kEmpty) throw std::length_error("more than 2^32 distinct phrases");
  slots_[slot] = phrase;
  phrases_.push_back(span);
  if (2 * phrases_.size() > slots_.size()) grow();
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
  slots_ = {};
  return rank;
}

void PhraseStore::append_text(uint32_t phrase, std::string& text) const {
  for (uint32_t i = 0; i < length(phrase); ++i) {
    if (i > 0) text += ' ';
    text += side_->spelling(words(phrase)[i]);
  }
}

bool PhraseStore::equal(Span a, Span b) const {
  return a.length == b.length &&
         std::equal(text_ + a.begin, text_ + a.begin + a.length, text_ + b.begin);
}

uint64_t PhraseStore::hash(Span span) const {
  uint64_t h = span.length;
  for (uint32_t i = 0; i < span.length; ++i) {
    h = (h ^ text_[span.begin + i]) * 0x9e3779b97f4a7c15ULL;
    h ^= h >> 29;
  }
  return h;
}

bool PhraseStore::before(Span a, Span b) const {
  for (uint32_t i = 2; i <= std::min(a.length, b.length); ++i) {
    const uint64_t x = sort_key(a, i), y = sort_key(b, i);
    if (x != y) return x < y;
  }
  return false;  // the same phrase
}

void PhraseStore::grow() {
  slots_.assign(2 * slots_.size(), kEmpty);
  const size_t mask = slots_.size() - 1;
  for (uint32_t phrase = 0; phrase < phrases_.size(); ++phrase) {
    size_t slot = hash(phrases_[phrase]) & mask;
    while (slots_[slot] != kEmpty) slot = (slot + 1) & mask;
    slots_[slot] = phrase;
  }
}

}  // namespace nlmt::phrases
