// Detection of hypotheses with equal features, which no weights can distinguish.
#pragma once

#include <cstdint>
#include <vector>

namespace nlmt::tuning {

// The rows, in order, that are the first with their features in their sentence. features: row-major
// (rows, width).
std::vector<int64_t> distinct_rows(const int32_t* sentence, const double* features, int64_t rows,
                                   int64_t width);

}  // namespace nlmt::tuning
