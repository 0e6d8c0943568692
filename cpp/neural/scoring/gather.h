// The requests of sentences and of n-grams, as arrays.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "arrays.h"
#include "data/source_windows.h"
#include "scoring/requests.h"

namespace nlmt::neural {

inline nb::tuple give(Requests&& requests, size_t context) {
  const size_t contexts = requests.starts.size() - 1;
  return nb::make_tuple(to_numpy(std::move(requests.contexts), {contexts, context}),
                        to_numpy(std::move(requests.starts)), to_numpy(std::move(requests.words)),
                        to_numpy(std::move(requests.of)));
}

// The n-grams of sentences: `<s>` repeated to the left, `</s>` as the last word.
class PaddedText {
 public:
  PaddedText(Array<int32_t, 1> ids, Array<int64_t, 1> offsets, int64_t context, int32_t begin,
             int32_t end) {
    const int64_t sentences = static_cast<int64_t>(offsets.shape(0)) - 1;
    const int64_t* at = offsets.data();
    check(sentences >= 0 && at[0] >= 0 && std::is_sorted(at, at + sentences + 1) &&
              at[sentences] <= static_cast<int64_t>(ids.shape(0)),
          "offsets do not fit");
    text_.reserve(at[sentences] - at[0] + sentences * (context + 1));
    windows_.reserve(at[sentences] - at[0] + sentences);
    for (int64_t s = 0; s < sentences; ++s) {
      const int64_t first = static_cast<int64_t>(text_.size());
      text_.insert(text_.end(), context, begin);
      text_.insert(text_.end(), ids.data() + at[s], ids.data() + at[s + 1]);
      text_.push_back(end);
      for (int64_t i = 0; i <= at[s + 1] - at[s]; ++i) windows_.push_back(first + i);
    }
  }
  int64_t count() const { return static_cast<int64_t>(windows_.size()); }
  const int32_t* window(int64_t i) const { return text_.data() + windows_[i]; }

 private:
  std::vector<int32_t> text_;
  std::vector<int64_t> windows_;
};

inline nb::tuple gather_sentences(Array<int32_t, 1> ids, Array<int64_t, 1> offsets, int64_t context,
                                  int32_t begin, int32_t end) {
  Requests requests = without_gil([&] {
    const PaddedText text(ids, offsets, context, begin, end);
    return Requests(text.count(), context, [&](int64_t i) { return text.window(i); });
  });
  return give(std::move(requests), static_cast<size_t>(context));
}

// N-grams with a number beside each: a context is the history, then the number.
template <class Number>
Requests gather_beside(const PaddedText& text, int64_t context, Number number_of) {
  std::vector<int32_t> row(context + 2);
  return Requests(text.count(), context + 1, [&](int64_t i) {
    const int32_t* ngram = text.window(i);
    std::copy_n(ngram, context, row.data());
    row[context] = number_of(i);
    row[context + 1] = ngram[context];
    return row.data();
  });
}

// As `gather_sentences`, n-grams being one if their numbers are equal too.
inline nb::tuple gather_numbered(Array<int32_t, 1> ids, Array<int64_t, 1> offsets, int64_t context,
                                 Array<int32_t, 1> numbers, int32_t begin, int32_t end) {
  Requests requests = without_gil([&] {
    const PaddedText text(ids, offsets, context, begin, end);
    check(static_cast<int64_t>(numbers.shape(0)) == text.count(),
          "one number for each word and sentence end");
    return gather_beside(text, context, [&](int64_t i) { return numbers.data()[i]; });
  });
  return give(std::move(requests), static_cast<size_t>(context + 1));
}

// The same with the source words around events of `stream`, one for each n-gram: n-grams of equal
// history and equal source words are one. A context is the history, then the source words.
inline nb::tuple gather_given(Array<int32_t, 1> ids, Array<int64_t, 1> offsets, int64_t context,
                              Array<int32_t, 1> stream, Array<int64_t, 1> events, int64_t side,
                              int32_t begin, int32_t end, int32_t shift) {
  const SourceWindows<int32_t> source(stream, events, side, begin, end, shift);
  const int64_t width = source.width();
  Requests requests = without_gil([&] {
    const PaddedText text(ids, offsets, context, begin, end);
    check(source.count() == text.count(), "one source event for each word and sentence end");
    // Windows are numbered: few are different, and a number is hashed faster than a window.
    DistinctRows windows(width);
    std::vector<int64_t> number(source.places(), -1);
    std::vector<int32_t> window(width);
    Requests found = gather_beside(text, context, [&](int64_t i) {
      int64_t& known = number[source.place(i)];
      if (known < 0) {
        source.write(i, window.data());
        known = windows.add(window.data());
      }
      return static_cast<int32_t>(known);
    });
    found.replace_last(context + 1, windows.rows(), width);
    return found;
  });
  return give(std::move(requests), static_cast<size_t>(context + width));
}

// The same for given n-grams, one per row, the context first and the word last.
inline nb::tuple gather_ngrams(Array<int32_t, 2> ngrams) {
  const int64_t width = static_cast<int64_t>(ngrams.shape(1));
  if (width < 2) throw std::invalid_argument("an n-gram holds a context and a word");
  Requests requests = without_gil([&] {
    return Requests(static_cast<int64_t>(ngrams.shape(0)), width - 1,
                    [&](int64_t i) { return ngrams.data() + i * width; });
  });
  return give(std::move(requests), static_cast<size_t>(width - 1));
}

}  // namespace nlmt::neural
