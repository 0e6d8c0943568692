// The entries of a minibatch's examples for the rows of a parameter, sorted by row.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace nlmt::neural {

// Which entries touch a row, in the order of the entries, with work only for the entries.
struct Touched {
  std::vector<int64_t> offset;  // entries of the i-th row that is touched: offset[i], offset[i + 1]
  std::vector<int32_t> entry;

  int64_t count() const { return static_cast<int64_t>(rows_.size()); }
  int64_t row(int64_t i) const { return rows_[i]; }

  // Sorts the entries by row, digit by digit; entries with a negative row are left out, and those
  // of rows that are not `part` modulo `parts`.
  void sort(const std::vector<int32_t>& rows, int64_t row_count, int32_t parts = 1,
            int32_t part = 0) {
    constexpr std::size_t kFew = 1024;  // for which larger digits would take longer to count
    entry.resize(rows.size());
    std::size_t count = 0;
    for (std::size_t e = 0; e < rows.size(); ++e) {  // a branch would be hard to predict
      entry[count] = static_cast<int32_t>(e);
      count += static_cast<std::size_t>(rows[e] >= 0) & (rows[e] % parts == part);
    }
    entry.resize(count);
    other_.resize(entry.size());
    const int bits = entry.size() < kFew ? 8 : 11;
    for (int shift = 0; (row_count - 1) >> shift > 0; shift += bits) {
      if (bits == 8) {
        sort_digit<8>(rows, shift);
      } else {
        sort_digit<11>(rows, shift);
      }
    }
    rows_.clear();
    offset.clear();
    for (std::size_t i = 0; i < entry.size(); ++i) {
      if (i > 0 && rows[entry[i]] == rows_.back()) continue;
      rows_.push_back(rows[entry[i]]);
      offset.push_back(static_cast<int64_t>(i));
    }
    offset.push_back(static_cast<int64_t>(entry.size()));
  }

  // The first row of share `i` of `n` shares with about equally many entries.
  int64_t border(int64_t i, int64_t n) const {
    if (i == 0) return 0;
    if (i == n) return count();
    const int64_t wanted = offset.back() * i / n;
    return std::upper_bound(offset.begin(), offset.end(), wanted) - offset.begin() - 1;
  }

 private:
  template <int kBits>
  void sort_digit(const std::vector<int32_t>& rows, int shift) {
    constexpr int kDigits = 1 << kBits;
    std::array<int32_t, kDigits + 1> next{};
    const auto digit = [&](int32_t e) { return (rows[e] >> shift) & (kDigits - 1); };
    for (const int32_t e : entry) ++next[digit(e) + 1];
    for (int d = 0; d < kDigits; ++d) next[d + 1] += next[d];
    for (const int32_t e : entry) other_[next[digit(e)]++] = e;
    entry.swap(other_);
  }

  std::vector<int32_t> rows_, other_;
};

}  // namespace nlmt::neural
