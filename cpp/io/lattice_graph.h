// Paths through a lattice: the best ones, sums over all of them, and pruning.
//
// Scores are natural logs, one an arc. Arcs are sorted by start node and lead upwards, so that one
// pass over them, forwards or backwards, is a dynamic programme.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace nlmt::io {

struct LatticeArcs {
  std::int32_t nodes;
  std::size_t size;
  const std::int32_t* from;
  const std::int32_t* to;
};

// The words of each arc: words[offsets[phrase[a]]] up to words[offsets[phrase[a] + 1]].
struct ArcWords {
  const std::int32_t* phrase;
  const std::int64_t* offsets;
  const std::int32_t* words;
};

enum class PathSum { kBest, kAll };  // the best of several paths, or the log of their sum

// (nodes): score of the paths from the start to each node, or from each node to the end.
std::vector<double> forward_scores(const LatticeArcs& arcs, const double* scores, PathSum sum);
std::vector<double> backward_scores(const LatticeArcs& arcs, const double* scores, PathSum sum);

// The arcs of the best path; of equal ones that whose last arc has the lowest number, and so on
// towards the start.
std::vector<std::int32_t> best_path(const LatticeArcs& arcs, const double* scores);

// Which arcs are on a path at most `beam` below the best one, and among the `most` arcs with the
// best such paths. Each kept arc is on a kept path, so that there may be a few more.
std::vector<bool> prune_arcs(const LatticeArcs& arcs, const double* scores, double beam,
                             std::size_t most);

// The part of any graph that is on a path from `start` to `end`, in topological order.
struct Arrangement {
  bool cyclic = false;              // then all else is meaningless
  std::vector<std::int32_t> nodes;  // new number of each node, or -1
  std::vector<std::int32_t> arcs;   // old numbers of the arcs kept, in their new order
  std::int32_t count = 0;           // nodes kept; 0 where no path leads to the end
};

// Nodes keep their order if it is already topological. All ends of arcs must be nodes.
Arrangement arrange(const LatticeArcs& arcs, std::int32_t start, std::int32_t end);

struct Paths {
  std::vector<std::int64_t> offsets{0};  // path i: arcs[offsets[i]] and so on
  std::vector<std::int32_t> arcs;
  std::vector<double> scores;
};

// The `count` best paths, exactly and in order (Huang and Chiang 2005, algorithm 3); if `distinct`,
// only the best path of each sequence of words. Calls `poll`, which may throw, now and then.
Paths best_paths(const LatticeArcs& arcs, const double* scores, std::size_t count,
                 const ArcWords* distinct, const std::function<void()>& poll);

}  // namespace nlmt::io
