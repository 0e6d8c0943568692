#include "ter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace nlmt::evaluation {
namespace {

constexpr int64_t kLongestShift = 10;      // words
constexpr int64_t kFarthestMatch = 50;     // words between a run and its match in the reference
constexpr int64_t kBeam = 25;              // columns on either side of the diagonal
constexpr int kMostTried = 1000;           // shifts of one hypothesis
constexpr int32_t kUnreachable = 1 << 28;  // a distance; some more can be added

void perform_shift(std::vector<int32_t>* words, int64_t start, int64_t length, int64_t target) {
  const auto at = [&](int64_t i) {
    return words->begin() + std::min(i, static_cast<int64_t>(words->size()));
  };
  if (target < start) {
    std::rotate(at(target), at(start), at(start + length));
  } else if (target > start + length) {
    std::rotate(at(start), at(start + length), at(target));
  } else {
    // Within itself: by as many words as the target is further on.
    std::rotate(at(start), at(start + length), at(target + length));
  }
}

}  // namespace

void TerStatistics::count(Words words, int32_t* out) {
  int32_t fewest = std::numeric_limits<int32_t>::max();
  int64_t lengths = 0;
  for (const Words& reference : references_) {
    fewest = std::min(fewest, edits(words, reference));
    lengths += reference.size;
  }
  out[0] = fewest * static_cast<int32_t>(references_.size());
  out[1] = static_cast<int32_t>(lengths);
}

int32_t TerStatistics::edits(Words words, Words reference) {
  if (reference.size == 0) return static_cast<int32_t>(words.size);
  reference_ = reference;
  words_.assign(words.first, words.first + words.size);
  int shifts = 0, tried = 0;
  for (;;) {
    align();
    const Shift shift = find_shift(&tried);
    if (tried >= kMostTried || shift.gain <= 0) break;
    perform_shift(&words_, shift.start, shift.length, shift.target);
    ++shifts;
  }
  return shifts + distance_;
}

TerStatistics::Band TerStatistics::band(int64_t row) const {
  const int64_t rows = static_cast<int64_t>(words_.size());
  const double ratio = static_cast<double>(size()) / static_cast<double>(rows);
  const int64_t diagonal = static_cast<int64_t>(std::floor(static_cast<double>(row) * ratio));
  // Rows of very different length must still overlap.
  const int64_t width =
      kBeam < ratio / 2 ? static_cast<int64_t>(std::ceil(ratio / 2 + kBeam)) : kBeam;
  return {std::max<int64_t>(diagonal - width, 0),
          row == rows ? size() + 1 : std::min(diagonal + width, size() + 1)};
}

// Computes the edit distances, and the facts of the best sequence of edits.
void TerStatistics::align() {
  const int64_t rows = static_cast<int64_t>(words_.size());
  lows_.assign(rows + 1, 0);
  width_ = 0;
  for (int64_t i = 1; i <= rows; ++i) {
    const auto [low, high] = band(i);
    lows_[i] = low;
    width_ = std::max(width_, high - low);
  }
  costs_.assign((rows + 1) * width_, kUnreachable);
  edits_.assign(costs_.size(), kInsert);
  restore_row(0);
  current_.resize(size() + 1);
  for (int64_t i = 1; i <= rows; ++i) {
    const auto [low, high] = band(i);
    clear_row(low, i < rows ? band(i + 1).high : high);
    Edit* edit = &edits_[i * width_];
    for (int64_t j = low; j < high; ++j, ++edit) {
      // Of equally good edits a match or substitution is taken first, then a deletion.
      if (j > 0) {
        const bool match = words_[i - 1] == reference_.first[j - 1];
        current_[j] = above_[j - 1] + !match;
        *edit = match ? kMatch : kSubstitute;
      }
      if (above_[j] + 1 < current_[j]) {
        current_[j] = above_[j] + 1;
        *edit = kDelete;
      }
      if (j > 0 && current_[j - 1] + 1 < current_[j]) {
        current_[j] = current_[j - 1] + 1;
        *edit = kInsert;
      }
    }
    std::copy(current_.begin() + low, current_.begin() + high, costs_.begin() + i * width_);
    above_.swap(current_);
  }
  distance_ = above_.back();
  trace();
}

// Makes `above_` a row of the edit distances.
void TerStatistics::restore_row(int64_t row) {
  above_.resize(size() + 1);
  if (row == 0) {
    std::iota(above_.begin(), above_.end(), 0);
    return;
  }
  std::fill(above_.begin(), above_.end(), kUnreachable);
  const int64_t count = std::min(width_, size() + 1 - lows_[row]);
  std::copy_n(costs_.begin() + row * width_, count, above_.begin() + lows_[row]);
}

// Prepares `current_` for the distances from `low` on: unreachable as far as this row and the next
// one look, which is little of the whole row of a long line.
void TerStatistics::clear_row(int64_t low, int64_t end) {
  std::fill(current_.begin() + std::max<int64_t>(low - 1, 0), current_.begin() + end, kUnreachable);
}

// Walks the edits back from the last.
void TerStatistics::trace() {
  int64_t i = static_cast<int64_t>(words_.size()), j = size();
  wrong_.assign(i + 1, 0);
  wrong_reference_.assign(j + 1, 0);
  place_.assign(j, -1);
  while (i > 0 || j > 0) {
    const int64_t column = j - lows_[i];
    const bool inside = column >= 0 && column < width_;
    const Edit edit = i == 0   ? kInsert
                      : j == 0 ? kDelete
                      : inside ? edits_[i * width_ + column]
                               : kInsert;
    if (edit != kDelete) {
      wrong_reference_[j] = edit != kMatch;
      place_[j - 1] = static_cast<int32_t>(i) - 1;
    }
    if (edit != kInsert) wrong_[i] = edit != kMatch;
    i -= edit != kInsert;
    j -= edit != kDelete;
  }
  for (auto* counts : {&wrong_, &wrong_reference_}) {
    for (size_t k = 1; k < counts->size(); ++k) (*counts)[k] += (*counts)[k - 1];
  }
}

TerStatistics::Shift TerStatistics::find_shift(int* tried) {
  const int64_t count = static_cast<int64_t>(words_.size());
  Shift best{0, 0, 0, 0};
  if (distance_ == 0) return best;
  for (int64_t start = 0; start < count; ++start) {
    const int64_t first = std::max<int64_t>(start - kFarthestMatch, 0);
    const int64_t last = std::min(start + kFarthestMatch + 1, size());
    for (int64_t reference = first; reference < last; ++reference) {
      const int64_t longest = std::min({kLongestShift, count - start, size() - reference});
      for (int64_t length = 1; length <= longest; ++length) {
        if (words_[start + length - 1] != reference_.first[reference + length - 1]) break;
        try_shifts(start, reference, length, &best, tried);
        if (*tried >= kMostTried) return best;
      }
    }
  }
  return best;
}

// The run of words at `start` equals the reference's at `reference`: moves it to each place that
// the alignment offers for that.
void TerStatistics::try_shifts(int64_t start, int64_t reference, int64_t length, Shift* best,
                               int* tried) {
  // Both sides must be wrong at present, and the run must change its place.
  if (wrong_[start + length] == wrong_[start]) return;
  if (wrong_reference_[reference + length] == wrong_reference_[reference]) return;
  if (start <= place_[reference] && place_[reference] < start + length) return;
  int64_t previous = -1;
  for (int64_t j = reference - 1; j < reference + length; ++j) {
    const int64_t target = j < 0 ? 0 : place_[j] + 1;
    if (target == previous) continue;
    previous = target;
    ++*tried;
    Shift shift{start, length, target, 0};
    shift.gain = distance_ - distance_after(shift, distance_ - std::max(best->gain, 1));
    if (shift.gain <= 0) continue;
    // Of equal gains the longest run, then the first one, then the first place.
    const auto rank = [](const Shift& s) {
      return std::make_tuple(s.gain, s.length, -s.start, -s.target);
    };
    if (rank(shift) > rank(*best)) *best = shift;
  }
}

// The edit distance after a shift if it is `limit` at most, else something higher.
int32_t TerStatistics::distance_after(const Shift& shift, int32_t limit) {
  shifted_ = words_;
  perform_shift(&shifted_, shift.start, shift.length, shift.target);
  const int64_t rows = static_cast<int64_t>(words_.size());
  const int64_t same = std::min(shift.start, shift.target);
  restore_row(same);
  Band now = band(same + 1);
  for (int64_t i = same + 1; i <= rows; ++i) {
    const Band next = i < rows ? band(i + 1) : now;
    // Each step off the diagonal costs 1.
    const int64_t low = std::max(now.low, i - limit), high = std::min(now.high, i + limit + 1);
    if (low >= high) return kUnreachable;
    clear_row(low, next.high);
    now = next;
    int32_t lowest = kUnreachable;
    for (int64_t j = low; j < high; ++j) {
      int32_t cost = above_[j] + 1;
      if (j > 0) {
        const bool match = shifted_[i - 1] == reference_.first[j - 1];
        cost = std::min({above_[j - 1] + !match, cost, current_[j - 1] + 1});
      }
      current_[j] = cost;
      lowest = std::min(lowest, cost);
    }
    if (lowest > limit) return kUnreachable;
    above_.swap(current_);
  }
  return above_.back();
}

}  // namespace nlmt::evaluation
