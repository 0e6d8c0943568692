#include "ngrams.h"

#include <algorithm>

namespace nlmt::evaluation {
namespace {

uint64_t key_of(int32_t node, int32_t word) {
  return (static_cast<uint64_t>(node) << 32 | static_cast<uint32_t>(word)) + 1;
}

size_t slot_of(uint64_t key, size_t mask) {
  return static_cast<size_t>(key * 0x9E3779B97F4A7C15u >> 32) & mask;
}

}  // namespace

NgramMatcher::NgramMatcher(int32_t vocabulary, int order)
    : order_(order), local_(vocabulary, 0), keys_(1024, 0), nodes_(1024, 0) {}

int32_t NgramMatcher::child(int32_t node, int32_t word) const {
  const uint64_t key = key_of(node, word);
  const size_t mask = keys_.size() - 1;
  for (size_t slot = slot_of(key, mask); keys_[slot] != 0; slot = (slot + 1) & mask) {
    if (keys_[slot] == key) return nodes_[slot];
  }
  return 0;
}

int32_t NgramMatcher::add_child(int32_t node, int32_t word) {
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

void NgramMatcher::grow() {
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

void NgramMatcher::set_references(const References& references) {
  for (int32_t word : local_words_) local_[word] = 0;
  local_words_.clear();
  std::fill(keys_.begin(), keys_.end(), 0);
  size_ = 0;
  clip_.assign(1, 0);
  seen_.assign(1, 0);
  for (const Words& words : references) {
    add_reference(words);
    for (int32_t node : touched_) {
      clip_[node] = std::max(clip_[node], seen_[node]);
      seen_[node] = 0;
    }
    touched_.clear();
  }
}

void NgramMatcher::add_reference(Words words) {
  for (int64_t i = 0; i < words.size; ++i) {
    int32_t node = 0;
    for (int64_t j = i; j < std::min(i + order_, words.size); ++j) {
      int32_t& local = local_[words.first[j]];
      if (local == 0) {
        local_words_.push_back(words.first[j]);
        local = static_cast<int32_t>(local_words_.size());
      }
      node = add_child(node, local);
      if (node == static_cast<int32_t>(seen_.size())) {
        seen_.push_back(0);
        clip_.push_back(0);
      }
      if (seen_[node]++ == 0) touched_.push_back(node);
    }
  }
}

void NgramMatcher::count(Words words, int32_t* matches) {
  std::fill(matches, matches + order_, 0);
  for (int64_t i = 0; i < words.size; ++i) {
    int32_t node = 0;
    for (int64_t j = i; j < std::min(i + order_, words.size); ++j) {
      const int32_t local = local_[words.first[j]];
      if (local == 0) break;
      node = child(node, local);
      if (node == 0) break;
      if (seen_[node]++ == 0) touched_.push_back(node);
      matches[j - i] += seen_[node] <= clip_[node];
    }
  }
  for (int32_t node : touched_) seen_[node] = 0;
  touched_.clear();
}

}  // namespace nlmt::evaluation
