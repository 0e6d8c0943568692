// A minibatch of sentences as columns of words that are read in parallel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace nlmt::neural {

// The words that are predicted, column by column, the longest sentence first: sentence i of column
// t has row begin(t) + i.
class Columns {
 public:
  // From rows (count x width) of `<s>`, words, `</s>`, then -1.
  void arrange(const int32_t* words, int64_t count, int64_t width) {
    std::vector<int64_t> length(count);
    for (int64_t i = 0; i < count; ++i) {
      const int32_t* row = words + i * width;
      while (length[i] + 1 < width && row[length[i] + 1] >= 0) ++length[i];
    }
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int64_t a, int64_t b) { return length[a] > length[b]; });
    begin_.assign(1, 0);
    this->words.clear();
    targets.clear();
    for (int64_t t = 0, active = count; t + 1 < width; ++t) {
      while (active > 0 && length[order_[active - 1]] <= t) --active;
      if (active == 0) break;
      for (int64_t i = 0; i < active; ++i) {
        const int32_t* row = words + order_[i] * width;
        this->words.push_back(row[t]);
        targets.push_back(row[t + 1]);
      }
      begin_.push_back(begin_.back() + active);
    }
  }

  std::vector<int32_t> words, targets;  // of each row: the last word, the next one

  int64_t count() const { return static_cast<int64_t>(begin_.size()) - 1; }
  int64_t rows() const { return begin_.back(); }
  int64_t begin(int64_t t) const { return begin_[t]; }
  int64_t active(int64_t t) const { return begin_[t + 1] - begin_[t]; }
  int64_t sentence(int64_t i) const { return order_[i]; }  // as it was given

 private:
  std::vector<int64_t> order_, begin_;
};

}  // namespace nlmt::neural
