#include "exchange.h"

#include <algorithm>
#include <utility>

namespace nlmt::classes {

Exchange::Exchange(const Bigrams& bigrams, int classes, const FixedPoint& fixed, double penalty,
                   std::vector<int32_t> assignment)
    : bigrams_(bigrams),
      fixed_(fixed),
      penalty_(fixed.number(penalty)),
      classes_(classes),
      assignment_(std::move(assignment)),
      counts_(classes + 1),
      transposed_(classes + 1),
      unigram_(classes + 1),
      mass_(classes + 1),
      cost_(classes + 1),
      size_(classes + 1),
      right_count_(classes + 1),
      left_count_(classes + 1),
      gain_(classes) {
  assignment_.push_back(classes);  // the sentence boundary
  for (int w = 0; w <= bigrams.words(); ++w) {
    const int c = assignment_[w];
    unigram_[c] += bigrams.unigram[w];
    ++size_[c];
    counts_[c][c] += bigrams.self[w];
    for (const Neighbour& n : bigrams.right[w]) counts_[c][assignment_[n.id]] += n.count;
  }
  for (int c = 0; c <= classes; ++c) {
    for (int d = 0; d <= classes; ++d) {
      transposed_[d][c] = counts_[c][d];
      mass_[c] += counts_[c][d];
      mass_[d] += counts_[c][d];
    }
  }
  for (int c = 0; c <= classes; ++c) cost_[c] = mass_[c] * fixed_.log(unigram_[c]);
}

int Exchange::pass(const std::function<void()>& poll) {
  int moved = 0;
  for (int word = 0; word < bigrams_.words(); ++word) {
    const int home = assignment_[word];
    if (size_[home] == 1) continue;
    poll();
    gather(word);
    move(word, home, -1);
    const int best = best_class(word, home);
    move(word, best, +1);
    moved += best != home;
  }
  return moved;
}

// Sums the bigrams of `word` by the class of the other word.
void Exchange::gather(int word) {
  const auto sum = [this](const std::vector<Neighbour>& words, std::vector<uint32_t>& count,
                          std::vector<Neighbour>& classes) {
    for (const Neighbour& n : classes) count[n.id] = 0;
    classes.clear();
    for (const Neighbour& n : words) {
      const int c = assignment_[n.id];
      if (count[c] == 0) classes.push_back({c, 0});
      count[c] += n.count;
    }
    for (Neighbour& n : classes) {
      n.count = count[n.id];
      word_mass_ += n.count;
    }
  };
  word_mass_ = 2 * int64_t{bigrams_.self[word]};
  sum(bigrams_.right[word], right_count_, right_);
  sum(bigrams_.left[word], left_count_, left_);
}

// Adds the current word to class `into` (sign 1), or removes it (sign -1).
void Exchange::move(int word, int into, int sign) {
  for (const Neighbour& n : right_) {
    counts_[into][n.id] += sign * n.count;
    transposed_[n.id][into] += sign * n.count;
  }
  for (const Neighbour& n : left_) {
    counts_[n.id][into] += sign * n.count;
    transposed_[into][n.id] += sign * n.count;
  }
  counts_[into][into] += sign * bigrams_.self[word];
  transposed_[into][into] += sign * bigrams_.self[word];
  unigram_[into] += sign * bigrams_.unigram[word];
  mass_[into] += sign * word_mass_;
  cost_[into] = mass_[into] * fixed_.log(unigram_[into]);
  size_[into] += sign;
  assignment_[word] = into;
}

// The best class for the current word, which is in no class now.
int Exchange::best_class(int word, int home) {
  const auto f = [this](int64_t x) { return fixed_.x_log_x(x); };
  const int64_t count = bigrams_.unigram[word];
  for (int c = 0; c < classes_; ++c) {
    gain_[c] = cost_[c] - (mass_[c] + word_mass_) * fixed_.log(unigram_[c] + count);
  }
  if (penalty_ != 0) {
    for (int c = 0; c < classes_; ++c) {
      gain_[c] -= penalty_ * (unigram_[c] + count * (size_[c] + 1));
    }
  }
  int64_t* const gain = gain_.data();
  const auto add = [&](const std::vector<Neighbour>& neighbours, const Matrix<uint32_t>& columns) {
    for (const Neighbour& u : neighbours) {
      const uint32_t* column = columns[u.id];
      const int64_t largest = *std::max_element(column, column + classes_);
      if (largest + u.count < static_cast<int64_t>(fixed_.xlogx().size())) {  // as a rule
        const int64_t *before = fixed_.xlogx().data(), *after = before + u.count;
        for (int c = 0; c < classes_; ++c) gain[c] += after[column[c]] - before[column[c]];
      } else {
        for (int c = 0; c < classes_; ++c)
          gain[c] += f(int64_t{column[c]} + u.count) - f(column[c]);
      }
    }
  };
  add(right_, transposed_);
  add(left_, counts_);
  // Cell (c, c) gets the counts of both sides and the word's bigrams with itself at once.
  for (int c = 0; c < classes_; ++c) {
    const int64_t after = right_count_[c], before = left_count_[c], self = bigrams_.self[word];
    if (after + before + self == 0) continue;
    const int64_t n = counts_[c][c];
    gain_[c] += f(n + after + before + self) - f(n + after) - f(n + before) + f(n);
  }
  int best = home;
  for (int c = 0; c < classes_; ++c) {
    if (gain_[c] > gain_[best]) best = c;
  }
  return best;
}

}  // namespace nlmt::classes
