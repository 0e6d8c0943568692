#include "nbest.h"

#include <algorithm>
#include <cstdlib>

namespace nlmt::decoder {
namespace {

bool worse(float a_score, std::uint32_t a_edge, std::uint32_t a_rank, float b_score,
           std::uint32_t b_edge, std::uint32_t b_rank) {
  if (a_score != b_score) return a_score < b_score;
  return a_edge != b_edge ? a_edge > b_edge : a_rank > b_rank;
}

}  // namespace

std::vector<Translation> NbestExtractor::extract(std::uint32_t best, std::size_t count,
                                                 bool distinct) {
  const std::size_t edges = searcher_.graph().hypotheses().size();
  distinct_ = distinct;
  node_of_.assign(edges, kNone);
  nodes_.clear();
  values_of_.assign(edges, -1);
  values_.clear();
  std::vector<Translation> list;
  for (std::size_t rank = 0; rank < count && derivation(best, rank); ++rank) {
    list.push_back(trace(best, rank));
  }
  // The search adds up in single precision: what is printed adds up and is in order exactly.
  std::stable_sort(list.begin(), list.end(),
                   [](const Translation& a, const Translation& b) { return a.total > b.total; });
  return list;
}

NbestExtractor::Node& NbestExtractor::node(std::uint32_t hypothesis) {
  if (node_of_[hypothesis] == kNone) {
    node_of_[hypothesis] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(std::make_unique<Node>());
  }
  return *nodes_[node_of_[hypothesis]];
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
    return worse(a.score, a.edge, a.rank, b.score, b.edge, b.rank);
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
    std::pop_heap(node.candidates.begin(), node.candidates.end(), after);
    const Derivation next = node.candidates.back();
    node.candidates.pop_back();
    const std::size_t had = node.candidates.size();
    add_candidate(node, next.edge, next.rank + 1);
    if (node.candidates.size() > had) {
      std::push_heap(node.candidates.begin(), node.candidates.end(), after);
    }
    if (!distinct_ || node.seen.insert(next.words).second) node.best.push_back(next);
  }
  return rank < node.best.size() ? &node.best[rank] : nullptr;
}

const double* NbestExtractor::edge_values(std::uint32_t edge) {
  const Model& model = searcher_.model();
  if (values_of_[edge] < 0) {
    values_of_[edge] = static_cast<std::int64_t>(values_.size());
    values_.resize(values_.size() + model.feature_count(), 0.0);
    double* values = values_.data() + values_of_[edge];
    const SearchGraph& graph = searcher_.graph();
    const Hypothesis& hypothesis = graph.hypotheses()[edge];
    const Hypothesis& before = graph.hypotheses()[hypothesis.previous];
    const Group& group = graph.group(before.group);
    const Option& option = searcher_.options().option(hypothesis.option);
    const PreparedOption* previous =
        before.option == kNone ? nullptr : searcher_.options().option(before.option).prepared;
    model.add_phrase_features(*option.prepared, values);
    model.add_reordering_features(previous, *option.prepared,
                                  graph.relation(group, option.begin, option.end), values);
    model.add_distortion(std::abs(int{group.end} - int{option.begin}), values);
    std::vector<double> lm(model.lms().size());
    const bool last =
        graph.coverage(graph.group(hypothesis.group)).covered == searcher_.options().words();
    searcher_.lm_states().add_scores(before.lm_state, option.lm_phrase, last, lm.data());
    for (std::size_t m = 0; m < lm.size(); ++m) values[model.lm_offset(m)] += lm[m];
  }
  return values_.data() + values_of_[edge];
}

Translation NbestExtractor::trace(std::uint32_t hypothesis, std::size_t rank) {
  const Model& model = searcher_.model();
  Translation translation;
  translation.values.assign(model.feature_count(), 0.0);
  const std::vector<Hypothesis>& all = searcher_.graph().hypotheses();
  while (all[hypothesis].previous != kNone) {
    const Derivation& last = *derivation(hypothesis, rank);
    const double* values = edge_values(last.edge);
    for (std::size_t i = 0; i < model.feature_count(); ++i) translation.values[i] += values[i];
    translation.steps.push_back({all[last.edge].previous, all[last.edge].option});
    hypothesis = all[last.edge].previous;
    rank = last.rank;
  }
  std::reverse(translation.steps.begin(), translation.steps.end());
  translation.total = 0;
  for (std::size_t i = 0; i < model.feature_count(); ++i) {
    translation.total += model.weights()[i] * translation.values[i];
  }
  return translation;
}

}  // namespace nlmt::decoder
