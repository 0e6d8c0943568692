#include "lattice_ngrams.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace nlmt::io {

NgramPosteriors::NgramPosteriors(const LatticeArcs& arcs, const double* scores,
                                 const ArcWords& words, int order,
                                 const std::function<void()>& poll)
    : trie_(order) {
  std::vector<std::vector<std::int32_t>> places;  // by n-gram: the edges that complete it
  unfold(arcs, scores, words, places, poll);
  places.resize(static_cast<std::size_t>(trie_.size()));
  seen_.assign(reach_.size(), 0);
  std::size_t work = 0;
  for (const std::vector<std::int32_t>& edges : places) {
    probabilities_.push_back(edges.empty() ? 1 : first_time(edges));
    work += edges.empty() ? 0 : static_cast<std::size_t>(edges.back() - edges.front());
    if (work > (std::size_t{1} << 24)) {
      poll();
      work = 0;
    }
  }
}

void NgramPosteriors::unfold(const LatticeArcs& arcs, const double* scores, const ArcWords& words,
                             std::vector<std::vector<std::int32_t>>& places,
                             const std::function<void()>& poll) {
  const std::vector<double> rest = backward_scores(arcs, scores, PathSum::kAll);
  struct State {
    std::int32_t number, history;
  };
  std::vector<std::vector<State>> states(static_cast<std::size_t>(arcs.nodes));
  std::unordered_map<std::uint64_t, std::int32_t> numbers;  // by node and history
  const auto state = [&](std::int32_t node, std::int32_t history) {
    const std::uint64_t key =
        static_cast<std::uint64_t>(node) << 32 | static_cast<std::uint32_t>(history);
    const auto number = static_cast<std::int32_t>(reach_.size());
    const auto [known, is_new] = numbers.try_emplace(key, number);
    if (is_new) {
      states[node].push_back({number, history});
      reach_.push_back(0);
    }
    return known->second;
  };
  reach_[state(0, 0)] = 1;
  std::size_t first = 0;
  for (std::int32_t node = 0; node < arcs.nodes; ++node) {
    std::size_t last = first;
    while (last < arcs.size && arcs.from[last] == node) ++last;
    for (const State& from : states[node]) {
      for (std::size_t a = first; a < last; ++a) {
        const auto edge = static_cast<std::int32_t>(edges_.size());
        std::int32_t history = from.history;
        const std::int32_t phrase = words.phrase[a];
        for (std::int64_t w = words.offsets[phrase]; w < words.offsets[phrase + 1]; ++w) {
          const std::int32_t longest = trie_.add(history, words.words[w]);
          places.resize(static_cast<std::size_t>(trie_.size()));
          for (std::int32_t n = longest; n != 0; n = trie_.shorter(n)) {
            if (places[n].empty() || places[n].back() != edge) places[n].push_back(edge);
          }
          history = trie_.history(longest);
        }
        const std::int32_t to = state(arcs.to[a], history);
        const double probability = std::exp(scores[a] + rest[arcs.to[a]] - rest[node]);
        edges_.push_back({from.number, to, probability});
        if (edges_.size() % (std::size_t{1} << 18) == 0) poll();
        reach_[to] += reach_[from.number] * probability;
      }
    }
    first = last;
  }
}

double NgramPosteriors::first_time(const std::vector<std::int32_t>& edges) {
  double total = 0;
  auto next = edges.begin();
  for (std::int32_t e = edges.front(); e <= edges.back(); ++e) {
    const Edge& edge = edges_[e];
    if (e == *next) {
      ++next;
      total += (reach_[edge.from] - seen_[edge.from]) * edge.probability;
      seen_[edge.to] += reach_[edge.from] * edge.probability;
    } else {
      seen_[edge.to] += seen_[edge.from] * edge.probability;
    }
  }
  for (std::int32_t e = edges.front(); e <= edges.back(); ++e) seen_[edges_[e].to] = 0;
  return std::min(total, 1.0);
}

}  // namespace nlmt::io
