#include "distinct.h"

#include <string_view>

#include "word_table.h"

namespace nlmt {

Distinct find_distinct(const int32_t* ids, const int64_t* offsets, int64_t rows) {
  const auto bytes_of = [&](int64_t row) {
    return std::string_view(reinterpret_cast<const char*>(ids + offsets[row]),
                            static_cast<size_t>(offsets[row + 1] - offsets[row]) * sizeof(int32_t));
  };
  size_t slots = 1;
  while (slots < static_cast<size_t>(rows) * 2) slots *= 2;
  std::vector<int32_t> table(slots, -1);  // kinds, at the place of their hash
  Distinct result;
  result.inverse.resize(static_cast<size_t>(rows));
  for (int64_t row = 0; row < rows; ++row) {
    const std::string_view bytes = bytes_of(row);
    size_t at = hash_bytes(bytes) & (slots - 1);
    while (table[at] >= 0 && bytes_of(result.first[table[at]]) != bytes)
      at = (at + 1) & (slots - 1);
    if (table[at] < 0) {
      table[at] = static_cast<int32_t>(result.first.size());
      result.first.push_back(row);
    }
    result.inverse[row] = table[at];
  }
  return result;
}

}  // namespace nlmt
