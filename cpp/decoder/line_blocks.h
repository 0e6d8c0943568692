// Reading large text files, plain or gzip: one thread decompresses, others parse.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <future>
#include <optional>
#include <string>
#include <utility>

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

// Calls merge(parse(block)) for the blocks of a file in their order. One thread reads ahead, others
// parse; merge runs in the calling thread.
template <class Parse, class Merge>
void parse_file(const std::string& path, int threads, const Parse& parse, const Merge& merge) {
  using Parsed = decltype(parse(std::declval<const LineBlock&>()));
  LineBlockReader reader(path);
  const auto read = [&reader] { return reader.next(); };
  std::deque<std::future<Parsed>> waiting;
  std::future<std::optional<LineBlock>> ahead = std::async(std::launch::async, read);
  while (std::optional<LineBlock> block = ahead.get()) {
    ahead = std::async(std::launch::async, read);
    waiting.push_back(std::async(std::launch::async, [&parse, &path, block = std::move(*block)] {
      check_text(block, path);
      return parse(block);
    }));
    while (!waiting.empty() &&
           (waiting.size() > static_cast<std::size_t>(threads) ||
            waiting.front().wait_for(std::chrono::seconds(0)) == std::future_status::ready)) {
      merge(waiting.front().get());
      waiting.pop_front();
    }
  }
  for (std::future<Parsed>& parsed : waiting) merge(parsed.get());
}

}  // namespace nlmt::decoder
