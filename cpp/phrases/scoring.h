// The scores of one phrase pair, and its lines in the two tables, as Moses writes them.

#pragma once

#include <cstdint>
#include <string>

#include "extraction.h"
#include "lexicon.h"
#include "phrase_store.h"

namespace nlmt::phrases {

// A phrase pair as it occurs in sentence pairs: with its alignment and orientations.
struct Occurrence {
  uint32_t source, target;  // begin in the text, then number of the phrase
  uint64_t bits;
  uint32_t times;         // in the corpus
  uint32_t target_times;  // how often the target phrase occurs with any source phrase

  static uint64_t pack(const PhrasePair& pair) {
    return pair.alignment | uint64_t(pair.previous) << 49 | uint64_t(pair.next) << 51 |
           uint64_t(pair.source_length) << 53 | uint64_t(pair.target_length) << 56;
  }
  uint64_t alignment() const { return bits & ((uint64_t(1) << 49) - 1); }
  uint32_t previous() const { return bits >> 49 & 3; }
  uint32_t next() const { return bits >> 51 & 3; }
  uint32_t source_length() const { return bits >> 53 & 7; }
  uint32_t target_length() const { return bits >> 56 & 7; }
};

class Scorer {
 public:
  Scorer(const PhraseStore& sources, const PhraseStore& targets, const Lexicon& lexicon,
         const Side& source_side, const Side& target_side)
      : sources_(sources),
        targets_(targets),
        lexicon_(lexicon),
        source_null_(source_side.null()),
        target_null_(target_side.null()) {}

  // Sorts the occurrences of one source phrase by target and alignment and appends the lines of
  // its phrase pairs to both tables.
  void score(Occurrence* begin, Occurrence* end, std::string& phrase_table,
             std::string& reordering_table) const;

 private:
  double target_given_source(const Occurrence& pair, uint64_t alignment) const;
  double source_given_target(const Occurrence& pair, uint64_t alignment) const;

  const PhraseStore &sources_, &targets_;
  const Lexicon& lexicon_;
  uint32_t source_null_, target_null_;
};

}  // namespace nlmt::phrases
