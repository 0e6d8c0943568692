#include "minimum_risk.h"

#include "bleu_risk.h"
#include "io/lattice_ngrams.h"
#include "search_lattice.h"

namespace nlmt::decoder {
namespace {

// The gain of a translation, from all n-grams up to the longest of the thetas at each word.
double gain(const std::vector<std::int32_t>& words, const io::NgramPosteriors& posteriors,
            const std::vector<double>& thetas) {
  const io::NgramTrie& trie = posteriors.trie();
  double total = thetas[0] * static_cast<double>(words.size());
  std::int32_t history = 0;
  for (const std::int32_t word : words) {
    std::int32_t longest = trie.find(history, word);
    while (longest == io::NgramTrie::kNone && history != 0) {
      history = trie.shorter(history);
      longest = trie.find(history, word);
    }
    history = longest == io::NgramTrie::kNone ? 0 : longest;
    for (std::int32_t n = history; n != 0; n = trie.shorter(n)) {
      total += thetas[trie.length(n)] * posteriors.probability(n);
    }
    history = trie.history(history);
  }
  return total;
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
  BleuRisk risk;
  for (const Translation& translation : list) {
    const std::vector<WordId> words = words_of(searcher.options(), translation);
    risk.add(words.data(), words.size(), options.scale * translation.total);
  }
  return risk.choose([&] { searcher.check_stop(); });
}

std::size_t choose_by_lattice(const Searcher& searcher, std::uint32_t best_hypothesis,
                              const std::vector<Translation>& list, const RiskOptions& options) {
  WordTable table;
  LatticeLimits limits;
  limits.density = options.density;
  const io::Lattice lattice = make_lattice(searcher, best_hypothesis, {}, 0, limits, table);
  std::vector<double> scores(lattice.arcs(), 0);
  for (std::size_t i = 0; i < lattice.values.size(); ++i) {
    const double weight = searcher.model().weights()[i % lattice.width];
    scores[i / lattice.width] += options.scale * weight * lattice.values[i];
  }
  const io::LatticeArcs arcs{lattice.nodes, lattice.arcs(), lattice.from.data(), lattice.to.data()};
  const io::ArcWords arc_words{lattice.phrase.data(), lattice.word_offsets.data(),
                               lattice.words.data()};
  const int order = static_cast<int>(options.thetas.size()) - 1;
  const io::NgramPosteriors posteriors(arcs, scores.data(), arc_words, order,
                                       [&searcher] { searcher.check_stop(); });
  std::size_t best = 0;
  double best_gain = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::vector<std::int32_t> words;
    for (const WordId word : words_of(searcher.options(), list[i])) {
      words.push_back(table.add(searcher.options().spelling(word)));
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
