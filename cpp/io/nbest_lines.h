// The lines of n-best lists of the same sentences, merged as one list.
//
//   NbestLines lines({"a.gz", "b"});
//   while (lines.next()) use(lines.line(), lines.place());
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "files.h"
#include "nbest_line.h"

namespace nlmt::io {

// Sentences upwards; within one the lists in their order, each with its lines in their order.
class NbestLines {
 public:
  // Takes the first `most` lines of each sentence of each list. Throws InputError if a list's first
  // line is malformed or has other features than the others.
  NbestLines(const std::vector<std::string>& paths, int64_t most);
  NbestLines(const NbestLines&) = delete;
  NbestLines& operator=(const NbestLines&) = delete;

  // Of all lists; empty if all lists are.
  const Layout& layout() const { return layout_; }

  // Steps to the next line; false at the end. Invalidates the former line.
  bool next();
  const NbestLine& line() const { return current_->line; }
  // Its place.
  const LineReader& place() const { return current_->lines; }

 private:
  struct List {
    explicit List(const std::string& path) : lines(path) {}
    LineReader lines;
    NbestLine line{};
    bool has_line = false;
    int64_t rank = 0;  // of the line among those of its sentence
  };

  void advance(List& list) const;

  int64_t most_;
  std::deque<List> lists_;  // which never moves them
  List* current_ = nullptr;
  Layout layout_;
};

}  // namespace nlmt::io
