// A translation lattice as arrays.
//
// Nodes are numbered in topological order: the start is 0, the end is the last one, and every arc
// leads to a higher number. An arc applies a phrase; many arcs share one.
#pragma once

#include <cstdint>
#include <vector>

namespace nlmt::io {

struct Lattice {
  std::int64_t sentence = 0;
  std::vector<std::int32_t> source;  // ids of the source sentence's words, where known
  std::int32_t nodes = 1;            // 1: the start is the end, the one path is empty

  // By start node, then by end node.
  std::vector<std::int32_t> from, to, phrase;
  std::size_t width = 0;      // feature values an arc
  std::vector<float> values;  // (arcs, width)

  std::vector<std::int64_t> word_offsets{0};  // phrase p: words[word_offsets[p]] and so on
  std::vector<std::int32_t> words;            // ids; their meaning is the owner's
  std::vector<std::int32_t> spans;            // (phrases, 2): source words [begin, end); 0, 0: none
  std::vector<std::int64_t> point_offsets{0};
  std::vector<std::int32_t> points;  // (points, 2): source and target word within the phrase

  std::size_t arcs() const { return from.size(); }
  std::size_t phrases() const { return word_offsets.size() - 1; }
};

}  // namespace nlmt::io
