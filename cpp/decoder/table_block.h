// The lines of a phrase or reordering table, parsed: `source ||| target ||| scores ||| alignment`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "line_blocks.h"
#include "probability.h"
#include "vocabulary.h"

namespace nlmt::decoder {

// The required form of a table's lines.
struct TableFormat {
  std::string path;
  std::string label;   // the feature's name, for messages
  std::size_t scores;  // how many a line has
  bool has_target;     // a reordering table may be keyed by the source phrase alone
  bool has_links;      // behind the scores: of a phrase table; else what follows is not read
};

struct AlignmentPoint {
  std::uint8_t source, target;

  bool operator<(const AlignmentPoint& other) const {
    return source != other.source ? source < other.source : target < other.target;
  }
  bool operator==(const AlignmentPoint& other) const {
    return source == other.source && target == other.target;
  }
};

// What is left out of a table.
struct LeftOut {
  std::size_t lines = 0;   // without a source phrase
  std::size_t sparse = 0;  // number of the first line with sparse features; 0: none
};

// Parsed lines, with words as numbers in the block's own vocabulary.
struct TableBlock {
  struct Line {
    std::uint32_t source;         // index into `sources`
    std::uint32_t target_begin;   // into `target_words`
    std::uint32_t target_length;  // in words
    std::uint32_t alignment_begin;
    std::uint32_t alignment_length;
  };

  Vocabulary words;
  std::vector<std::vector<WordId>> sources;  // equal neighbours are held once
  std::vector<Line> lines;
  std::vector<WordId> target_words;
  std::vector<AlignmentPoint> alignment;
  LeftOut left_out;
  double read = 1;            // as in a LineBlock
  std::vector<float> scores;  // natural logs, not below kFloor, `format.scores` a line
};

// Raises InputError with file and line for malformed lines.
TableBlock parse_table_block(const LineBlock& block, const TableFormat& format);

// Calls append(block) for the blocks of a table in their order. One thread reads ahead, others
// parse; `append` runs in the calling thread. Adds to `warnings` a line for each kind of what is
// left out.
void parse_table(const TableFormat& format, int threads, std::vector<std::string>& warnings,
                 const std::function<void(TableBlock&&)>& append);

// Replaces the numbers of a block's words by those of `vocabulary`, which gets the words that it
// lacks if `add` is set; else these become kNoWord.
void renumber_words(TableBlock& block, Vocabulary& vocabulary, bool add);

}  // namespace nlmt::decoder
