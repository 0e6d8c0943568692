#include "lattice_mira.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nlmt::tuning {
namespace {

// A path of a lattice, or a known one, as a candidate for MIRA.
struct Candidate {
  std::vector<double> features;
  BleuStatistics statistics;
  double score = 0, quality = 0;
};

class LatticeLearner {
 public:
  LatticeLearner(const std::vector<LatticeSentence>& sentences, const Lists& known,
                 const double* start, const MiraOptions& options)
      : sentences_(sentences),
        known_(known),
        learner_(known.objective(), known.width(), start, options),
        hopes_(sentences.size()),
        paths_(sentences.size()) {}

  void update(int64_t number) {
    const LatticeSentence& sentence = sentences_[number];
    score_arcs(sentence, learner_.weights());
    const Gains gains = linear_gains(known_.objective(), expected(number));
    Candidate hope = find(number, gains, 1);
    const Candidate fear = find(number, gains, -1);
    std::vector<double> difference = hope.features;
    for (size_t f = 0; f < difference.size(); ++f) difference[f] -= fear.features[f];
    learner_.update(difference.data(), hope.quality - fear.quality, hope.statistics.data());
    hopes_[number] = hope.statistics;
  }

  // The value of the best paths.
  double value(const std::vector<double>& weights) {
    Sums sums{};
    for (const LatticeSentence& sentence : sentences_) {
      score_arcs(sentence, weights);
      const auto arcs = search_.find(sentence.lattice, nothing_, arc_scores_.data(), {});
      Candidate best = candidate(sentence, arcs);
      for (int64_t row = first(sentence); row < last(sentence); ++row) {
        const double score = score_of(row, weights);
        if (score > best.score) {
          best.score = score;
          copy_statistics(row, &best.statistics);
        }
      }
      for (size_t k = 0; k < best.statistics.size(); ++k) sums[k] += best.statistics[k];
    }
    return known_.objective().value(sums);
  }

  std::vector<double> average() const { return learner_.average(); }
  std::vector<std::set<std::vector<int32_t>>> take_paths() { return std::move(paths_); }

 private:
  // The document followed by the sentence's last hope hypothesis, at first by the reference.
  Sums expected(int64_t number) {
    Sums sums = learner_.document();
    if (hopes_[number][2 * kBleuOrder] == 0)
      hopes_[number] = sentences_[number].references.perfect();
    for (size_t k = 0; k < hopes_[number].size(); ++k) sums[k] += hopes_[number][k];
    return sums;
  }

  void score_arcs(const LatticeSentence& sentence, const std::vector<double>& weights) {
    const auto width = static_cast<size_t>(known_.width());
    arc_scores_.assign(sentence.lattice.arcs(), 0);
    for (size_t arc = 0; arc < arc_scores_.size(); ++arc) {
      const double* values = &sentence.features[arc * width];
      for (size_t f = 0; f < width; ++f) arc_scores_[arc] += weights[f] * values[f];
    }
  }

  // The candidate with the highest score + sign * quality.
  Candidate find(int64_t number, const Gains& gains, double sign) {
    const LatticeSentence& sentence = sentences_[number];
    Gains signed_gains{sign * gains.word};
    for (int n = 0; n < kBleuOrder; ++n) signed_gains.match[n] = sign * gains.match[n];
    std::vector<int32_t> arcs =
        search_.find(sentence.lattice, sentence.references, arc_scores_.data(), signed_gains);
    Candidate best = candidate(sentence, arcs);
    best.quality = learner_.quality(best.statistics.data());
    paths_[number].insert(std::move(arcs));
    int64_t chosen = -1;
    double most = best.score + sign * best.quality;
    for (int64_t row = first(sentence); row < last(sentence); ++row) {
      const double score = score_of(row, learner_.weights());
      const double quality = learner_.quality(known_.statistics(row));
      if (score + sign * quality > most) {
        most = score + sign * quality;
        chosen = row;
        best.score = score;
        best.quality = quality;
      }
    }
    if (chosen >= 0) {
      copy_statistics(chosen, &best.statistics);
      for (int f = 0; f < known_.width(); ++f) best.features[f] = known_.column(f)[chosen];
    }
    return best;
  }

  Candidate candidate(const LatticeSentence& sentence, const std::vector<int32_t>& arcs) {
    Candidate found;
    found.features.assign(known_.width(), 0);
    words_.clear();
    const io::Lattice& lattice = sentence.lattice;
    for (const int32_t arc : arcs) {
      found.score += arc_scores_[arc];
      const double* values = &sentence.features[static_cast<int64_t>(arc) * known_.width()];
      for (int f = 0; f < known_.width(); ++f) found.features[f] += values[f];
      const int64_t* offsets = &lattice.word_offsets[lattice.phrase[arc]];
      words_.insert(words_.end(), lattice.words.begin() + offsets[0],
                    lattice.words.begin() + offsets[1]);
    }
    found.statistics = sentence.references.statistics(words_);
    return found;
  }

  int64_t first(const LatticeSentence& sentence) const {
    return sentence.known < 0 ? 0 : known_.begin(sentence.known);
  }
  int64_t last(const LatticeSentence& sentence) const {
    return sentence.known < 0 ? 0 : known_.begin(sentence.known) + known_.size(sentence.known);
  }
  double score_of(int64_t row, const std::vector<double>& weights) const {
    double score = 0;
    for (int f = 0; f < known_.width(); ++f) score += weights[f] * known_.column(f)[row];
    return score;
  }
  void copy_statistics(int64_t row, BleuStatistics* out) const {
    std::copy_n(known_.statistics(row), out->size(), out->begin());
  }

  const std::vector<LatticeSentence>& sentences_;
  const Lists& known_;
  const ReferenceNgrams nothing_{{}};
  MarginLearner learner_;
  PathSearch search_;
  std::vector<double> arc_scores_;
  std::vector<int32_t> words_;
  std::vector<BleuStatistics> hopes_;
  std::vector<std::set<std::vector<int32_t>>> paths_;
};

}  // namespace

Gains linear_gains(const Objective& bleu, const Sums& sums) {
  const double length = sums[1], reference = sums[2 * kBleuOrder];
  const double scale = bleu.value(sums) * reference;
  Gains gains;
  for (int n = 0; n < kBleuOrder; ++n) {
    if (sums[2 * n] > 0) gains.match[n] = scale / (kBleuOrder * sums[2 * n]);
    if (sums[2 * n + 1] > 0) gains.word -= scale / (kBleuOrder * sums[2 * n + 1]);
  }
  if (length < reference && length > 0) gains.word += scale * reference / (length * length);
  return gains;
}

LatticeMiraResult lattice_mira(const std::vector<LatticeSentence>& sentences, const Lists& known,
                               const double* start, uint64_t seed, const MiraOptions& options,
                               const std::atomic<bool>& stop) {
  LatticeLearner learner(sentences, known, start, options);
  std::vector<int64_t> order(sentences.size());
  std::iota(order.begin(), order.end(), 0);
  Optimum best =
      learn(learner, {start, start + known.width()}, std::move(order), seed, options.epochs, stop);
  return {std::move(best.weights), best.value, learner.take_paths()};
}

}  // namespace nlmt::tuning
