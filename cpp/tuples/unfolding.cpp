#include "unfolding.h"

#include <algorithm>

namespace nlmt::tuples {

void Unfolding::run(int32_t source_length, int32_t target_length, const int32_t* links,
                    int64_t count) {
  first_.assign(source_length, -1);
  last_.assign(source_length, -1);
  linked_.assign(target_length, 0);
  for (int64_t i = 0; i < count; ++i) {
    const int32_t source = links[2 * i], target = links[2 * i + 1];
    first_[source] = first_[source] < 0 ? target : std::min(first_[source], target);
    last_[source] = std::max(last_[source], target);
    linked_[target] = 1;
  }
  cut_target(target_length);
  order_source();
  tuples_.clear();
  const int32_t segments = static_cast<int32_t>(bounds_.size()) - 1;
  for (int32_t segment = -1; segment < segments; ++segment) {
    const int32_t* const starts = starts_.data() + 2 * (segment + 1);
    const int32_t end = segment < 0 ? 0 : bounds_[segment + 1];
    if (segment >= 0) tuples_.push_back({starts[0], starts[1], bounds_[segment], end});
    for (int32_t i = starts[1]; i < starts[2]; ++i) tuples_.push_back({i, i + 1, end, end});
  }
}

// The finest segments of the target such that all links of a source word lead into one of them.
void Unfolding::cut_target(int32_t target_length) {
  spans_.assign(target_length + 1, 0);
  for (size_t source = 0; source < first_.size(); ++source) {
    if (first_[source] < 0) continue;
    ++spans_[first_[source] + 1];
    --spans_[last_[source] + 1];
  }
  const auto last_linked = std::find(linked_.rbegin(), linked_.rend(), 1);
  const int32_t tail = static_cast<int32_t>(linked_.rend() - last_linked);
  segment_.resize(target_length);
  bounds_.clear();
  int32_t across = 0;
  for (int32_t target = 0; target < target_length; ++target) {
    across += spans_[target];
    // A word without links joins the next one, or the previous one at the end of the sentence.
    const bool joined =
        target > 0 && (across > 0 || !linked_[target - 1] || (target >= tail && tail > 0));
    if (!joined) bounds_.push_back(target);
    segment_[target] = static_cast<int32_t>(bounds_.size()) - 1;
  }
  bounds_.push_back(target_length);
}

// Sorts the source words by segment: place 2 (segment + 1) has the words linked with a segment, the
// next place those without links after them; place 1 is before the first segment.
void Unfolding::order_source() {
  const size_t source_length = first_.size();
  place_.resize(source_length);
  starts_.assign(2 * bounds_.size() + 1, 0);
  int32_t before = 0;
  for (size_t source = 0; source < source_length; ++source) {
    if (first_[source] >= 0) before = 2 * (segment_[first_[source]] + 1);
    place_[source] = first_[source] >= 0 ? before : before + 1;
    ++starts_[place_[source] + 1];
  }
  for (size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  order_.resize(source_length);
  // Filling moves each start to that of the next place, and back.
  for (size_t source = 0; source < source_length; ++source) {
    order_[starts_[place_[source]]++] = static_cast<int32_t>(source);
  }
  for (size_t i = starts_.size() - 1; i > 0; --i) starts_[i] = starts_[i - 1];
  starts_[0] = 0;
}

}  // namespace nlmt::tuples
