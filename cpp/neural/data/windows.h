// N-grams out of a text that is a stream of events.
#pragma once

#include <algorithm>

#include "arrays.h"

namespace nlmt::neural {

// Rows (n x order): the words before each event, oldest first, then its own. A sentence ends with
// `end`; what lies before its first word is `begin`.
template <class Id>
nb::ndarray<nb::numpy, int32_t> windows(Array<Id, 1> stream, Array<int64_t, 1> events,
                                        int64_t order, int32_t begin, int32_t end) {
  const int64_t size = static_cast<int64_t>(stream.shape(0));
  const size_t n = events.shape(0);
  check(order >= 1 && order <= 1 << 16);
  for (size_t i = 0; i < n; ++i) {
    check(events.data()[i] >= 0 && events.data()[i] < size, "no such event");
  }
  std::unique_ptr<int32_t[]> rows(new int32_t[std::max<size_t>(1, n * order)]);
  {
    nb::gil_scoped_release release;
    for (size_t i = 0; i < n; ++i) {
      const int64_t event = events.data()[i];
      const Id* at = stream.data() + event;
      int32_t* row = rows.get() + i * order;
      int64_t j = order - 1, before = event;
      row[j] = *at;
      while (j > 0 && before > 0 && *(at - 1) != end) {
        row[--j] = *--at;
        --before;
      }
      std::fill_n(row, j, begin);
    }
  }
  return give(std::move(rows), {n, static_cast<size_t>(order)});
}

}  // namespace nlmt::neural
