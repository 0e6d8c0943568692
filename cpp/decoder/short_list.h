// Words that a neural model's output layer predicts, and the back-off n-gram model of all others.
//
// Schwenk 2010, equations 7 and 8: p(w | h) = p_N(w | h) P_S(h) for a word of the list, where
// P_S(h) is the back-off model's probability of all of them together; the back-off model's p(w | h)
// for the others.
#pragma once

#include <cstdint>
#include <vector>

namespace nlmt::decoder {

// All n-grams of one order as nlmt.ngram.backoff.Level has them, sorted by key: the place of the
// n-gram without its last word, one order below, times the number of words, plus the last word.
struct BackoffArrays {
  std::vector<std::int64_t> keys;
  std::vector<float> log_p, log_backoff;
  std::vector<float> log_mass;  // log P_S after the n-gram; empty for the longest
};

class ShortList {
 public:
  // `units`: row of the output layer by word, -1 for words without one. `log_mass`: log P_S if
  // nothing of the context is known. `levels`: order 1, which has every word, and up.
  ShortList(std::vector<std::int32_t> units, float log_mass, std::vector<BackoffArrays> levels);

  std::int32_t unit(std::int32_t word) const { return units_[word]; }
  // Of the back-off model, after `n` words, the oldest first. An unknown word, such as the blank
  // one of a context, ends the known part of the context.
  float log_probability(const std::int32_t* context, std::int64_t n, std::int32_t word) const;
  // log P_S.
  float log_mass(const std::int32_t* context, std::int64_t n) const;

 private:
  static constexpr std::int64_t kNone = -1;

  struct Level {
    std::vector<std::int64_t> starts;  // by place one order below, and one more: its n-grams
    std::vector<std::int32_t> words;   // the last one of each n-gram
    std::vector<float> log_p, log_backoff, log_mass;
  };

  std::int64_t longest(std::int64_t n) const;
  std::int64_t child(std::size_t level, std::int64_t place, std::int32_t word) const;
  std::int64_t find(const std::int32_t* words, std::int64_t n) const;

  std::vector<std::int32_t> units_;
  float log_mass_;
  std::vector<Level> levels_;
};

}  // namespace nlmt::decoder
