#include "lattice_graph.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>

namespace nlmt::io {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNever ? a : a + std::log(1 + std::exp(b - a));
}

double join(double a, double b, PathSum sum) {
  return sum == PathSum::kBest ? std::max(a, b) : log_add(a, b);
}

}  // namespace

std::vector<double> forward_scores(const LatticeArcs& arcs, const double* scores, PathSum sum) {
  std::vector<double> forward(static_cast<std::size_t>(arcs.nodes), kNever);
  forward[0] = 0;
  for (std::size_t a = 0; a < arcs.size; ++a) {
    double& to = forward[arcs.to[a]];
    to = join(to, forward[arcs.from[a]] + scores[a], sum);
  }
  return forward;
}

std::vector<double> backward_scores(const LatticeArcs& arcs, const double* scores, PathSum sum) {
  std::vector<double> backward(static_cast<std::size_t>(arcs.nodes), kNever);
  backward.back() = 0;
  for (std::size_t a = arcs.size; a-- > 0;) {
    double& from = backward[arcs.from[a]];
    from = join(from, backward[arcs.to[a]] + scores[a], sum);
  }
  return backward;
}

std::vector<std::int32_t> best_path(const LatticeArcs& arcs, const double* scores) {
  std::vector<double> forward(static_cast<std::size_t>(arcs.nodes), kNever);
  std::vector<std::int32_t> last(static_cast<std::size_t>(arcs.nodes), -1);
  forward[0] = 0;
  for (std::size_t a = 0; a < arcs.size; ++a) {
    const double score = forward[arcs.from[a]] + scores[a];
    if (score > forward[arcs.to[a]]) {
      forward[arcs.to[a]] = score;
      last[arcs.to[a]] = static_cast<std::int32_t>(a);
    }
  }
  std::vector<std::int32_t> path;
  for (std::int32_t a = last.back(); a >= 0; a = last[arcs.from[a]]) path.push_back(a);
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<bool> prune_arcs(const LatticeArcs& arcs, const double* scores, double beam,
                             std::size_t most) {
  const std::vector<double> forward = forward_scores(arcs, scores, PathSum::kBest);
  const std::vector<double> backward = backward_scores(arcs, scores, PathSum::kBest);
  std::vector<double> through(arcs.size);
  for (std::size_t a = 0; a < arcs.size; ++a) {
    through[a] = forward[arcs.from[a]] + scores[a] + backward[arcs.to[a]];
  }
  double worst = backward[0] - beam;
  if (most < arcs.size) {
    std::vector<double> sorted = through;
    const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(most, 1));
    std::nth_element(sorted.begin(), place - 1, sorted.end(), std::greater<double>());
    worst = std::max(worst, *(place - 1));
  }
  // The arcs of one path have its score with different rounding.
  worst -= 1e-9 * (1 + std::abs(backward[0]));
  std::vector<bool> kept(arcs.size);
  for (std::size_t a = 0; a < arcs.size; ++a) kept[a] = through[a] >= worst;
  return kept;
}

Arrangement arrange(const LatticeArcs& arcs, std::int32_t start, std::int32_t end) {
  const auto nodes = static_cast<std::size_t>(arcs.nodes);
  // Arcs by the node at one of their ends: order[first[n]] to order[first[n + 1]].
  struct Grouped {
    std::vector<std::size_t> first;
    std::vector<std::int32_t> order;
  };
  const auto group = [&](const std::int32_t* key) {
    Grouped grouped{std::vector<std::size_t>(nodes + 1, 0), std::vector<std::int32_t>(arcs.size)};
    for (std::size_t a = 0; a < arcs.size; ++a) ++grouped.first[key[a] + 1];
    for (std::size_t n = 0; n < nodes; ++n) grouped.first[n + 1] += grouped.first[n];
    std::vector<std::size_t> next(grouped.first.begin(), grouped.first.end() - 1);
    for (std::size_t a = 0; a < arcs.size; ++a) {
      grouped.order[next[key[a]]++] = static_cast<std::int32_t>(a);
    }
    return grouped;
  };
  const Grouped out = group(arcs.from), in = group(arcs.to);
  const auto reach = [&](std::int32_t root, const Grouped& grouped, const std::int32_t* other) {
    std::vector<bool> found(nodes, false);
    std::vector<std::int32_t> open(1, root);
    found[root] = true;
    while (!open.empty()) {
      const std::int32_t node = open.back();
      open.pop_back();
      for (std::size_t i = grouped.first[node]; i < grouped.first[node + 1]; ++i) {
        const std::int32_t next = other[grouped.order[i]];
        if (!found[next]) open.push_back(next);
        found[next] = true;
      }
    }
    return found;
  };
  std::vector<bool> useful = reach(start, out, arcs.to);
  const std::vector<bool> leads = reach(end, in, arcs.from);
  Arrangement result;
  result.nodes.assign(nodes, -1);
  if (!useful[end]) return result;
  std::int32_t expected = 0;
  for (std::size_t n = 0; n < nodes; ++n) {
    useful[n] = useful[n] && leads[n];
    expected += useful[n];
  }
  std::vector<std::size_t> waiting(nodes, 0);  // arcs that lead to a node from those not numbered
  for (std::size_t a = 0; a < arcs.size; ++a) waiting[arcs.to[a]] += useful[arcs.from[a]];
  std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<std::int32_t>> ready;
  if (waiting[start] == 0) ready.push(start);
  while (!ready.empty()) {
    const std::int32_t node = ready.top();
    ready.pop();
    result.nodes[node] = result.count++;
    for (std::size_t i = out.first[node]; i < out.first[node + 1]; ++i) {
      const std::int32_t to = arcs.to[out.order[i]];
      if (useful[to] && --waiting[to] == 0) ready.push(to);
    }
  }
  result.cyclic = result.count != expected;
  for (std::size_t a = 0; a < arcs.size; ++a) {
    if (useful[arcs.from[a]] && useful[arcs.to[a]]) {
      result.arcs.push_back(static_cast<std::int32_t>(a));
    }
  }
  std::stable_sort(result.arcs.begin(), result.arcs.end(), [&](std::int32_t a, std::int32_t b) {
    const auto& number = result.nodes;
    if (arcs.from[a] != arcs.from[b]) return number[arcs.from[a]] < number[arcs.from[b]];
    return number[arcs.to[a]] < number[arcs.to[b]];
  });
  return result;
}

}  // namespace nlmt::io
