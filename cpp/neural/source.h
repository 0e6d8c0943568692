// The source side of models that are conditioned on it: affiliation, and windows of words.
#pragma once

#include <algorithm>
#include <vector>

#include "affiliation.h"
#include "arrays.h"

namespace nlmt {

// The words around events of a text that is a stream of sentences, each with `end` behind it:
// `side` on either side, `begin` before the sentence and `end` from its end on (Devlin et al.
// 2014). `shift` is added to every word.
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

// Positions of the words of target sentences and of their ends, from text[starts[i]:starts[i + 1]]
// for each pair of sentences. With them the first row that is wrong, or -1, and what is.
inline nb::tuple affiliate(const nb::bytes& text, Array<int64_t, 1> starts,
                           Array<int64_t, 1> source_lengths, Array<int64_t, 1> target_lengths,
                           bool columns) {
  const int64_t n = static_cast<int64_t>(source_lengths.shape(0));
  const int64_t* at = starts.data();
  check(static_cast<int64_t>(starts.shape(0)) == n + 1 &&
        static_cast<int64_t>(target_lengths.shape(0)) == n && at[0] >= 0 &&
        std::is_sorted(at, at + n + 1) && at[n] <= static_cast<int64_t>(text.size()));
  const std::string_view all(text.c_str(), text.size());
  std::vector<int32_t> positions;
  std::string what;
  int64_t bad = -1;
  {
    nb::gil_scoped_release release;
    Affiliation affiliation;
    for (int64_t i = 0; i < n && bad < 0; ++i) {
      const int64_t words = target_lengths.data()[i];
      try {
        affiliation.read(all.substr(at[i], at[i + 1] - at[i]), source_lengths.data()[i], words,
                         columns);
      } catch (const std::invalid_argument& error) {
        what = error.what();
        bad = i;
        break;
      }
      positions.resize(positions.size() + words + 1);
      affiliation.write(positions.data() + positions.size() - (words + 1));
    }
  }
  std::unique_ptr<int32_t[]> result(new int32_t[std::max<std::size_t>(1, positions.size())]);
  std::copy(positions.begin(), positions.end(), result.get());
  return nb::make_tuple(give(std::move(result), {positions.size()}), bad, what);
}

}  // namespace nlmt
