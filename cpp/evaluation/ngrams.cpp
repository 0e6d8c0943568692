#include "ngrams.h"

#include <algorithm>

namespace nlmt::evaluation {

void NgramMatcher::set_references(const References& references) {
  for (int32_t word : local_words_) local_[word] = 0;
  local_words_.clear();
  ngrams_.clear();
  clip_.assign(1, 0);
  seen_.assign(1, 0);
  for (const Words& words : references) {
    add_reference(words);
    for (uint32_t node : touched_) {
      clip_[node] = std::max(clip_[node], seen_[node]);
      seen_[node] = 0;
    }
    touched_.clear();
  }
}

void NgramMatcher::add_reference(Words words) {
  for (int64_t i = 0; i < words.size; ++i) {
    uint32_t node = 0;
    for (int64_t j = i; j < std::min(i + order_, words.size); ++j) {
      int32_t& local = local_[words.first[j]];
      if (local == 0) {
        local_words_.push_back(words.first[j]);
        local = static_cast<int32_t>(local_words_.size());
      }
      node = ngrams_.add(node, static_cast<uint32_t>(local));
      if (node == seen_.size()) {
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
    uint32_t node = 0;
    for (int64_t j = i; j < std::min(i + order_, words.size); ++j) {
      const int32_t local = local_[words.first[j]];
      if (local == 0) break;
      node = ngrams_.child(node, static_cast<uint32_t>(local));
      if (node == WordTrie::kNone) break;
      if (seen_[node]++ == 0) touched_.push_back(node);
      matches[j - i] += seen_[node] <= clip_[node];
    }
  }
  for (uint32_t node : touched_) seen_[node] = 0;
  touched_.clear();
}

}  // namespace nlmt::evaluation
