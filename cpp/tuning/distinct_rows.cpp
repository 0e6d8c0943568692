#include "distinct_rows.h"

#include <algorithm>
#include <cstring>

namespace nlmt::tuning {
namespace {

uint64_t hash_of(int32_t sentence, const double* features, int64_t width) {
  uint64_t hash = static_cast<uint32_t>(sentence);
  for (int64_t f = 0; f < width; ++f) {
    const double value = features[f] + 0.0;  // -0 equals 0
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

std::vector<int64_t> distinct_rows(const int32_t* sentence, const double* features, int64_t rows,
                                   int64_t width) {
  size_t slots = 16;
  while (slots < 2 * static_cast<size_t>(rows)) slots *= 2;
  std::vector<int64_t> table(slots, -1), kept;
  for (int64_t row = 0; row < rows; ++row) {
    const double* values = features + row * width;
    size_t slot = hash_of(sentence[row], values, width) & (slots - 1);
    while (table[slot] >= 0) {
      const int64_t other = table[slot];
      if (sentence[other] == sentence[row] &&
          std::equal(values, values + width, features + other * width)) {
        break;
      }
      slot = (slot + 1) & (slots - 1);
    }
    if (table[slot] >= 0) continue;
    table[slot] = row;
    kept.push_back(row);
  }
  return kept;
}

}  // namespace nlmt::tuning
