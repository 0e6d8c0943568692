// Windows of source words, for models that are conditioned on the source.
#pragma once

#include <algorithm>
#include <memory>

#include "arrays.h"

namespace nlmt::neural {

// The words around events of a text, which is a stream of sentences, each followed by `end`: `side`
// words on either side, `begin` before the sentence and `end` from its end on (Devlin et al. 2014).
// `shift` is added to every word.
template <class Id>
class SourceWindows {
 public:
  SourceWindows(Array<Id, 1> stream, Array<int64_t, 1> events, int64_t side, int32_t begin,
                int32_t end, int32_t shift)
      : stream_(stream), events_(events), side_(side), begin_(begin), end_(end), shift_(shift) {
    check(side >= 0 && side <= 1 << 16);
    check(places() == 0 || stream.data()[places() - 1] == end, "a text ends with a sentence");
    for (int64_t i = 0; i < count(); ++i) {
      check(events.data()[i] >= 0 && events.data()[i] < places(), "no such source event");
    }
  }
  int64_t count() const { return static_cast<int64_t>(events_.shape(0)); }
  int64_t places() const { return static_cast<int64_t>(stream_.shape(0)); }
  int64_t place(int64_t i) const { return events_.data()[i]; }
  int64_t width() const { return 2 * side_ + 1; }

  void write(int64_t i, int32_t* out) const {
    const Id* stream = stream_.data();
    const int64_t event = place(i);
    int64_t j = side_;
    for (int64_t e = event; j > 0 && e > 0 && stream[e - 1] != end_; --e) {
      out[--j] = stream[e - 1] + shift_;
    }
    std::fill_n(out, j, begin_ + shift_);
    j = side_;
    for (int64_t e = event; j < width() && stream[e] != end_; ++e) out[j++] = stream[e] + shift_;
    std::fill(out + j, out + width(), end_ + shift_);
  }

 private:
  Array<Id, 1> stream_;
  Array<int64_t, 1> events_;
  int64_t side_;
  int32_t begin_, end_, shift_;
};

// The windows as rows.
template <class Id>
nb::ndarray<nb::numpy, int32_t> source_windows(Array<Id, 1> stream, Array<int64_t, 1> events,
                                               int64_t side, int32_t begin, int32_t end,
                                               int32_t shift) {
  const SourceWindows<Id> windows(stream, events, side, begin, end, shift);
  const int64_t n = windows.count(), width = windows.width();
  std::unique_ptr<int32_t[]> rows(new int32_t[std::max<int64_t>(1, n * width)]);
  {
    nb::gil_scoped_release release;
    for (int64_t i = 0; i < n; ++i) windows.write(i, rows.get() + i * width);
  }
  return give(std::move(rows), {static_cast<size_t>(n), static_cast<size_t>(width)});
}

}  // namespace nlmt::neural
