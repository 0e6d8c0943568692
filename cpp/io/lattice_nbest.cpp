// The best paths in order. Each node lists its derivations lazily, one more whenever a later one
// asks. For distinct words a node drops a derivation whose words equal those of a better one of its
// own: whatever follows, it could only repeat that one's. So the distinct list is exact, too.
#include <algorithm>
#include <unordered_set>

#include "hashing.h"
#include "lattice_graph.h"

namespace nlmt::io {
namespace {

constexpr std::uint32_t kPolledPaths = 1 << 10;

// A way to a node: the last arc, and the derivation of the node before it.
struct Derivation {
  double score;
  std::int32_t arc;
  std::uint32_t rank;
  std::uint64_t words;  // hash of its words
};

bool after(const Derivation& a, const Derivation& b) {
  if (a.score != b.score) return a.score < b.score;
  return a.arc != b.arc ? a.arc > b.arc : a.rank > b.rank;
}

class Extractor {
 public:
  Extractor(const LatticeArcs& arcs, const double* scores, const ArcWords* distinct)
      : arcs_(arcs),
        scores_(scores),
        distinct_(distinct),
        nodes_(static_cast<std::size_t>(arcs.nodes)) {
    nodes_[0].best.push_back({0, -1, 0, 0});
    for (std::size_t a = 0; a < arcs.size; ++a) ++nodes_[arcs.to[a]].incoming;
    std::size_t a = 0;
    for (std::int32_t n = 0; n < arcs.nodes; ++n) {
      Node& node = nodes_[n];
      // All arcs to this node come from lower ones, whose best derivations are already known.
      std::make_heap(node.open.begin(), node.open.end(), after);
      if (n > 0) advance(node);
      for (; a < arcs.size && arcs.from[a] == n; ++a) {
        Node& to = nodes_[arcs.to[a]];
        if (to.open.empty()) to.open.reserve(to.incoming);
        if (!node.best.empty()) to.open.push_back(extended(static_cast<std::int32_t>(a), 0));
      }
    }
  }

  // Whether the end has a derivation of this rank.
  bool find(std::uint32_t rank) {
    struct Wish {
      std::int32_t node;
      std::uint32_t rank;
    };
    std::vector<Wish> wishes(1, {arcs_.nodes - 1, rank});
    while (!wishes.empty()) {
      const Wish wish = wishes.back();
      Node& node = nodes_[wish.node];
      if (node.best.size() > wish.rank || (node.open.empty() && node.next.arc < 0)) {
        wishes.pop_back();
        continue;
      }
      if (node.next.arc >= 0) {
        const std::int32_t before = arcs_.from[node.next.arc];
        Node& source = nodes_[before];
        if (source.best.size() > node.next.rank) {
          node.open.push_back(extended(node.next.arc, node.next.rank));
          std::push_heap(node.open.begin(), node.open.end(), after);
        } else if (!source.open.empty() || source.next.arc >= 0) {
          wishes.push_back({before, node.next.rank});
          continue;
        }
        node.next.arc = -1;
      }
      advance(node);
    }
    return nodes_.back().best.size() > rank;
  }

  void trace(std::uint32_t rank, Paths& paths) const {
    const Derivation* last = &nodes_.back().best[rank];
    paths.scores.push_back(last->score);
    while (last->arc >= 0) {
      paths.arcs.push_back(last->arc);
      last = &nodes_[arcs_.from[last->arc]].best[last->rank];
    }
    std::reverse(paths.arcs.begin() + paths.offsets.back(), paths.arcs.end());
    paths.offsets.push_back(static_cast<std::int64_t>(paths.arcs.size()));
  }

 private:
  struct Node {
    std::vector<Derivation> best;
    std::vector<Derivation> open;  // a heap
    Derivation next{0, -1, 0, 0};  // arc and rank still to be put into the heap; no arc: none
    std::unordered_set<std::uint64_t> seen;
    std::size_t incoming = 0;
  };

  Derivation extended(std::int32_t arc, std::uint32_t rank) const {
    const Derivation& before = nodes_[arcs_.from[arc]].best[rank];
    std::uint64_t hash = before.words;
    if (distinct_) {
      const std::int32_t phrase = distinct_->phrase[arc];
      for (auto w = distinct_->offsets[phrase]; w < distinct_->offsets[phrase + 1]; ++w) {
        hash = fold(hash, static_cast<std::uint64_t>(distinct_->words[w]) + 1);
      }
    }
    return {before.score + scores_[arc], arc, rank, hash};
  }

  // Moves the best open derivation to the list, and requests its successor.
  void advance(Node& node) {
    if (node.open.empty()) return;
    std::pop_heap(node.open.begin(), node.open.end(), after);
    const Derivation best = node.open.back();
    node.open.pop_back();
    node.next = {0, best.arc, best.rank + 1, 0};
    if (!distinct_ || node.seen.insert(best.words).second) node.best.push_back(best);
  }

  const LatticeArcs arcs_;
  const double* scores_;
  const ArcWords* distinct_;
  std::vector<Node> nodes_;
};

}  // namespace

Paths best_paths(const LatticeArcs& arcs, const double* scores, std::size_t count,
                 const ArcWords* distinct, const std::function<void()>& poll) {
  Extractor extractor(arcs, scores, distinct);
  Paths paths;
  for (std::uint32_t rank = 0; rank < count && extractor.find(rank); ++rank) {
    if (rank % kPolledPaths == 0) poll();
    extractor.trace(rank, paths);
  }
  return paths;
}

}  // namespace nlmt::io
