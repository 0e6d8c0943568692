#include "line_search.h"

#include <algorithm>
#include <cstring>

namespace nlmt::tuning {
namespace {

// How far beyond the outermost threshold to go where the best interval has no end.
constexpr double kBeyond = 0.1;

}  // namespace

SlopeRange::SlopeRange(const Lists& lists, const double* slopes) {
  for (int64_t s = 0; s < lists.sentences(); ++s) {
    const double* from = slopes + lists.begin(s);
    const auto [low, high] = std::minmax_element(from, from + std::max<int64_t>(lists.size(s), 1));
    lowest.push_back(lists.size(s) ? *low : 0);
    highest.push_back(lists.size(s) ? *high : 0);
  }
}

Step LineSearch::find(const double* scores, const double* slopes, const SlopeRange& range) {
  const Objective& objective = lists_.objective();
  const int width = objective.width();
  Sums sums{};
  changes_.clear();
  for (int64_t s = 0; s < lists_.sentences(); ++s) {
    if (lists_.size(s) == 0) continue;
    const int64_t begin = lists_.begin(s);
    const auto& pieces = envelope_.find(scores + begin, slopes + begin, lists_.padded(s),
                                        range.lowest[s], range.highest[s]);
    int32_t row = static_cast<int32_t>(begin + pieces[0].line);
    const int32_t* values = lists_.statistics(row);
    for (int k = 0; k < width; ++k) sums[k] += values[k];
    for (size_t p = 1; p < pieces.size(); ++p) {
      const int32_t next = static_cast<int32_t>(begin + pieces[p].line);
      if (std::memcmp(values, lists_.statistics(next), width * sizeof(int32_t)) != 0) {
        changes_.push_back({pieces[p].from, row, next});
        row = next;
        values = lists_.statistics(row);
      }
    }
  }
  if (changes_.empty()) return {0, objective.value(sums)};
  std::sort(changes_.begin(), changes_.end(),
            [](const Change& a, const Change& b) { return a.at < b.at; });

  Step best{changes_[0].at - kBeyond, objective.value(sums)};
  const size_t count = changes_.size();
  for (size_t i = 0; i < count; ++i) {
    const int32_t* from = lists_.statistics(changes_[i].from);
    const int32_t* to = lists_.statistics(changes_[i].to);
    for (int k = 0; k < width; ++k) sums[k] += to[k] - from[k];
    const double left = changes_[i].at;
    if (i + 1 < count && changes_[i + 1].at - left < kNarrow) continue;
    if (!objective.may_exceed(sums, best.value)) continue;
    const double value = objective.value(sums);
    if (value <= best.value) continue;
    best = {i + 1 < count ? (left + changes_[i + 1].at) / 2 : left + kBeyond, value};
  }
  return best;
}

}  // namespace nlmt::tuning
