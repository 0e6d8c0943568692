#include "bleu.h"

#include <algorithm>
#include <cstdlib>

namespace nlmt::evaluation {
namespace {

uint64_t key_of(int32_t node, int32_t word) {
  return (static_cast<uint64_t>(node) << 32 | static_cast<uint32_t>(word)) + 1;
}

size_t slot_of(uint64_t key, size_t mask) {
  return static_cast<size_t>(key * 0x9E3779B97F4A7C15u >> 32) & mask;
}

}  // namespace

BleuStatistics::BleuStatistics(int32_t vocabulary)
    : local_(vocabulary, 0), keys_(1024, 0), nodes_(1024, 0) {}

int32_t BleuStatistics::child(int32_t node, int32_t word) const {
  const uint64_t key = key_of(node, word);
  const size_t mask = keys_.size() - 1;
  for (size_t slot = slot_of(key, mask); keys_[slot] != 0; slot = (slot + 1) & mask) {
    if (keys_[slot] == key) return nodes_[slot];
  }
  return 0;
}

int32_t BleuStatistics::add_child(int32_t node, int32_t word) {
  if (const int32_t known = child(node, word)) return known;
  if (4 * static_cast<size_t>(size_ + 1) > keys_.size()) grow();
  const uint64_t key = key_of(node, word);
  const size_t mask = keys_.size() - 1;
  size_t slot = slot_of(key, mask);
  while (keys_[slot] != 0) slot = (slot + 1) & mask;
  keys_[slot] = key;
  nodes_[slot] = ++size_;
  return size_;
}

void BleuStatistics::grow() {
  std::vector<uint64_t> keys(2 * keys_.size(), 0);
  std::vector<int32_t> nodes(keys.size(), 0);
  for (size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i] == 0) continue;
    size_t slot = slot_of(keys_[i], keys.size() - 1);
    while (keys[slot] != 0) slot = (slot + 1) & (keys.size() - 1);
    keys[slot] = keys_[i];
    nodes[slot] = nodes_[i];
  }
  keys_.swap(keys);
  nodes_.swap(nodes);
}

void BleuStatistics::set_references(
    const std::vector<std::pair<const int32_t*, int64_t>>& references) {
  for (int32_t word : local_words_) local_[word] = 0;
  local_words_.clear();
  lengths_.clear();
  std::fill(keys_.begin(), keys_.end(), 0);
  size_ = 0;
  clip_.assign(1, 0);
  seen_.assign(1, 0);
  for (const auto& [words, length] : references) {
    lengths_.push_back(length);
    for (int64_t i = 0; i < length; ++i) {
      int32_t node = 0;
      for (int64_t j = i; j < std::min(i + kOrder, length); ++j) {
        if (local_[words[j]] == 0) {
          local_words_.push_back(words[j]);
          local_[words[j]] = static_cast<int32_t>(local_words_.size());
        }
        node = add_child(node, local_[words[j]]);
        if (node == static_cast<int32_t>(seen_.size())) {
          seen_.push_back(0);
          clip_.push_back(0);
        }
        if (seen_[node]++ == 0) touched_.push_back(node);
      }
    }
    for (int32_t node : touched_) {
      clip_[node] = std::max(clip_[node], seen_[node]);
      seen_[node] = 0;
    }
    touched_.clear();
  }
}

void BleuStatistics::count(const int32_t* words, int64_t length, int32_t* out) {
  std::array<int32_t, kOrder> matches{};
  for (int64_t i = 0; i < length; ++i) {
    int32_t node = 0;
    for (int64_t j = i; j < std::min(i + kOrder, length); ++j) {
      const int32_t word = local_[words[j]];
      if (word == 0) break;
      node = child(node, word);
      if (node == 0) break;
      if (seen_[node]++ == 0) touched_.push_back(node);
      matches[j - i] += seen_[node] <= clip_[node];
    }
  }
  for (int32_t node : touched_) seen_[node] = 0;
  touched_.clear();
  for (int n = 0; n < kOrder; ++n) {
    out[2 * n] = matches[n];
    out[2 * n + 1] = static_cast<int32_t>(std::max<int64_t>(length - n, 0));
  }
  int64_t closest = lengths_.empty() ? 0 : lengths_[0];
  for (int64_t candidate : lengths_) {
    const int64_t distance = std::abs(candidate - length), best = std::abs(closest - length);
    if (distance < best || (distance == best && candidate < closest)) closest = candidate;
  }
  out[2 * kOrder] = static_cast<int32_t>(closest);
}

}  // namespace nlmt::evaluation
