// Grouping of equal rows of integers: the n-grams that many sentences of an n-best list share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hashing.h"
#include "interner.h"

namespace nlmt::neural {

// Numbers equal rows of `width` integers alike, in the order in which they first appear.
class DistinctRows {
 public:
  explicit DistinctRows(int64_t width) : width_(width) {}

  // The number of a row; rows are copied.
  int64_t add(const int32_t* row) {
    uint64_t hash = 0;
    for (int64_t i = 0; i < width_; ++i) hash = fold(hash, static_cast<uint32_t>(row[i]));
    const int64_t number = numbers_.intern(mix(hash), [&](uint32_t other) {
      return std::equal(row, row + width_, rows_.data() + other * width_);
    });
    if (number * width_ == static_cast<int64_t>(rows_.size())) {
      rows_.insert(rows_.end(), row, row + width_);
    }
    return number;
  }

  int64_t count() const { return static_cast<int64_t>(numbers_.size()); }
  const std::vector<int32_t>& rows() const { return rows_; }

 private:
  int64_t width_;
  Interner numbers_;
  std::vector<int32_t> rows_;
};

// The requests of a batch of n-grams, each context and each n-gram once, contexts in one order.
struct Requests {
  std::vector<int32_t> contexts;  // (contexts x context length)
  std::vector<int64_t> starts;    // the words of context i: words[starts[i]:starts[i + 1]]
  std::vector<int32_t> words;
  std::vector<int64_t> of;  // for each n-gram asked for, its place in `words`

  // window(i): `context` words and the word after them, of the i-th of n n-grams.
  template <class Window>
  Requests(int64_t n, int64_t context, Window window) : of(n) {
    DistinctRows distinct_contexts(context);
    DistinctRows distinct_ngrams(3);
    for (int64_t i = 0; i < n; ++i) {
      const int32_t* words_of = window(i);
      const int64_t c = distinct_contexts.add(words_of);
      const int32_t ngram[3] = {static_cast<int32_t>(c & 0x7fffffff), static_cast<int32_t>(c >> 31),
                                words_of[context]};
      of[i] = distinct_ngrams.add(ngram);
    }
    // Counting sort of the n-grams by their context.
    const int64_t count = distinct_contexts.count(), ngrams = distinct_ngrams.count();
    const std::vector<int32_t>& rows = distinct_ngrams.rows();
    const auto context_of = [&](int64_t g) {
      return static_cast<int64_t>(rows[3 * g]) | static_cast<int64_t>(rows[3 * g + 1]) << 31;
    };
    starts.assign(count + 1, 0);
    for (int64_t g = 0; g < ngrams; ++g) ++starts[context_of(g) + 1];
    for (int64_t c = 0; c < count; ++c) starts[c + 1] += starts[c];
    std::vector<int64_t> next(starts.begin(), starts.end() - 1), place(ngrams);
    words.resize(ngrams);
    for (int64_t g = 0; g < ngrams; ++g) {
      place[g] = next[context_of(g)]++;
      words[place[g]] = rows[3 * g + 2];
    }
    for (int64_t& one : of) one = place[one];
    contexts = distinct_contexts.rows();
  }

  // Replaces the last of each context's `width` integers by the row that it numbers.
  void replace_last(int64_t width, const std::vector<int32_t>& rows, int64_t columns) {
    const int64_t count = static_cast<int64_t>(starts.size()) - 1;
    std::vector<int32_t> replaced;
    replaced.reserve(count * (width - 1 + columns));
    for (int64_t c = 0; c < count; ++c) {
      const int32_t* own = contexts.data() + c * width;
      const int32_t* row = rows.data() + own[width - 1] * columns;
      replaced.insert(replaced.end(), own, own + width - 1);
      replaced.insert(replaced.end(), row, row + columns);
    }
    contexts = std::move(replaced);
  }
};

}  // namespace nlmt::neural
