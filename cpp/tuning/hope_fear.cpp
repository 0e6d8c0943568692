#include "hope_fear.h"

#include <algorithm>

namespace nlmt::tuning {

std::vector<int32_t> PathSearch::find(const io::Lattice& lattice, const ReferenceNgrams& references,
                                      const double* arc_scores, const Gains& gains) {
  std::array<double, kBleuOrder + 1> gain_of{gains.word};  // by the order that matches
  for (int n = 0; n < kBleuOrder; ++n) gain_of[n + 1] = gain_of[n] + gains.match[n];
  if (waiting_.size() < static_cast<size_t>(lattice.nodes)) waiting_.resize(lattice.nodes);
  for (auto& states : waiting_) states.clear();
  states_.clear();
  waiting_[0].push_back({ReferenceNgrams::kStart, 0, -1, -1});
  size_t arc = 0;
  int64_t first = 0;
  for (int32_t node = 0; node < lattice.nodes; ++node) {
    first = static_cast<int64_t>(states_.size());
    states_.insert(states_.end(), waiting_[node].begin(), waiting_[node].end());
    const auto last = static_cast<int64_t>(states_.size());
    for (; arc < lattice.arcs() && lattice.from[arc] == node; ++arc) {
      auto& reached = waiting_[lattice.to[arc]];
      const int64_t* const offsets = &lattice.word_offsets[lattice.phrase[arc]];
      for (int64_t i = first; i < last; ++i) {
        int32_t context = states_[i].context;
        double score = states_[i].score + arc_scores[arc];
        for (int64_t w = offsets[0]; w < offsets[1]; ++w) {
          context = references.next(context, lattice.words[w]);
          score += gain_of[references.order(context)];
        }
        context = references.context(context);
        // There are few contexts at a node.
        const auto same = std::find_if(reached.begin(), reached.end(), [&](const State& other) {
          return other.context == context;
        });
        if (same == reached.end()) {
          reached.push_back({context, score, static_cast<int32_t>(arc), i});
        } else if (score > same->score) {
          *same = {context, score, static_cast<int32_t>(arc), i};
        }
      }
    }
  }
  // The states of the last node are at the end.
  std::vector<int32_t> path;
  const auto better = [](const State& a, const State& b) { return a.score < b.score; };
  const auto best = std::max_element(states_.begin() + first, states_.end(), better);
  if (best == states_.end()) return path;
  for (const State* state = &*best; state->arc >= 0; state = &states_[state->previous]) {
    path.push_back(state->arc);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace nlmt::tuning
