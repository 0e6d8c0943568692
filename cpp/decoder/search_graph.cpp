#include "search_graph.h"

#include <algorithm>

namespace nlmt::decoder {

void SearchGraph::start(const SentenceOptions& options, std::uint32_t lm_state) {
  options_ = &options;
  key_size_ = (options.words() + 63) / 64 + 1;
  keys_.clear();
  groups_.clear();
  hypotheses_.clear();
  add_group(std::vector<std::uint64_t>(key_size_, 0).data());
  hypotheses_.push_back({0, groups_[0].future, kNone, kNone, lm_state, 0, kNone});
}

void SearchGraph::extend(std::uint32_t group, std::size_t begin, std::size_t end,
                         std::vector<std::uint64_t>& key) const {
  const std::uint64_t* old = keys_.data() + group * key_size_;
  key.assign(old, old + key_size_);
  for (std::size_t i = begin; i < end; ++i) key[i >> 6] |= std::uint64_t{1} << (i & 63);
  // Nothing follows the last span: all complete hypotheses are alike.
  const bool last = groups_[group].covered + (end - begin) == options_->words();
  const bool touching = begin > 0 && !covers(old, begin - 1);
  key.back() = last ? 0 : 2 * end + touching;
}

std::uint32_t SearchGraph::add_group(const std::uint64_t* key) {
  find_gaps(key, gaps_);
  Group group{0, 0, 0, 0, 0, false, {-1, -1, -1, -1}, 0};
  std::size_t left = 0;
  for (const Gap& gap : gaps_) {
    group.future += gap.future;
    left += gap.end - gap.begin;
  }
  const std::uint64_t last = key[key_size_ - 1];
  std::size_t block = last >> 1;
  while (block > 0 && covers(key, block - 1)) --block;
  group.covered = static_cast<std::uint16_t>(options_->words() - left);
  group.first_gap = static_cast<std::uint16_t>(gaps_.empty() ? options_->words() : gaps_[0].begin);
  group.end = static_cast<std::uint16_t>(last >> 1);
  group.block = static_cast<std::uint16_t>(block);
  group.touching = last & 1;
  keys_.insert(keys_.end(), key, key + key_size_);
  groups_.push_back(group);
  return groups() - 1;
}

void SearchGraph::find_gaps(const std::uint64_t* key, std::vector<Gap>& gaps) const {
  gaps.clear();
  const std::size_t n = options_->words();
  std::size_t begin = n;  // of the current gap; n: there is none
  for (std::size_t i = 0; i <= n; ++i) {
    const bool covered = i == n || covers(key, i);
    if (covered && begin != n) {
      gaps.push_back({begin, i, options_->future(begin, i)});
      begin = n;
    } else if (!covered && begin == n) {
      begin = i;
    }
  }
}

float SearchGraph::future_after(const std::vector<Gap>& gaps, std::size_t begin,
                                std::size_t end) const {
  float sum = 0;  // from left to right, so that equal coverage has equal estimates
  for (const Gap& gap : gaps) {
    if (end <= gap.begin || gap.end <= begin) {
      sum += gap.future;
      continue;
    }
    if (gap.begin < begin) sum += options_->future(gap.begin, begin);
    if (end < gap.end) sum += options_->future(end, gap.end);
  }
  return sum;
}

}  // namespace nlmt::decoder
