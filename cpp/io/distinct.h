// Which rows of a ragged array are equal.
#pragma once

#include <cstdint>
#include <vector>

namespace nlmt {

struct Distinct {
  std::vector<int64_t> first;    // (distinct) the first row of each kind, upwards
  std::vector<int32_t> inverse;  // (rows) the number of each row's kind
};

// Row i is ids[offsets[i]] up to ids[offsets[i + 1]].
Distinct find_distinct(const int32_t* ids, const int64_t* offsets, int64_t rows);

}  // namespace nlmt
