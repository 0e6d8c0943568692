// The recombined hypotheses of one sentence, which the search builds and the n-best list reads.
#pragma once

#include <cstdint>
#include <vector>

#include "interner.h"
#include "key_table.h"
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

// Which source words are translated.
struct Coverage {
  float future;  // estimate for the others
  std::uint16_t covered;
  std::uint16_t first_gap;
};

// Hypotheses that every further source span extends alike: with equal coverage, equal end of the
// last source span, and equally able to swap with that span.
struct Group {
  std::uint32_t coverage;
  std::uint16_t end;    // after the last source span
  std::uint16_t block;  // first word of the covered block that ends there
  bool touching;        // the last source span begins at `block`, not at the sentence's first word
  std::int32_t rows[kRelations];  // offset of its hypotheses, sorted for a relation; -1: not made
  std::uint32_t count;            // of its hypotheses, once its stack is done
};

class SearchGraph {
 public:
  // Starts a sentence with the one empty hypothesis, number 0, in group 0.
  void start(const SentenceOptions& options, std::uint32_t lm_state);

  std::vector<Hypothesis>& hypotheses() { return hypotheses_; }
  const std::vector<Hypothesis>& hypotheses() const { return hypotheses_; }
  Group& group(std::uint32_t number) { return groups_[number]; }
  const Group& group(std::uint32_t number) const { return groups_[number]; }
  std::size_t groups() const { return groups_.size(); }
  const Coverage& coverage(const Group& group) const { return coverages_[group.coverage]; }
  bool covers(const Group& group, std::size_t position) const {
    return (bits(group.coverage)[position >> 6] >> (position & 63)) & 1;
  }
  // The group after translating the uncovered words [begin, end).
  std::uint32_t extend(std::uint32_t group, std::size_t begin, std::size_t end);
  Relation relation(const Group& group, std::size_t begin, std::size_t end) const {
    if (begin == group.end) return kMonotone;
    if (group.touching && end == group.block) return kSwap;
    return begin > group.end ? kAhead : kBehind;
  }

 private:
  struct Extended {
    std::uint32_t group;
  };

  const std::uint64_t* bits(std::uint32_t coverage) const {
    return bits_.data() + coverage * width_;
  }
  std::uint32_t intern_coverage();  // of wanted_
  std::uint32_t intern_group(std::uint32_t coverage, std::size_t begin, std::size_t end);

  const SentenceOptions* options_ = nullptr;
  std::size_t width_ = 0;  // 64-bit words a coverage
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint64_t> wanted_;
  std::vector<Coverage> coverages_;
  Interner coverage_numbers_;
  std::vector<Group> groups_;
  Interner group_numbers_;
  std::vector<Hypothesis> hypotheses_;
  KeyTable<Extended> extended_;  // by coverage and added span
};

}  // namespace nlmt::decoder
