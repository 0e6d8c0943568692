#include "phrase_trees.h"

#include <algorithm>

namespace nlmt::rescoring {

PhraseTrees::PhraseTrees(const JoinedLattices& lattices)
    : first_{0}, first_length_{0}, of_arc_(lattices.from.size(), -1) {
  std::size_t arc = 0;
  for (std::size_t lattice = 0; lattice + 1 < lattices.first_node.size(); ++lattice) {
    const auto last_node = static_cast<std::int32_t>(lattices.first_node[lattice + 1] - 1);
    const std::int32_t end_position =
        lattices.end_positions.empty() ? -1 : lattices.end_positions[lattice];
    for (auto node = static_cast<std::int32_t>(lattices.first_node[lattice]); node <= last_node;
         ++node) {
      const std::size_t first = arc;
      while (arc < lattices.from.size() && lattices.from[arc] == node) ++arc;
      add_node(lattices, last_node, end_position, first, arc);
    }
  }
}

std::size_t PhraseTrees::begin(std::int32_t node, std::size_t length) const {
  const std::size_t at = std::min(length - 1, longest(node));
  return static_cast<std::size_t>(lengths_[static_cast<std::size_t>(first_length_[node]) + at]);
}

void PhraseTrees::add_node(const JoinedLattices& lattices, std::int32_t last_node,
                           std::int32_t end_position, std::size_t first_arc, std::size_t last_arc) {
  struct Going {
    std::size_t arc;
    std::int32_t parent;
    Word word;
  };
  const auto word_of = [&](std::size_t arc, std::size_t place, Word& word) {
    const auto phrase = lattices.phrase[arc];
    const auto at = static_cast<std::size_t>(lattices.word_offsets[phrase]) + place;
    const auto end = static_cast<std::size_t>(lattices.word_offsets[phrase + 1]);
    if (at < end) {
      word = {lattices.words[at], lattices.positions.empty() ? -1 : lattices.positions[at]};
      return true;
    }
    word = {lattices.end_word, end_position};
    return at == end && lattices.to[arc] == last_node;
  };
  const std::size_t base = entries_.size();
  std::vector<Going> going;
  lengths_.push_back(0);
  for (std::size_t length = 1;; ++length) {
    going.clear();
    for (std::size_t arc = first_arc; arc < last_arc; ++arc) {
      Word word{};
      if (word_of(arc, length - 1, word)) going.push_back({arc, of_arc_[arc], word});
    }
    if (going.empty()) break;
    std::sort(going.begin(), going.end(), [](const Going& a, const Going& b) {
      if (a.parent != b.parent) return a.parent < b.parent;
      return a.word == b.word ? a.arc < b.arc : a.word < b.word;
    });
    std::int32_t inner = 0;
    for (std::size_t i = 0; i < going.size(); ++i) {
      const bool same = i > 0 && going[i].parent == going[i - 1].parent;
      if (!same || !(going[i].word == going[i - 1].word)) {
        if (!same && going[i].parent >= 0) {
          entries_[base + static_cast<std::size_t>(going[i].parent)].inner = inner++;
        }
        entries_.push_back({going[i].parent, going[i].word});
      }
      of_arc_[going[i].arc] = static_cast<std::int32_t>(entries_.size() - base) - 1;
    }
    lengths_.push_back(static_cast<std::int32_t>(entries_.size() - base));
  }
  first_.push_back(static_cast<std::int64_t>(entries_.size()));
  first_length_.push_back(static_cast<std::int64_t>(lengths_.size()));
}

}  // namespace nlmt::rescoring
