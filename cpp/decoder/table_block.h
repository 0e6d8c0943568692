// The lines of a phrase or reordering table, parsed: `source ||| target ||| scores ||| alignment`.
#pragma once

#include <cstdint>
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
};

struct AlignmentPoint {
  std::uint8_t source, target;

  bool operator<(const AlignmentPoint& other) const {
    return source != other.source ? source < other.source : target < other.target;
  }
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
  double read = 1;            // as in a LineBlock
  std::vector<float> scores;  // natural logs, not below kFloor, `format.scores` a line
};

// Raises InputError with file and line for malformed lines.
TableBlock parse_table_block(const LineBlock& block, const TableFormat& format);

}  // namespace nlmt::decoder
