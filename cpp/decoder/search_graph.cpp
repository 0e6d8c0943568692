#include "search_graph.h"

#include <algorithm>

namespace nlmt::decoder {

void SearchGraph::start(const SentenceOptions& options, std::uint32_t lm_state) {
  options_ = &options;
  width_ = (options.words() + 63) / 64;
  bits_.clear();
  coverages_.clear();
  coverage_numbers_.clear();
  groups_.clear();
  group_numbers_.clear();
  hypotheses_.clear();
  extended_.clear();
  wanted_.assign(width_, 0);
  intern_group(intern_coverage(), 0, 0);
  const float future = coverages_[0].future;
  hypotheses_.push_back({0, future, kNone, kNone, lm_state, 0, kNone});
}

std::uint32_t SearchGraph::extend(std::uint32_t group, std::size_t begin, std::size_t end) {
  const std::uint32_t coverage = groups_[group].coverage;
  const auto [extended, made] =
      extended_.emplace((std::uint64_t{coverage} << 32) | (begin << 16) | end);
  if (made) {
    const std::uint64_t* old = bits(coverage);
    std::copy(old, old + width_, wanted_.begin());
    for (std::size_t i = begin; i < end; ++i) wanted_[i >> 6] |= std::uint64_t{1} << (i & 63);
    extended->group = intern_group(intern_coverage(), begin, end);
  }
  return extended->group;
}

std::uint32_t SearchGraph::intern_coverage() {
  std::uint64_t hash = 0;
  for (const std::uint64_t part : wanted_) hash = combine(hash, part);
  const std::uint32_t number = coverage_numbers_.intern(hash, [&](std::uint32_t other) {
    return std::equal(wanted_.begin(), wanted_.end(), bits(other));
  });
  if (number < coverages_.size()) return number;
  bits_.insert(bits_.end(), wanted_.begin(), wanted_.end());
  const std::size_t n = options_->words();
  Coverage coverage{0, 0, static_cast<std::uint16_t>(n)};
  std::size_t gap = n;  // where the current gap begins; n: none
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
  const std::uint64_t key = (std::uint64_t{wanted.coverage} << 17) | (wanted.end << 1) |
                            static_cast<std::uint64_t>(wanted.touching);
  const std::uint32_t number = group_numbers_.intern(mix(key), [&](std::uint32_t other) {
    const Group& group = groups_[other];
    return group.coverage == wanted.coverage && group.end == wanted.end &&
           group.touching == wanted.touching;
  });
  if (number == groups_.size()) groups_.push_back(wanted);
  return number;
}

}  // namespace nlmt::decoder
