// Minimum Bayes risk over a list (Kumar and Byrne 2004): the translation of least expected loss.
//
//   BleuRisk risk;
//   for (...) risk.add(words, scaled_score);
//   const std::size_t chosen = risk.choose([] {});
//
// The loss is 1 - BLEU of a sentence with one added to the counts of n-grams of two to four words,
// as in Moses; each other translation of the list is a reference, with a probability proportional
// to exp(scaled_score).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "word_trie.h"

namespace nlmt {

class BleuRisk {
 public:
  // A translation and its scaled model score, a natural logarithm.
  void add(const std::uint32_t* words, std::size_t size, double score) {
    bags_.push_back(bag(words, size));
    scores_.push_back(score);
  }

  // Index of the translation of least expected loss, the first of equal ones; the list must not be
  // empty. `poll` is called periodically and may throw.
  template <typename Poll>
  std::size_t choose(Poll poll) const {
    const double highest = *std::max_element(scores_.begin(), scores_.end());
    std::vector<double> probabilities, losses(bags_.size(), 0);
    for (const double score : scores_) probabilities.push_back(std::exp(score - highest));
    std::vector<std::uint32_t> counts(ngrams_.size(), 0);
    for (std::size_t i = 0; i < bags_.size(); ++i) {
      poll();
      for (const Count& own : bags_[i].counts) counts[own.ngram] = own.count;
      for (std::size_t j = i + 1; j < bags_.size(); ++j) {
        std::array<double, kOrder> matches{};
        for (const Count& other : bags_[j].counts) {
          matches[other.order] += std::min(other.count, counts[other.ngram]);
        }
        const double mine = bags_[i].length, others = bags_[j].length;
        losses[i] += probabilities[j] * (1 - bleu(matches, mine, others));
        losses[j] += probabilities[i] * (1 - bleu(matches, others, mine));
      }
      for (const Count& own : bags_[i].counts) counts[own.ngram] = 0;
    }
    return static_cast<std::size_t>(std::min_element(losses.begin(), losses.end()) -
                                    losses.begin());
  }

 private:
  static constexpr std::size_t kOrder = 4;

  struct Count {
    std::uint32_t ngram, order, count;
  };

  // A translation as bag of n-grams; equal ones have equal numbers.
  struct Bag {
    double length = 0;
    std::vector<Count> counts;
  };

  Bag bag(const std::uint32_t* words, std::size_t size) {
    std::unordered_map<std::uint32_t, std::size_t> places;
    Bag bag;
    bag.length = static_cast<double>(size);
    for (std::size_t begin = 0; begin < size; ++begin) {
      std::uint32_t ngram = 0;
      for (std::uint32_t n = 0; n < kOrder && begin + n < size; ++n) {
        ngram = ngrams_.add(ngram, words[begin + n]);
        const auto place = places.emplace(ngram, bag.counts.size());
        if (place.second) bag.counts.push_back({ngram, n, 0});
        ++bag.counts[place.first->second].count;
      }
    }
    return bag;
  }

  static double bleu(const std::array<double, kOrder>& matches, double length, double reference) {
    if (matches[0] == 0) return length == 0 && reference == 0 ? 1 : 0;
    double sum = std::log(matches[0] / length);
    for (std::size_t n = 1; n < kOrder; ++n) {
      sum += std::log((matches[n] + 1) / (std::max(length - static_cast<double>(n), 0.0) + 1));
    }
    return std::exp(sum / kOrder + std::min(1 - reference / length, 0.0));
  }

  WordTrie ngrams_;
  std::vector<Bag> bags_;
  std::vector<double> scores_;
};

}  // namespace nlmt
