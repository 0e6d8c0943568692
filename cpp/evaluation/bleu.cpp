#include "bleu.h"

#include <algorithm>
#include <cstdlib>

namespace nlmt::evaluation {

void BleuStatistics::set_references(const References& references) {
  matcher_.set_references(references);
  lengths_.clear();
  for (const Words& words : references) lengths_.push_back(words.size);
}

void BleuStatistics::count(Words words, int32_t* out) {
  int32_t matches[kOrder];
  matcher_.count(words, matches);
  for (int n = 0; n < kOrder; ++n) {
    out[2 * n] = matches[n];
    out[2 * n + 1] = static_cast<int32_t>(std::max<int64_t>(words.size - n, 0));
  }
  int64_t closest = lengths_[0];
  for (int64_t length : lengths_) {
    const int64_t distance = std::abs(length - words.size);
    const int64_t best = std::abs(closest - words.size);
    if (distance < best || (distance == best && length < closest)) closest = length;
  }
  out[2 * kOrder] = static_cast<int32_t>(closest);
}

}  // namespace nlmt::evaluation
