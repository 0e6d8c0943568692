#include "search_graph.h"

#include <algorithm>

namespace nlmt::decoder {

void SearchGraph::start(const SentenceOptions& options, std::uint32_t lm_state) {
  options_ = &options;
  width_ = (options.words() + 63) / 64;
  bits_.clear();
  coverages_.clear();
  coverage_slots_.assign(1 << 10, kNone);
  groups_.clear();
  group_slots_.assign(1 << 10, kNone);
  hypotheses_.clear();
  wanted_.assign(width_, 0);
  intern_group(intern_coverage(), 0, 0);
  const float future = coverages_[0].future;
  hypotheses_.push_back({0, future, kNone, kNone, lm_state, 0, kNone});
}

std::uint32_t SearchGraph::extend(std::uint32_t group, std::size_t begin, std::size_t end) {
  const std::uint64_t* old = bits(groups_[group].coverage);
  std::copy(old, old + width_, wanted_.begin());
  for (std::size_t i = begin; i < end; ++i) wanted_[i >> 6] |= std::uint64_t{1} << (i & 63);
  return intern_group(intern_coverage(), begin, end);
}

std::size_t SearchGraph::coverage_slot(const std::uint64_t* wanted) const {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < width_; ++i) hash = combine(hash, wanted[i]);
  const std::size_t mask = coverage_slots_.size() - 1;
  std::size_t at = hash & mask;
  while (coverage_slots_[at] != kNone &&
         !std::equal(wanted, wanted + width_, bits(coverage_slots_[at]))) {
    at = (at + 1) & mask;
  }
  return at;
}

std::uint32_t SearchGraph::intern_coverage() {
  std::size_t at = coverage_slot(wanted_.data());
  if (coverage_slots_[at] != kNone) return coverage_slots_[at];
  const auto number = static_cast<std::uint32_t>(coverages_.size());
  if (2 * (coverages_.size() + 1) > coverage_slots_.size()) {
    coverage_slots_.assign(coverage_slots_.size() * 2, kNone);
    for (std::uint32_t c = 0; c < number; ++c) coverage_slots_[coverage_slot(bits(c))] = c;
    at = coverage_slot(wanted_.data());
  }
  coverage_slots_[at] = number;
  bits_.insert(bits_.end(), wanted_.begin(), wanted_.end());
  const std::size_t n = options_->words();
  Coverage coverage{0, 0, static_cast<std::uint16_t>(n)};
  std::size_t gap = n;  // where the gap at hand begins; n: none
  for (std::size_t i = 0; i <= n; ++i) {
    const bool covered = i == n || ((wanted_[i >> 6] >> (i & 63)) & 1);
    if (covered && gap != n) {
      coverage.future += options_->future(gap, i);
      gap = n;
    } else if (!covered && gap == n) {
      gap = i;
      coverage.first_gap = std::min(coverage.first_gap, static_cast<std::uint16_t>(i));
    }
    coverage.covered = static_cast<std::uint16_t>(coverage.covered + (covered && i < n));
  }
  coverages_.push_back(coverage);
  return number;
}

std::size_t SearchGraph::group_slot(const Group& wanted) const {
  const std::size_t mask = group_slots_.size() - 1;
  const std::uint64_t key = (std::uint64_t{wanted.coverage} << 17) | (wanted.end << 1) |
                            static_cast<std::uint64_t>(wanted.touching);
  for (std::size_t at = mix(key) & mask;; at = (at + 1) & mask) {
    if (group_slots_[at] == kNone) return at;
    const Group& group = groups_[group_slots_[at]];
    if (group.coverage == wanted.coverage && group.end == wanted.end &&
        group.touching == wanted.touching) {
      return at;
    }
  }
}

std::uint32_t SearchGraph::intern_group(std::uint32_t coverage, std::size_t begin,
                                        std::size_t end) {
  std::size_t block = begin;
  const std::uint64_t* covered = bits(coverage);
  while (block > 0 && ((covered[(block - 1) >> 6] >> ((block - 1) & 63)) & 1)) --block;
  Group wanted{coverage,
               static_cast<std::uint16_t>(end),
               static_cast<std::uint16_t>(block),
               block == begin && block > 0,
               {-1, -1, -1, -1},
               0};
  if (coverages_[coverage].covered == options_->words()) {
    wanted.end = wanted.block = 0;  // nothing follows: all complete hypotheses are alike
    wanted.touching = false;
  }
  std::size_t at = group_slot(wanted);
  if (group_slots_[at] != kNone) return group_slots_[at];
  const auto number = static_cast<std::uint32_t>(groups_.size());
  if (2 * (groups_.size() + 1) > group_slots_.size()) {
    group_slots_.assign(group_slots_.size() * 2, kNone);
    for (std::uint32_t g = 0; g < number; ++g) group_slots_[group_slot(groups_[g])] = g;
    at = group_slot(wanted);
  }
  group_slots_[at] = number;
  groups_.push_back(wanted);
  return number;
}

}  // namespace nlmt::decoder
