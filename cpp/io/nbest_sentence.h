// The lines of one sentence of an n-best list, collected for sorting.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gzip.h"

namespace nlmt::io {

class NbestSentence {
 public:
  // `line` ends in its newline; its words are `words_size` bytes from `words_begin` on.
  void add(double total, std::string_view line, size_t words_begin, size_t words_size);

  // Writes the best `size` lines, the highest total first, equal ones in their order, and forgets
  // all. With `distinct`, writes only the best of lines with the same words.
  void flush(int64_t size, bool distinct, GzipWriter& out);

 private:
  struct Line {
    double total;
    size_t begin, end;  // in text_
    size_t words_begin, words_end;
  };

  std::vector<Line> lines_;
  std::string text_;
};

}  // namespace nlmt::io
