// The source word to which each target word belongs (Devlin et al. 2014, section 2.1): the one to
// which it is linked; of several the middle one, the left of two; without a link that of the
// nearest linked target word, the right one of two. The end of the sentence belongs to the source's
// end.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nlmt::io {

// `links`: n times source and target position, by target, then source. `position`: of `target`
// words and of the end. Without any link the words lie on a diagonal.
inline void affiliate(const int32_t* links, int64_t n, int64_t source, int64_t target,
                      int32_t* position) {
  const auto target_of = [&](int64_t i) { return links[2 * i + 1]; };
  position[target] = static_cast<int32_t>(source);
  if (n == 0) {
    for (int64_t t = 0; t < target; ++t) position[t] = static_cast<int32_t>(t * source / target);
    return;
  }
  // Of the words between two linked ones, the left half belongs to the left one.
  int64_t before = -1;
  for (int64_t i = 0; i < n;) {
    const int64_t t = target_of(i);
    int64_t end = i;
    while (end < n && target_of(end) == t) ++end;
    const int64_t first = before < 0 ? 0 : (before + t + 1) / 2;  // as near to t, or nearer
    if (before >= 0) std::fill(position + before + 1, position + first, position[before]);
    std::fill(position + first, position + t + 1, links[2 * (i + (end - i - 1) / 2)]);
    before = t;
    i = end;
  }
  std::fill(position + before + 1, position + target, position[before]);
}

}  // namespace nlmt::io
