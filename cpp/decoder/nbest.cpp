#include "nbest.h"

#include <algorithm>
#include <vector>

#include "probability.h"

namespace nlmt::decoder {

std::vector<Translation> NbestExtractor::extract(std::uint32_t best, std::size_t count,
                                                 bool distinct) {
  const std::size_t edges = searcher_.graph().hypotheses().size();
  distinct_ = distinct;
  node_of_.assign(edges, kNone);
  nodes_.clear();
  seen_.clear();
  values_of_.assign(edges, -1);
  values_.clear();
  std::vector<Translation> list;
  for (std::size_t rank = 0; rank < count && derivation(best, rank); ++rank) {
    list.push_back(trace(best, rank));
  }
  // The search sums in another order, so that rounding may make it differ from the printed total.
  std::stable_sort(list.begin(), list.end(),
                   [](const Translation& a, const Translation& b) { return a.total > b.total; });
  return list;
}

NbestExtractor::Node& NbestExtractor::node(std::uint32_t hypothesis) {
  if (node_of_[hypothesis] == kNone) {
    node_of_[hypothesis] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  }
  return nodes_[node_of_[hypothesis]];
}

void NbestExtractor::add_candidate(Node& node, std::uint32_t edge, std::uint32_t rank) {
  const std::vector<Hypothesis>& all = searcher_.graph().hypotheses();
  const Hypothesis& hypothesis = all[edge];
  const Derivation* before = derivation(hypothesis.previous, rank);
  if (!before) return;
  const PreparedOption& option = *searcher_.options().option(hypothesis.option).prepared;
  const float score = before->score + (hypothesis.score - all[hypothesis.previous].score);
  node.candidates.push_back({score, edge, rank, before->words * option.hash_power + option.hash});
}

const NbestExtractor::Derivation* NbestExtractor::derivation(std::uint32_t hypothesis,
                                                             std::size_t rank) {
  Node& node = this->node(hypothesis);
  if (rank < node.best.size()) return &node.best[rank];
  const auto after = [](const Derivation& a, const Derivation& b) {
    if (a.score != b.score) return a.score < b.score;
    return a.edge != b.edge ? a.edge > b.edge : a.rank > b.rank;
  };
  const std::vector<Hypothesis>& all = searcher_.graph().hypotheses();
  if (!node.opened) {
    node.opened = true;
    if (all[hypothesis].previous == kNone) {
      node.best.push_back({0, kNone, 0, 0});
    } else {
      for (std::uint32_t edge = hypothesis; edge != kNone; edge = all[edge].alternative) {
        add_candidate(node, edge, 0);
      }
      std::make_heap(node.candidates.begin(), node.candidates.end(), after);
    }
  }
  while (rank >= node.best.size() && !node.candidates.empty()) {
    searcher_.check_stop();
    std::pop_heap(node.candidates.begin(), node.candidates.end(), after);
    const Derivation next = node.candidates.back();
    node.candidates.pop_back();
    const std::size_t had = node.candidates.size();
    add_candidate(node, next.edge, next.rank + 1);
    if (node.candidates.size() > had) {
      std::push_heap(node.candidates.begin(), node.candidates.end(), after);
    }
    if (!distinct_ || seen_.insert(combine(next.words, hypothesis))) node.best.push_back(next);
  }
  return rank < node.best.size() ? &node.best[rank] : nullptr;
}

float NbestExtractor::estimate(std::uint32_t edge) const {
  const SearchGraph& graph = searcher_.graph();
  const Hypothesis& hypothesis = graph.hypotheses()[edge];
  if (hypothesis.previous == kNone) return 0;
  return graph.group(hypothesis.group).future;
}

const float* NbestExtractor::upto(std::uint32_t edge) {
  const std::size_t width = searcher_.model().feature_count() + 1;
  const std::vector<Hypothesis>& all = searcher_.graph().hypotheses();
  std::vector<std::uint32_t> missing;
  for (std::uint32_t h = edge; values_of_[h] < 0; h = all[h].previous) {
    missing.push_back(h);
    if (all[h].previous == kNone) break;
  }
  for (auto h = missing.rbegin(); h != missing.rend(); ++h) {
    values_of_[*h] = static_cast<std::int64_t>(values_.size());
    values_.resize(values_.size() + width, 0);
    if (all[*h].previous == kNone) continue;
    float* values = values_.data() + values_of_[*h];
    searcher_.add_edge_scores(*h, values);
    const float* before = values_.data() + values_of_[all[*h].previous];
    for (std::size_t i = 0; i + 1 < width; ++i) values[i] += before[i];
    // Moses keeps the sum including the future cost, whose rounding shows in the sixth digit.
    const float future = estimate(*h);
    const float score_before = before[width - 1] - estimate(all[*h].previous);
    values[width - 1] = values[width - 1] + future + score_before;
  }
  return values_.data() + values_of_[edge];
}

Translation NbestExtractor::trace(std::uint32_t hypothesis, std::size_t rank) {
  const std::size_t width = searcher_.model().feature_count() + 1;
  const std::vector<Hypothesis>& all = searcher_.graph().hypotheses();
  Translation translation;
  while (all[hypothesis].previous != kNone) {
    const Derivation& last = *derivation(hypothesis, rank);
    upto(hypothesis);
    const float* found = upto(last.edge);
    if (translation.values.empty()) {
      translation.values.assign(found, found + width);
    } else if (last.edge != hypothesis) {
      // Not the best way to this state: replace that way's values by those of the way taken.
      const float* best = upto(hypothesis);
      for (std::size_t i = 0; i < width; ++i) {
        translation.values[i] = translation.values[i] - best[i] + found[i];
      }
    }
    translation.steps.push_back({all[last.edge].previous, all[last.edge].option});
    hypothesis = all[last.edge].previous;
    rank = last.rank;
  }
  std::reverse(translation.steps.begin(), translation.steps.end());
  translation.total = translation.values.back();
  check_number(translation.total);
  translation.values.pop_back();
  return translation;
}

}  // namespace nlmt::decoder
