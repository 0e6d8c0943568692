// Lexical translation probabilities, relative frequencies of links (Koehn, Och and Marcu 2003).
// A word without a link counts as a translation of NULL.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bitext.h"

namespace nlmt::phrases {

class Lexicon {
 public:
  // Counts about `memory` bytes of links at once; the distinct pairs stay in memory, at about 32
  // bytes each. Calls `poll`, which may throw, now and then, as `format` does.
  Lexicon(const EncodedBitext& bitext, size_t memory, const std::function<void()>& poll);

  // Both probabilities of a pair, rounded to the seven decimals that the files hold, as Moses
  // reads them back; 1 for a pair that never had a link.
  double target_given_source(uint32_t source, uint32_t target) const {
    const Entry* entry = find(source, target);
    return entry ? entry->target_given_source / kUnit : 1.0;
  }
  double source_given_target(uint32_t source, uint32_t target) const {
    const Entry* entry = find(source, target);
    return entry ? entry->source_given_target / kUnit : 1.0;
  }

  size_t size() const { return entries_.size(); }  // pairs of words

  // Lines `first`, first + 1 ..., at most `count`, of lex.f2e: "target source p(target|source)";
  // `inverse`, of lex.e2f: "source target p(source|target)"; by source, then target word.
  std::string format(const EncodedBitext& bitext, bool inverse, size_t first, size_t count,
                     const std::function<void()>& poll) const;

 private:
  static constexpr uint32_t kEmpty = ~uint32_t(0);
  static constexpr double kUnit = 1e7;

  // Probabilities in units of the seventh decimal.
  struct Entry {
    uint64_t key;  // source word << 32 | target word
    uint32_t target_given_source, source_given_target;
  };

  const Entry* find(uint32_t source, uint32_t target) const {
    const uint64_t key = uint64_t(source) << 32 | target;
    for (size_t slot = hash(key);; ++slot) {
      const uint32_t index = slots_[slot & mask_];
      if (index == kEmpty) return nullptr;
      if (entries_[index].key == key) return &entries_[index];
    }
  }
  static size_t hash(uint64_t key) { return key * 0x9e3779b97f4a7c15ULL >> 20; }

  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;
  size_t mask_;
};

}  // namespace nlmt::phrases
