#include "minimum_risk.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "../io/lattice_ngrams.h"
#include "lattice.h"

namespace nlmt::decoder {
namespace {

// Of all n-grams up to the longest of the thetas, at each word.
double gain(const std::vector<std::int32_t>& words, const NgramPosteriors& posteriors,
            const std::vector<double>& thetas) {
  const NgramTrie& trie = posteriors.trie();
  double total = thetas[0] * static_cast<double>(words.size());
  std::int32_t history = 0;
  for (const std::int32_t word : words) {
    std::int32_t longest = trie.find(history, word);
    while (longest == NgramTrie::kNone && history != 0) {
      history = trie.shorter(history);
      longest = trie.find(history, word);
    }
    history = longest == NgramTrie::kNone ? 0 : longest;
    for (std::int32_t n = history; n != 0; n = trie.shorter(n)) {
      total += thetas[trie.length(n)] * posteriors.probability(n);
    }
    history = trie.history(history);
  }
  return total;
}

constexpr std::size_t kOrder = 4;

// A translation as bag of n-grams; equal ones have equal numbers.
struct NgramBag {
  struct Count {
    std::uint32_t ngram, order, count;
  };

  double length = 0;
  std::vector<Count> counts;
};

class NgramNumbers {
 public:
  NgramBag bag(const std::vector<WordId>& words) {
    std::unordered_map<std::uint32_t, std::size_t> places;
    NgramBag bag;
    bag.length = static_cast<double>(words.size());
    for (std::size_t begin = 0; begin < words.size(); ++begin) {
      std::uint64_t ngram = 0;
      for (std::uint32_t n = 0; n < kOrder && begin + n < words.size(); ++n) {
        const std::uint64_t key = (ngram << 32) | words[begin + n];
        ngram = numbers_.emplace(key, numbers_.size() + 1).first->second;
        const auto number = static_cast<std::uint32_t>(ngram);
        const auto place = places.emplace(number, bag.counts.size());
        if (place.second) bag.counts.push_back({number, n, 0});
        ++bag.counts[place.first->second].count;
      }
    }
    return bag;
  }

  std::size_t size() const { return numbers_.size() + 1; }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // by the n-gram before and the word
};

double smoothed_bleu(const std::array<double, kOrder>& matches, double length, double reference) {
  if (matches[0] == 0) return 0;
  double sum = std::log(matches[0] / length);
  for (std::size_t n = 1; n < kOrder; ++n) {
    sum += std::log((matches[n] + 1) / (std::max(length - static_cast<double>(n), 0.0) + 1));
  }
  return std::exp(sum / kOrder + std::min(1 - reference / length, 0.0));
}

std::vector<WordId> words_of(const SentenceOptions& options, const Translation& translation) {
  std::vector<WordId> words;
  for (const Translation::Step& step : translation.steps) {
    const PreparedOption& phrase = *options.option(step.option).prepared;
    words.insert(words.end(), phrase.words, phrase.words + phrase.length);
  }
  return words;
}

}  // namespace

std::size_t choose_by_bleu(const Searcher& searcher, const std::vector<Translation>& list,
                           const RiskOptions& options) {
  NgramNumbers numbers;
  std::vector<NgramBag> bags;
  std::vector<double> probabilities, losses(list.size(), 0);
  for (const Translation& translation : list) {
    bags.push_back(numbers.bag(words_of(searcher.options(), translation)));
    probabilities.push_back(std::exp(options.scale * (translation.total - list.front().total)));
  }
  std::vector<std::uint32_t> counts(numbers.size(), 0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    searcher.check_stop();
    for (const NgramBag::Count& own : bags[i].counts) counts[own.ngram] = own.count;
    for (std::size_t j = i + 1; j < list.size(); ++j) {
      std::array<double, kOrder> matches{};
      for (const NgramBag::Count& other : bags[j].counts) {
        matches[other.order] += std::min(other.count, counts[other.ngram]);
      }
      const double mine = bags[i].length, others = bags[j].length;
      losses[i] += probabilities[j] * (1 - smoothed_bleu(matches, mine, others));
      losses[j] += probabilities[i] * (1 - smoothed_bleu(matches, others, mine));
    }
    for (const NgramBag::Count& own : bags[i].counts) counts[own.ngram] = 0;
  }
  return static_cast<std::size_t>(std::min_element(losses.begin(), losses.end()) - losses.begin());
}

std::size_t choose_by_lattice(const Searcher& searcher, const std::vector<ConnectedNode>& nodes,
                              const std::vector<Translation>& list, const RiskOptions& options) {
  WordTable table;
  LatticeLimits limits;
  limits.density = options.density;
  const Lattice lattice = make_lattice(searcher, nodes, {}, 0, limits, table);
  std::vector<double> scores(lattice.arcs(), 0);
  for (std::size_t i = 0; i < lattice.values.size(); ++i) {
    const double weight = searcher.model().weights()[i % lattice.width];
    scores[i / lattice.width] += options.scale * weight * lattice.values[i];
  }
  const LatticeArcs arcs{lattice.nodes, lattice.arcs(), lattice.from.data(), lattice.to.data()};
  const ArcWords arc_words{lattice.phrase.data(), lattice.word_offsets.data(),
                           lattice.words.data()};
  const int order = static_cast<int>(options.thetas.size()) - 1;
  const NgramPosteriors posteriors(arcs, scores.data(), arc_words, order,
                                   [&searcher] { searcher.check_stop(); });
  std::size_t best = 0;
  double best_gain = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::vector<std::int32_t> words;
    for (const Translation::Step& step : list[i].steps) {
      const PreparedOption& phrase = *searcher.options().option(step.option).prepared;
      for (std::uint32_t w = 0; w < phrase.length; ++w) {
        bool is_new;
        words.push_back(table.insert(searcher.options().spelling(phrase.words[w]), is_new));
      }
    }
    double score = gain(words, posteriors, options.thetas);
    if (i == 0) score += options.map_weight * list[i].total;
    if (i == 0 || score > best_gain) {
      best = i;
      best_gain = score;
    }
  }
  return best;
}

}  // namespace nlmt::decoder
