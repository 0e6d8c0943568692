// Vectors of the source at places of a text, which is a stream of sentences, each followed by
// `end`; they are made from a row of numbers for each word.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "arrays.h"

namespace nlmt::neural {

template <class Id>
class VectorWriter {
 public:
  VectorWriter(Array<Id, 1> stream, Array<float, 2> table, int64_t side, int32_t end)
      : stream_(stream.data()),
        size_(static_cast<int64_t>(stream.shape(0))),
        table_(table.data()),
        words_(static_cast<int64_t>(table.shape(0))),
        dim_(static_cast<int64_t>(table.shape(1))),
        side_(side),
        end_(end) {
    check(side >= 0 && side <= 1 << 16);
    check(size_ == 0 || stream_[size_ - 1] == end_, "a text ends with a sentence");
  }

  // Of the whole sentence without its end: the sum over its different words of log(1 + tf) row.
  void sentence(int64_t place, float* out) {
    int64_t first = place, last = place;
    while (first > 0 && stream_[first - 1] != end_) --first;
    while (stream_[last] != end_) ++last;
    sorted_.assign(stream_ + first, stream_ + last);
    std::sort(sorted_.begin(), sorted_.end());
    for (auto at = sorted_.begin(); at != sorted_.end();) {
      const auto next = std::upper_bound(at, sorted_.end(), *at);
      add(*at, static_cast<float>(std::log(1 + static_cast<double>(next - at))), out);
      at = next;
    }
  }

  // The mean over the places of the sentence, its end among them, up to `side` away.
  void average(int64_t place, float* out) const {
    const auto [first, last] = window(place);
    for (int64_t i = first; i <= last; ++i) add(stream_[i], 1.0f, out);
    const float count = static_cast<float>(last - first + 1);
    for (int64_t d = 0; d < dim_; ++d) out[d] /= count;
  }

  // The rows of the same places side by side, zeros where there are none.
  void concatenate(int64_t place, float* out) const {
    const auto [first, last] = window(place);
    for (int64_t i = first; i <= last; ++i) add(stream_[i], 1.0f, out + (i - place + side_) * dim_);
  }

  // The vectors of places as rows.
  nb::ndarray<nb::numpy, float> write(const std::string& kind, Array<int64_t, 1> places) {
    check(kind == "lsa" || kind == "averaged" || kind == "concatenated", "unknown kind of vector");
    const int64_t width = kind == "concatenated" ? (2 * side_ + 1) * dim_ : dim_;
    const size_t n = places.shape(0);
    std::unique_ptr<float[]> rows(new float[std::max<size_t>(1, n * width)]());
    {
      nb::gil_scoped_release release;
      for (size_t i = 0; i < n; ++i) {
        const int64_t place = places.data()[i];
        check(place >= 0 && place < size_, "no such source event");
        float* out = rows.get() + i * width;
        if (kind == "lsa") {
          sentence(place, out);
        } else if (kind == "averaged") {
          average(place, out);
        } else {
          concatenate(place, out);
        }
      }
    }
    return give(std::move(rows), {n, static_cast<size_t>(width)});
  }

 private:
  void add(int64_t word, float weight, float* out) const {
    check(word >= 0 && word < words_, "word out of range");
    const float* from = table_ + word * dim_;
    for (int64_t d = 0; d < dim_; ++d) out[d] += weight * from[d];
  }
  // The first and the last place of the sentence that are up to `side` away.
  std::pair<int64_t, int64_t> window(int64_t place) const {
    int64_t first = place, last = place;
    while (first > 0 && place - first < side_ && stream_[first - 1] != end_) --first;
    while (last - place < side_ && stream_[last] != end_) ++last;
    return {first, last};
  }

  const Id* stream_;
  int64_t size_;
  const float* table_;
  int64_t words_, dim_, side_;
  int32_t end_;
  std::vector<Id> sorted_;
};

// The vectors of places as rows; `kind` is `lsa`, `averaged` or `concatenated`.
template <class Id>
nb::ndarray<nb::numpy, float> source_vectors(const std::string& kind, Array<Id, 1> stream,
                                             Array<int64_t, 1> places, int64_t side,
                                             Array<float, 2> table, int32_t end) {
  return VectorWriter<Id>(stream, table, side, end).write(kind, places);
}

}  // namespace nlmt::neural
