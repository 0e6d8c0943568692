// The recombined hypotheses of one sentence, which the search builds and the n-best list reads.
#pragma once

#include <cstdint>
#include <vector>

#include "options.h"

namespace nlmt::decoder {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

// A partial translation. Those recombined with a better one are linked from it by `alternative`.
struct Hypothesis {
  float score;             // model score so far
  float estimate;          // score and the future cost of uncovered words
  std::uint32_t previous;  // hypothesis, or kNone at the start
  std::uint32_t option;    // the option added to it
  std::uint32_t lm_state;
  std::uint32_t group;
  std::uint32_t alternative;  // a worse way to the same state, or kNone
};

// Hypotheses that every further source span extends alike: with equal coverage, equal end of the
// last source span, and equally able to swap with that span.
struct Group {
  float future;           // estimate for the words that are not covered
  std::uint16_t covered;  // how many words are
  std::uint16_t first_gap;
  std::uint16_t end;    // after the last source span
  std::uint16_t block;  // first word of the covered block that ends there
  bool touching;        // the last source span begins at `block`, not at the sentence's first word
  std::int32_t rows[kRelations];  // offset of its hypotheses, sorted for a relation; -1: not made
  std::uint32_t count;            // of its hypotheses
};

// Groups have keys, of key_size() numbers: a bit a covered word, then 2 * end + touching.
class SearchGraph {
 public:
  struct Gap {  // of the covered words
    std::size_t begin, end;
    float future;
  };

  // Starts a sentence with the one empty hypothesis, number 0, in group 0.
  void start(const SentenceOptions& options, std::uint32_t lm_state);

  std::vector<Hypothesis>& hypotheses() { return hypotheses_; }
  const std::vector<Hypothesis>& hypotheses() const { return hypotheses_; }
  Group& group(std::uint32_t number) { return groups_[number]; }
  const Group& group(std::uint32_t number) const { return groups_[number]; }
  std::uint32_t groups() const { return static_cast<std::uint32_t>(groups_.size()); }
  bool covers(std::uint32_t group, std::size_t position) const {
    return covers(keys_.data() + group * key_size_, position);
  }
  std::size_t key_size() const { return key_size_; }
  std::uint32_t add_group(const std::uint64_t* key);
  // The key of the group after translating the uncovered words [begin, end).
  void extend(std::uint32_t group, std::size_t begin, std::size_t end,
              std::vector<std::uint64_t>& key) const;
  void find_gaps(std::uint32_t group, std::vector<Gap>& gaps) const {
    find_gaps(keys_.data() + group * key_size_, gaps);
  }
  // The estimate for what is left of gaps after translating the words [begin, end).
  float future_after(const std::vector<Gap>& gaps, std::size_t begin, std::size_t end) const;
  Relation relation(const Group& group, std::size_t begin, std::size_t end) const {
    if (begin == group.end) return kMonotone;
    if (group.touching && end == group.block) return kSwap;
    return begin > group.end ? kAhead : kBehind;
  }

 private:
  static bool covers(const std::uint64_t* key, std::size_t position) {
    return (key[position >> 6] >> (position & 63)) & 1;
  }
  void find_gaps(const std::uint64_t* key, std::vector<Gap>& gaps) const;

  const SentenceOptions* options_ = nullptr;
  std::size_t key_size_ = 0;
  std::vector<std::uint64_t> keys_;  // by group
  std::vector<Group> groups_;
  std::vector<Hypothesis> hypotheses_;
  std::vector<Gap> gaps_;
};

}  // namespace nlmt::decoder
