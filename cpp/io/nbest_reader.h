// Blocks of a Moses n-best list as flat arrays.
//
//   NbestReader reader("list.gz", false);
//   for (NbestBlock block; reader.read(64 << 20, true, poll, block); block = {}) use(block);
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nbest_lines.h"
#include "word_table.h"

namespace nlmt::io {

struct NbestBlock {
  std::vector<int32_t> sentence;      // (hypotheses)
  WordTable words;                    // in order of first appearance
  std::vector<int32_t> ids;           // the words of all hypotheses
  std::vector<int64_t> offsets;       // (hypotheses + 1) into ids
  std::vector<double> features;       // (hypotheses, width)
  std::vector<double> totals;         // (hypotheses)
  std::string rest;                   // the columns after the total, where requested
  std::vector<int64_t> rest_offsets;  // (hypotheses + 1) into rest
};

class NbestReader {
 public:
  NbestReader(const std::string& path, bool keep_rest);

  // Labels of the list; none for an empty file.
  const Layout& layout() const { return lines_.layout(); }

  // Reads lines of about `bytes` in all; false if none is left. With `whole_sentences` the block
  // extends to the end of its last sentence. `poll` is called periodically and may throw.
  bool read(int64_t bytes, bool whole_sentences, const std::function<void()>& poll,
            NbestBlock& block);

 private:
  void append(const NbestLine& line, NbestBlock& block);

  NbestLines lines_;
  bool keep_rest_;
  bool has_line_;  // a line is read but not yet handed out
};

}  // namespace nlmt::io
