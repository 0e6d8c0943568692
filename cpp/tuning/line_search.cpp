#include "line_search.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "vector.h"

namespace nlmt::tuning {
namespace {

// How far to go beyond the outermost threshold if the best interval is unbounded.
constexpr double kBeyond = 0.1;
// Statistics are at random places: they are prefetched so many steps before they are needed.
constexpr size_t kAhead = 8;

}  // namespace

SlopeRange::SlopeRange(const Lists& lists, const double* slopes)
    : lowest(lists.sentences(), 0), highest(lists.sentences(), 0) {
  for (int64_t s = 0; s < lists.sentences(); ++s) {
    if (lists.size(s) == 0) continue;
    const double* from = slopes + lists.begin(s);
    Doubles low = load(from), high = low;
    for (int64_t i = kWidth; i < lists.padded(s); i += kWidth) {
      const Doubles values = load(from + i);
      low = values < low ? values : low;
      high = values > high ? values : high;
    }
    lowest[s] = smallest(low);
    highest[s] = largest(high);
  }
}

Step LineSearch::find(const double* scores, const double* slopes, const SlopeRange& range) {
  find_winners(scores, slopes, range);
  const Sums sums = find_changes();
  if (changes_.empty()) return {0, lists_.objective().value(sums)};
  sort_changes();
  return find_best(sums);
}

void LineSearch::find_winners(const double* scores, const double* slopes, const SlopeRange& range) {
  winners_.clear();
  for (int64_t s = 0; s < lists_.sentences(); ++s) {
    if (lists_.size(s) == 0) continue;
    const int64_t begin = lists_.begin(s);
    const auto& pieces = envelope_.find(scores + begin, slopes + begin, lists_.padded(s),
                                        range.lowest[s], range.highest[s]);
    for (const Piece& piece : pieces) {
      winners_.push_back({piece.from, &piece == pieces.data(), begin + piece.line});
    }
  }
}

// Where the statistics of a sentence change, and the sums before all changes.
Sums LineSearch::find_changes() {
  Sums sums{};
  changes_.clear();
  int32_t now = 0;
  for (size_t i = 0; i < winners_.size(); ++i) {
    if (i + 2 * kAhead < winners_.size()) lists_.prefetch_id(winners_[i + 2 * kAhead].row);
    if (i + kAhead < winners_.size() && winners_[i + kAhead].first) {
      lists_.prefetch_statistics(lists_.statistics_id(winners_[i + kAhead].row));
    }
    const int32_t id = lists_.statistics_id(winners_[i].row);
    if (winners_[i].first) {
      const int32_t* values = lists_.statistics_of(id);
      for (int64_t k = 0; k < lists_.statistics_width(); ++k) sums[k] += values[k];
    } else if (id != now) {
      changes_.push_back({winners_[i].from, now, id});
    }
    now = id;
  }
  return sums;
}

// By the leading bits of the thresholds in three passes, then by comparisons where those are equal.
void LineSearch::sort_changes() {
  constexpr int kDigit = 11, kDigits = 3, kShift = 64 - kDigit * kDigits;
  constexpr uint64_t kMask = (1 << kDigit) - 1;
  const auto key = [](const Change& change) {
    uint64_t bits;
    std::memcpy(&bits, &change.at, sizeof bits);
    // Negative numbers decrease as their bits increase.
    return (bits ^ (bits >> 63 ? ~uint64_t{0} : uint64_t{1} << 63)) >> kShift;
  };
  uint32_t counts[kDigits][kMask + 1] = {};
  for (const Change& change : changes_) {
    for (int d = 0; d < kDigits; ++d) ++counts[d][key(change) >> (d * kDigit) & kMask];
  }
  sorted_.resize(changes_.size());
  for (int d = 0; d < kDigits; ++d) {
    uint32_t next = 0;
    for (uint32_t& count : counts[d]) next += std::exchange(count, next);
    for (const Change& change : changes_) {
      sorted_[counts[d][key(change) >> (d * kDigit) & kMask]++] = change;
    }
    changes_.swap(sorted_);
  }
  const auto before = [](const Change& a, const Change& b) { return a.at < b.at; };
  for (size_t begin = 0, end; begin < changes_.size(); begin = end) {
    for (end = begin + 1; end < changes_.size() && key(changes_[end]) == key(changes_[begin]);)
      ++end;
    if (end - begin > 1) std::sort(changes_.begin() + begin, changes_.begin() + end, before);
  }
}

Step LineSearch::find_best(Sums sums) const {
  const Objective& objective = lists_.objective();
  Step best{changes_[0].at - kBeyond, objective.value(sums)};
  const size_t count = changes_.size();
  for (size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) {
      lists_.prefetch_statistics(changes_[i + kAhead].from);
      lists_.prefetch_statistics(changes_[i + kAhead].to);
    }
    const int32_t* from = lists_.statistics_of(changes_[i].from);
    const int32_t* to = lists_.statistics_of(changes_[i].to);
    for (int64_t k = 0; k < lists_.statistics_width(); k += kLane) {
      for (int j = 0; j < kLane; ++j) sums[k + j] += to[k + j] - from[k + j];
    }
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
