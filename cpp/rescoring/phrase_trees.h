// The words of each node's outgoing arcs in a lattice, as a prefix tree.
//
// Arcs whose phrases have a common prefix share the requests to a language model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nlmt::rescoring {

// The joined lattices of a window; every array is sorted by start node. Lattices follow each other,
// the last node of each is its end.
struct JoinedLattices {
  std::vector<std::int64_t> first_node;  // of each lattice, and the number of all nodes
  std::vector<std::int32_t> from, to, phrase;
  std::vector<double> scores;               // of each arc, without the new models
  std::vector<std::int64_t> word_offsets;   // phrase p: words[word_offsets[p]] and so on
  std::vector<std::int32_t> words;          // ids, equal where all models have equal ids
  std::vector<std::int32_t> positions;      // of each word in the source; empty: no model uses them
  std::vector<std::int32_t> end_positions;  // of each lattice's `</s>`
  std::int32_t end_word = 0;                // `</s>`

  std::size_t nodes() const { return static_cast<std::size_t>(first_node.back()); }
};

struct Word {
  std::int32_t word, position;  // position -1: no model uses it

  bool operator==(const Word& o) const { return word == o.word && position == o.position; }
  bool operator<(const Word& o) const {
    return position != o.position ? position < o.position : word < o.word;
  }
};

class PhraseTrees {
 public:
  struct Entry {
    std::int32_t parent;  // entry one word shorter, within the node's tree; -1: none
    Word word;
    std::int32_t inner = -1;  // its number among the entries of its length that go on
  };

  explicit PhraseTrees(const JoinedLattices& lattices);

  std::size_t size(std::int32_t node) const {
    return static_cast<std::size_t>(first_[node + 1] - first_[node]);
  }
  // The entries of `length` words (from 1) of a node's tree: [begin, end), counted within it.
  std::size_t begin(std::int32_t node, std::size_t length) const;
  std::size_t end(std::int32_t node, std::size_t length) const { return begin(node, length + 1); }
  const Entry& entry(std::int32_t node, std::size_t number) const {
    return entries_[static_cast<std::size_t>(first_[node]) + number];
  }
  std::size_t longest(std::int32_t node) const {
    return static_cast<std::size_t>(first_length_[node + 1] - first_length_[node]) - 1;
  }
  // The entry of an arc's whole phrase, followed by `</s>` if the arc leads to the end; -1: no
  // words.
  std::int32_t of_arc(std::size_t arc) const { return of_arc_[arc]; }

 private:
  void add_node(const JoinedLattices& lattices, std::int32_t last_node, std::int32_t end_position,
                std::size_t first_arc, std::size_t last_arc);

  std::vector<std::int64_t> first_;         // entry of each node's tree
  std::vector<std::int64_t> first_length_;  // into `lengths_`
  std::vector<std::int32_t> lengths_;       // where entries of each length begin, and their end
  std::vector<Entry> entries_;
  std::vector<std::int32_t> of_arc_;
};

}  // namespace nlmt::rescoring
