#include "chrf.h"

#include <algorithm>
#include <array>

namespace nlmt::evaluation {

void ChrfStatistics::spell(Words words) {
  letters_.clear();
  for (int64_t i = 0; i < words.size; ++i) {
    const int64_t* place = spelling_.offsets + words.first[i];
    letters_.insert(letters_.end(), spelling_.characters + place[0],
                    spelling_.characters + place[1]);
  }
}

void ChrfStatistics::set_references(const References& references) {
  matchers_.resize(references.size(), NgramMatcher(spelling_.alphabet, kOrder));
  lengths_.clear();
  for (size_t r = 0; r < references.size(); ++r) {
    spell(references[r]);
    const int64_t length = static_cast<int64_t>(letters_.size());
    matchers_[r].set_references({{letters_.data(), length}});
    lengths_.push_back(length);
  }
}

void ChrfStatistics::count(Words words, int32_t* out) {
  spell(words);
  const int64_t length = static_cast<int64_t>(letters_.size());
  double best = -1;
  for (size_t r = 0; r < matchers_.size(); ++r) {
    int32_t matches[kOrder];
    matchers_[r].count({letters_.data(), length}, matches);
    std::array<int32_t, kWidth> row;
    for (int n = 0; n < kOrder; ++n) {
      const int64_t ours = std::max<int64_t>(length - n, 0);
      const int64_t theirs = std::max<int64_t>(lengths_[r] - n, 0);
      // If the reference has none of an order, those of the hypothesis do not count either.
      row[3 * n] = static_cast<int32_t>(theirs > 0 ? ours : 0);
      row[3 * n + 1] = static_cast<int32_t>(theirs);
      row[3 * n + 2] = matches[n];
    }
    const double score = chrf_score(row.data());
    if (score <= best) continue;
    best = score;
    std::copy(row.begin(), row.end(), out);
  }
}

}  // namespace nlmt::evaluation
