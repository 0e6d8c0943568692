// What the examples of a minibatch say about the rows of a parameter, sorted by row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nlmt {

// Which entries touch a row, in the order of the entries.
struct Touched {
  std::vector<int64_t> offset;
  std::vector<int32_t> entry;

  // Sorts the entries by row; entries with a negative row are left out.
  void sort(const std::vector<int32_t>& rows, int64_t row_count) {
    offset.assign(row_count + 1, 0);
    for (const int32_t r : rows) {
      if (r >= 0) ++offset[r + 1];
    }
    for (int64_t r = 0; r < row_count; ++r) offset[r + 1] += offset[r];
    next_.assign(offset.begin(), offset.end() - 1);
    entry.resize(offset.back());
    for (std::size_t e = 0; e < rows.size(); ++e) {
      if (rows[e] >= 0) entry[next_[rows[e]]++] = static_cast<int32_t>(e);
    }
  }

  // The first row of share `i` of `n` shares with about equally many entries.
  int64_t border(int64_t i, int64_t n) const {
    const int64_t rows = static_cast<int64_t>(offset.size()) - 1;
    if (i == 0) return 0;
    if (i == n) return rows;
    const int64_t wanted = offset.back() * i / n;
    return std::upper_bound(offset.begin(), offset.end(), wanted) - offset.begin() - 1;
  }

 private:
  std::vector<int64_t> next_;
};

}  // namespace nlmt
