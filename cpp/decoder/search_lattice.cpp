#include "search_lattice.h"

#include <algorithm>
#include <cmath>

#include "io/lattice_graph.h"
#include "translation_text.h"

namespace nlmt::decoder {
namespace {

// The graph's edges as arcs between places in the list of nodes.
struct Skeleton {
  std::int32_t nodes = 0;
  std::vector<std::int32_t> from, to;
  std::vector<std::uint32_t> edge;

  void add(std::int32_t start, std::int32_t end, std::uint32_t of) {
    from.push_back(start);
    to.push_back(end);
    edge.push_back(of);
  }
  io::LatticeArcs arcs() const { return {nodes, from.size(), from.data(), to.data()}; }
};

// The part of the search graph from which the end can be reached. A node is a hypothesis and all
// that were recombined with it; nodes are sorted by covered words, then by age, so that every arc
// leads upwards.
Skeleton skeleton(const Searcher& searcher, std::uint32_t best) {
  const SearchGraph& graph = searcher.graph();
  const std::vector<Hypothesis>& all = graph.hypotheses();
  std::vector<std::uint32_t> nodes;
  std::vector<std::int32_t> place(all.size(), -1);
  std::vector<std::uint32_t> open(1, best);
  place[best] = 0;
  const auto for_each_edge = [&](std::uint32_t node, const auto& use) {
    for (std::uint32_t edge = node; edge != kNone; edge = all[edge].alternative) {
      if (all[edge].previous != kNone) use(edge);
    }
  };
  while (!open.empty()) {
    nodes.push_back(open.back());
    open.pop_back();
    for_each_edge(nodes.back(), [&](std::uint32_t edge) {
      const std::uint32_t previous = all[edge].previous;
      if (place[previous] < 0) open.push_back(previous);
      place[previous] = 0;
    });
  }
  const auto covered = [&](std::uint32_t node) { return graph.group(all[node].group).covered; };
  std::sort(nodes.begin(), nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
    return covered(a) != covered(b) ? covered(a) < covered(b) : a < b;
  });
  for (std::size_t i = 0; i < nodes.size(); ++i) place[nodes[i]] = static_cast<std::int32_t>(i);
  struct Arc {
    std::int32_t from, to;
    std::uint32_t edge;
  };
  std::vector<Arc> arcs;
  for (const std::uint32_t node : nodes) {
    for_each_edge(node, [&](std::uint32_t edge) {
      arcs.push_back({place[all[edge].previous], place[node], edge});
    });
  }
  std::sort(arcs.begin(), arcs.end(), [](const Arc& a, const Arc& b) {
    if (a.from != b.from) return a.from < b.from;
    return a.to != b.to ? a.to < b.to : a.edge < b.edge;
  });
  Skeleton found;
  found.nodes = static_cast<std::int32_t>(nodes.size());
  for (const Arc& arc : arcs) found.add(arc.from, arc.to, arc.edge);
  return found;
}

std::size_t most_arcs(const Searcher& searcher, std::uint32_t best, double density) {
  const std::vector<Hypothesis>& all = searcher.graph().hypotheses();
  std::size_t words = 0;
  for (std::uint32_t h = best; all[h].previous != kNone; h = all[h].previous) {
    words += searcher.options().option(all[h].option).prepared->length;
  }
  const double most = density * static_cast<double>(std::max<std::size_t>(words, 1));
  return most < 1e18 ? static_cast<std::size_t>(std::llround(most))
                     : std::numeric_limits<std::size_t>::max();
}

Skeleton pruned(const Searcher& searcher, const Skeleton& whole, std::uint32_t best,
                const LatticeLimits& limits) {
  const std::vector<Hypothesis>& all = searcher.graph().hypotheses();
  std::vector<double> scores;
  for (const std::uint32_t edge : whole.edge) {
    scores.push_back(double{all[edge].score} - all[all[edge].previous].score);
  }
  const std::vector<bool> kept = io::prune_arcs(whole.arcs(), scores.data(), limits.beam,
                                                most_arcs(searcher, best, limits.density));
  Skeleton some{whole.nodes, {}, {}, {}};
  for (std::size_t a = 0; a < kept.size(); ++a) {
    if (kept[a]) some.add(whole.from[a], whole.to[a], whole.edge[a]);
  }
  const io::Arrangement arrangement = arrange(some.arcs(), 0, some.nodes - 1);
  Skeleton found;
  found.nodes = arrangement.count;
  for (const std::int32_t a : arrangement.arcs) {
    found.add(arrangement.nodes[some.from[a]], arrangement.nodes[some.to[a]], some.edge[a]);
  }
  return found;
}

void add_phrase(const Searcher& searcher, const Option& option, WordTable& words,
                io::Lattice& lattice) {
  for (std::uint32_t i = 0; i < option.prepared->length; ++i) {
    const std::string_view word = searcher.options().spelling(option.prepared->words[i]);
    lattice.words.push_back(words.add(word));
  }
  lattice.word_offsets.push_back(static_cast<std::int64_t>(lattice.words.size()));
  lattice.spans.push_back(option.begin);
  lattice.spans.push_back(option.end);
  for (const auto& [source, target] : aligned_words(searcher, option)) {
    lattice.points.push_back(static_cast<std::int32_t>(source));
    lattice.points.push_back(static_cast<std::int32_t>(target));
  }
  lattice.point_offsets.push_back(static_cast<std::int64_t>(lattice.points.size() / 2));
}

}  // namespace

io::Lattice make_lattice(const Searcher& searcher, std::uint32_t best,
                         const std::vector<std::string_view>& tokens, std::size_t sentence,
                         const LatticeLimits& limits, WordTable& words) {
  const std::vector<Hypothesis>& all = searcher.graph().hypotheses();
  Skeleton graph = skeleton(searcher, best);
  if (std::isfinite(limits.beam) || std::isfinite(limits.density)) {
    graph = pruned(searcher, graph, best, limits);
  }
  io::Lattice lattice;
  lattice.sentence = static_cast<std::int64_t>(sentence);
  for (const std::string_view token : tokens) lattice.source.push_back(words.add(token));
  lattice.nodes = graph.nodes;
  lattice.width = searcher.model().feature_count();
  std::vector<std::int32_t> phrase_of(searcher.options().size(), -1);  // by option
  std::vector<float> values(lattice.width + 1);
  for (const std::uint32_t edge : graph.edge) {
    searcher.check_stop();
    const std::uint32_t option = all[edge].option;
    if (phrase_of[option] < 0) {
      phrase_of[option] = static_cast<std::int32_t>(lattice.phrases());
      add_phrase(searcher, searcher.options().option(option), words, lattice);
    }
    lattice.phrase.push_back(phrase_of[option]);
    std::fill(values.begin(), values.end(), 0.0f);
    searcher.add_edge_scores(edge, values.data());
    lattice.values.insert(lattice.values.end(), values.begin(), values.end() - 1);
  }
  lattice.from = std::move(graph.from);
  lattice.to = std::move(graph.to);
  return lattice;
}

io::Lattice empty_lattice(const Model& model, std::size_t sentence) {
  io::Lattice lattice;
  lattice.sentence = static_cast<std::int64_t>(sentence);
  lattice.width = model.feature_count();
  return lattice;
}

io::LatticeMeaning lattice_meaning(const Model& model, const WordTable& words) {
  io::LatticeMeaning meaning;
  for (std::int32_t id = 0; id < words.size(); ++id) meaning.words.push_back(words.word(id));
  for (const Feature& feature : model.features()) {
    for (std::size_t i = 1; i <= feature.width; ++i) {
      meaning.names.push_back(io::value_name(feature.label, i, feature.width));
    }
  }
  meaning.weights.assign(model.weights().begin(), model.weights().end());
  return meaning;
}

}  // namespace nlmt::decoder
