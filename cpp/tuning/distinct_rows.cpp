#include "distinct_rows.h"

#include <algorithm>
#include <cstring>

#include "hashing.h"
#include "interner.h"

namespace nlmt::tuning {

std::vector<int64_t> distinct_rows(const int32_t* sentence, const double* features, int64_t rows,
                                   int64_t width) {
  Interner numbers;
  std::vector<int64_t> kept;
  for (int64_t row = 0; row < rows; ++row) {
    const double* values = features + row * width;
    uint64_t hash = static_cast<uint32_t>(sentence[row]);
    for (int64_t f = 0; f < width; ++f) {
      const double value = values[f] + 0.0;  // -0 equals 0
      uint64_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      hash = combine(hash, bits);
    }
    const uint32_t number = numbers.intern(hash, [&](uint32_t other) {
      return sentence[kept[other]] == sentence[row] &&
             std::equal(values, values + width, features + kept[other] * width);
    });
    if (number == kept.size()) kept.push_back(row);
  }
  return kept;
}

}  // namespace nlmt::tuning
