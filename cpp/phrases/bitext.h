// A word-aligned bitext, read from its beginning as often as is needed. Use:
//
//   EncodedBitext bitext(folder, memory);
//   bitext.add("la maison", "the house", "0-0 1-1");  // throws std::invalid_argument
//   bitext.finish();                                  // word ids are now in the order of the words
//   SentencePair pair;
//   for (bitext.rewind(); bitext.next(pair);) ...

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "links.h"
#include "spool.h"
#include "word_table.h"

namespace nlmt::phrases {

constexpr size_t kLongestSentence = 65535;  // a link is packed into 32 bits

// The words of one language.
class Side {
 public:
  Side() : null_(static_cast<uint32_t>(words_.add("NULL"))) {}

  // Appends the ids of a line's words.
  void read(std::string_view line, std::vector<uint32_t>& ids);
  // Renumbers the words: ids then compare as the words do, each followed by a space.
  void finish();
  // The final id of a word that had the id `first` before.
  uint32_t rank(uint32_t first) const { return rank_[first]; }

  std::string_view spelling(uint32_t word) const { return words_.word(first_[word]); }
  size_t vocabulary() const { return static_cast<size_t>(words_.size()); }

  // The word of which unaligned words are translations; Moses spells it like a word of the text.
  uint32_t null() const { return null_; }
  // Words as keys that compare as in a sorted table, where "|||" follows the last word of a phrase.
  uint32_t sort_key(uint32_t word) const { return word < after_separator_ ? word : word + 1; }
  uint32_t separator_key() const { return after_separator_; }

 private:
  WordTable words_;
  std::vector<uint32_t> rank_;  // the final id by the first one
  std::vector<int32_t> first_;  // and the reverse
  uint32_t null_, after_separator_ = 0;
};

struct SentencePair {
  std::vector<uint32_t> source, target;
  std::vector<Link> links;  // by target, then source position
};

class EncodedBitext {
 public:
  // Text beyond `memory` bytes goes to a temporary file in `folder`.
  EncodedBitext(std::string folder, size_t memory) : text_(std::move(folder), memory) {}

  // `alignment` holds links source-target, as "0-0 1-2"; a link given twice counts once.
  void add(std::string_view source, std::string_view target, std::string_view alignment);
  void finish();

  size_t sentences() const { return sentences_; }
  void rewind() const { text_.rewind(); }
  bool next(SentencePair& pair) const;

  Side source, target;

 private:
  mutable Spool text_;  // by sentence pair: three lengths, words, words, links
  size_t sentences_ = 0;
};

}  // namespace nlmt::phrases
