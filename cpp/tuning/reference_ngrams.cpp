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
      for (size_t i = begin; i < words.size() && i < begin + kNgramOrder; ++i) {
        node = add(node, words[i]);
        int32_t& most = nodes_[node].most;
        most = std::max(most, ++counts[node]);
      }
    }
    // An n-gram without its first word is an n-gram of the same reference, so it has been added
    // before.
    for (size_t begin = 0; begin < words.size(); ++begin) {
      int32_t node = kStart, shorter = kStart;
      for (size_t i = begin; i < words.size() && i < begin + kNgramOrder; ++i) {
        node = child(node, words[i]);
        if (i > begin) shorter = child(shorter, words[i]);
        nodes_[node].shorter = shorter;
      }
    }
  }
  if (!references.empty()) perfect_ = statistics(references[0]);
}

int32_t ReferenceNgrams::add(int32_t node, int32_t word) {
  const uint32_t longer = trie_.add(static_cast<uint32_t>(node), static_cast<uint32_t>(word));
  if (longer == nodes_.size()) nodes_.push_back({kStart, nodes_[node].order + 1});
  return static_cast<int32_t>(longer);
}

int32_t ReferenceNgrams::next(int32_t state, int32_t word) const {
  if (word < 0) return kStart;
  for (state = context(state);; state = nodes_[state].shorter) {
    const int32_t longer = child(state, word);
    if (longer >= 0) return longer;
    if (state == kStart) return kStart;
  }
}

BleuStatistics ReferenceNgrams::statistics(const std::vector<int32_t>& words) const {
  BleuStatistics found{};
  std::unordered_map<int32_t, int32_t> counts;
  int32_t state = kStart;
  for (const int32_t word : words) {
    state = next(state, word);
    for (int32_t node = state; node != kStart; node = nodes_[node].shorter) {
      if (++counts[node] <= nodes_[node].most) ++found[2 * (nodes_[node].order - 1)];
    }
  }
  const auto length = static_cast<int64_t>(words.size());
  for (int n = 0; n < kNgramOrder; ++n) {
    found[2 * n + 1] = static_cast<int32_t>(std::max<int64_t>(length - n, 0));
  }
  if (!lengths_.empty()) {
    found[2 * kNgramOrder] = static_cast<int32_t>(
        *std::min_element(lengths_.begin(), lengths_.end(), [&](int64_t a, int64_t b) {
          const int64_t left = std::abs(a - length), right = std::abs(b - length);
          return left != right ? left < right : a < b;
        }));
  }
  return found;
}

}  // namespace nlmt::tuning
