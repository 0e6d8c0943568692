// Hypotheses that no weights tell apart, found by their features.
#pragma once

#include <cstdint>
#include <vector>

namespace nlmt::tuning {

// The rows that are the first of their sentence with their features, in order. features: row-major
// (rows, width).
std::vector<int64_t> distinct_rows(const int32_t* sentence, const double* features, int64_t rows,
                                   int64_t width);

}  // namespace nlmt::tuning
