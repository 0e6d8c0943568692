// Word classes, with contiguous rows for the words of a class.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace nlmt::neural {

struct Classes {
  std::vector<int> of;         // class of a word, -1 for none
  std::vector<int> row;        // row of a word in the word layer
  std::vector<int64_t> start;  // rows of class c: start[c] to start[c + 1]

  Classes(const int32_t* classes, int64_t words, int64_t count)
      : of(classes, classes + words), row(words), start(count + 1) {
    for (const int c : of) {
      if (c < -1 || c >= count) throw std::invalid_argument("class out of range");
      if (c >= 0) ++start[c + 1];
    }
    for (int64_t c = 0; c < count; ++c) start[c + 1] += start[c];
    std::vector<int64_t> next(start.begin(), start.end() - 1);
    for (int64_t w = 0; w < words; ++w) {
      row[w] = of[w] < 0 ? -1 : static_cast<int>(next[of[w]]++);
    }
  }
  int64_t count() const { return static_cast<int64_t>(start.size()) - 1; }
  int64_t words() const { return static_cast<int64_t>(of.size()); }
  int64_t size(int64_t c) const { return start[c + 1] - start[c]; }
  int64_t largest() const {  // number of its words
    int64_t result = 1;
    for (int64_t c = 0; c < count(); ++c) result = std::max(result, size(c));
    return result;
  }
};

}  // namespace nlmt::neural
