// Large text files, plain or gzip, in blocks of lines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "files.h"

namespace nlmt::decoder {

// Some lines of a file, each with a newline.
struct LineBlock {
  std::string text;
  std::size_t first_line;  // counted from 1
  double read;             // share of the file up to the end of this block, above 0
};

// Hands out a file in blocks of a few megabytes. Raises InputError for a missing file and for
// damaged gzip.
class LineBlockReader {
 public:
  explicit LineBlockReader(const std::string& path);
  std::optional<LineBlock> next();  // none at the end

 private:
  double bytes_;  // of the file
  LineReader lines_;
};

// Raises InputError where a block is not UTF-8, or has a NUL byte.
void check_text(const LineBlock& block, const std::string& path);

}  // namespace nlmt::decoder
