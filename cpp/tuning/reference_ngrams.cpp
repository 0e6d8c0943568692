#include "reference_ngrams.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

namespace nlmt::tuning {

ReferenceNgrams::ReferenceNgrams(const std::vector<std::vector<int32_t>>& references) {
  for (const auto& words : references) {
    lengths_.push_back(static_cast<int64_t>(words.size()));
    std::unordered_map<int32_t, int32_t> counts;
    for (size_t begin = 0; begin < words.size(); ++begin) {
      int32_t node = kStart;
      for (size_t i = begin; i < words.size() && i < begin + kBleuOrder; ++i) {
        node = ngrams_.add(node, words[i]);
        most_.resize(ngrams_.size(), 0);
        most_[node] = std::max(most_[node], ++counts[node]);
      }
    }
  }
  if (!references.empty()) perfect_ = statistics(references[0]);
}

int32_t ReferenceNgrams::next(int32_t state, int32_t word) const {
  for (state = context(state);; state = ngrams_.shorter(state)) {
    const int32_t longer = ngrams_.find(state, word);
    if (longer != io::NgramTrie::kNone) return longer;
    if (state == kStart) return kStart;
  }
}

BleuStatistics ReferenceNgrams::statistics(const std::vector<int32_t>& words) const {
  BleuStatistics found{};
  std::unordered_map<int32_t, int32_t> counts;
  int32_t state = kStart;
  for (const int32_t word : words) {
    state = next(state, word);
    for (int32_t node = state; node != kStart; node = ngrams_.shorter(node)) {
      if (++counts[node] <= most_[node]) ++found[2 * (order(node) - 1)];
    }
  }
  const auto length = static_cast<int64_t>(words.size());
  for (int n = 0; n < kBleuOrder; ++n) {
    found[2 * n + 1] = static_cast<int32_t>(std::max<int64_t>(length - n, 0));
  }
  if (!lengths_.empty()) {
    found[2 * kBleuOrder] = static_cast<int32_t>(
        *std::min_element(lengths_.begin(), lengths_.end(), [&](int64_t a, int64_t b) {
          const int64_t left = std::abs(a - length), right = std::abs(b - length);
          return left != right ? left < right : a < b;
        }));
  }
  return found;
}

}  // namespace nlmt::tuning
