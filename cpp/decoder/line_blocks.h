// Reading large text files, plain or gzip: one thread decompresses, others parse.
#pragma once

#include <cstddef>
#include <deque>
#include <future>
#include <memory>
#include <string>

#include "errors.h"

namespace nlmt::decoder {

// Some whole lines of a file; the last one may lack its newline.
struct LineBlock {
  std::string text;
  std::size_t first_line;  // counted from 1
};

// Hands out a file in blocks of a few megabytes. Raises InputError for a missing file, a damaged
// gzip stream, and text that is not UTF-8.
class LineBlockReader {
 public:
  explicit LineBlockReader(const std::string& path);
  bool next(LineBlock& block);  // false at the end

 private:
  struct Close {
    void operator()(void* file) const;
  };

  std::string path_;
  std::unique_ptr<void, Close> file_;
  std::string rest_;
  std::size_t line_ = 1;
};

// Calls merge(parse(block)) for the blocks of a file in their order; parse runs in other threads.
template <class Parse, class Merge>
void parse_file(const std::string& path, int threads, const Parse& parse, const Merge& merge) {
  using Parsed = decltype(parse(std::declval<const LineBlock&>()));
  LineBlockReader reader(path);
  std::deque<std::future<Parsed>> waiting;
  LineBlock block;
  const auto merge_first = [&] {
    Parsed parsed = waiting.front().get();
    waiting.pop_front();
    merge(std::move(parsed));
  };
  while (reader.next(block)) {
    waiting.push_back(std::async(std::launch::async,
                                 [&parse, block = std::move(block)] { return parse(block); }));
    if (waiting.size() > static_cast<std::size_t>(threads)) merge_first();
  }
  while (!waiting.empty()) merge_first();
}

}  // namespace nlmt::decoder
