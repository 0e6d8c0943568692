#include "connected_graph.h"

#include <algorithm>

namespace nlmt::decoder {

std::vector<ConnectedNode> connected_graph(const Searcher& searcher, std::uint32_t best) {
  const SearchGraph& graph = searcher.graph();
  const std::vector<Hypothesis>& all = graph.hypotheses();
  std::vector<ConnectedNode> nodes;
  std::vector<bool> found(all.size(), false);
  std::vector<std::uint32_t> open(1, best);
  found[best] = true;
  while (!open.empty()) {
    ConnectedNode node{open.back(), 0, {}};
    open.pop_back();
    node.covered = graph.coverage(graph.group(all[node.hypothesis].group)).covered;
    for (std::uint32_t edge = node.hypothesis; edge != kNone; edge = all[edge].alternative) {
      const std::uint32_t previous = all[edge].previous;
      if (previous == kNone) continue;
      node.edges.push_back(edge);
      if (!found[previous]) {
        found[previous] = true;
        open.push_back(previous);
      }
    }
    if (!node.edges.empty()) std::sort(node.edges.begin() + 1, node.edges.end());
    nodes.push_back(std::move(node));
  }
  std::sort(nodes.begin(), nodes.end(), [](const ConnectedNode& a, const ConnectedNode& b) {
    return a.covered != b.covered ? a.covered < b.covered : a.hypothesis < b.hypothesis;
  });
  return nodes;
}

}  // namespace nlmt::decoder
