#include "short_list.h"

#include <algorithm>
#include <utility>

namespace nlmt::decoder {

ShortList::ShortList(std::vector<std::int32_t> units, float log_mass,
                     std::vector<BackoffArrays> levels)
    : units_(std::move(units)), log_mass_(log_mass) {
  const auto words = static_cast<std::int64_t>(units_.size());
  std::size_t below = 1;
  for (BackoffArrays& arrays : levels) {
    Level level;
    level.starts.assign(below + 1, 0);
    level.words.reserve(arrays.keys.size());
    for (const std::int64_t key : arrays.keys) {
      ++level.starts[key / words + 1];
      level.words.push_back(static_cast<std::int32_t>(key % words));
    }
    for (std::size_t i = 0; i < below; ++i) level.starts[i + 1] += level.starts[i];
    below = arrays.keys.size();
    level.log_p = std::move(arrays.log_p);
    level.log_backoff = std::move(arrays.log_backoff);
    level.log_mass = std::move(arrays.log_mass);
    levels_.push_back(std::move(level));
  }
}

// How many of n words of context the model uses.
std::int64_t ShortList::longest(std::int64_t n) const {
  return std::min(n, static_cast<std::int64_t>(levels_.size()) - 1);
}

// Place of the n-gram at `place` with a word after it, which `level` has.
std::int64_t ShortList::child(std::size_t level, std::int64_t place, std::int32_t word) const {
  const Level& longer = levels_[level];
  const auto first = longer.words.begin() + longer.starts[place];
  const auto last = longer.words.begin() + longer.starts[place + 1];
  const auto at = std::lower_bound(first, last, word);
  return at != last && *at == word ? at - longer.words.begin() : kNone;
}

// Place of n >= 1 words among the n-grams of that order.
std::int64_t ShortList::find(const std::int32_t* words, std::int64_t n) const {
  // Unigrams are in the order of the words.
  std::int64_t place = words[0] < static_cast<std::int64_t>(units_.size()) ? words[0] : kNone;
  for (std::int64_t i = 1; i < n && place != kNone; ++i) {
    place = child(static_cast<std::size_t>(i), place, words[i]);
  }
  return place;
}

float ShortList::log_probability(const std::int32_t* context, std::int64_t n,
                                 std::int32_t word) const {
  double sum = 0;
  for (std::int64_t length = longest(n); length > 0; --length) {
    const std::int64_t place = find(context + n - length, length);
    if (place == kNone) continue;
    const std::int64_t found = child(static_cast<std::size_t>(length), place, word);
    if (found != kNone) return static_cast<float>(sum + levels_[length].log_p[found]);
    sum += levels_[length - 1].log_backoff[place];
  }
  return static_cast<float>(sum + levels_[0].log_p[word]);
}

float ShortList::log_mass(const std::int32_t* context, std::int64_t n) const {
  for (std::int64_t length = longest(n); length > 0; --length) {
    const std::int64_t place = find(context + n - length, length);
    if (place != kNone) return levels_[length - 1].log_mass[place];
  }
  return log_mass_;
}

}  // namespace nlmt::decoder
