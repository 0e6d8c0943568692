// The requests of sentences and of n-grams, as arrays.
#pragma once

#include <algorithm>
#include <vector>

#include "arrays.h"
#include "distinct.h"

namespace nlmt {

template <class T>
nb::ndarray<nb::numpy, T> give(const std::vector<T>& from, size_t rows, size_t columns = 0) {
  std::unique_ptr<T[]> data(new T[std::max<size_t>(1, from.size())]);
  std::copy(from.begin(), from.end(), data.get());
  return columns > 0 ? give(std::move(data), {rows, columns}) : give(std::move(data), {rows});
}

inline nb::tuple give(const Requests& requests, size_t context) {
  return nb::make_tuple(give(requests.contexts, requests.starts.size() - 1, context),
                        give(requests.starts, requests.starts.size()),
                        give(requests.words, requests.words.size()),
                        give(requests.of, requests.of.size()));
}

// The n-grams of sentences: `<s>` repeated to the left, `</s>` as the last word.
inline nb::tuple gather_sentences(Array<int32_t, 1> ids, Array<int64_t, 1> offsets, int64_t context,
                                  int32_t begin, int32_t end) {
  const int64_t sentences = static_cast<int64_t>(offsets.shape(0)) - 1;
  const int64_t* at = offsets.data();
  if (sentences < 0 || at[0] < 0 || !std::is_sorted(at, at + sentences + 1) ||
      at[sentences] > static_cast<int64_t>(ids.shape(0))) {
    throw std::invalid_argument("offsets do not fit");
  }
  std::unique_ptr<Requests> requests;
  {
    nb::gil_scoped_release release;
    std::vector<int32_t> text;
    std::vector<int64_t> windows;
    text.reserve(at[sentences] + sentences * (context + 1));
    for (int64_t s = 0; s < sentences; ++s) {
      const int64_t first = static_cast<int64_t>(text.size());
      text.insert(text.end(), context, begin);
      text.insert(text.end(), ids.data() + at[s], ids.data() + at[s + 1]);
      text.push_back(end);
      for (int64_t i = 0; i <= at[s + 1] - at[s]; ++i) windows.push_back(first + i);
    }
    requests = std::make_unique<Requests>(static_cast<int64_t>(windows.size()), context,
                                          [&](int64_t i) { return text.data() + windows[i]; });
  }
  return give(*requests, static_cast<size_t>(context));
}

// The same for n-grams that are given one a row, the context first and the word last.
inline nb::tuple gather_ngrams(Array<int32_t, 2> ngrams) {
  const int64_t width = static_cast<int64_t>(ngrams.shape(1));
  if (width < 2) throw std::invalid_argument("an n-gram holds a context and a word");
  std::unique_ptr<Requests> requests;
  {
    nb::gil_scoped_release release;
    requests = std::make_unique<Requests>(static_cast<int64_t>(ngrams.shape(0)), width - 1,
                                          [&](int64_t i) { return ngrams.data() + i * width; });
  }
  return give(*requests, static_cast<size_t>(width - 1));
}

}  // namespace nlmt
