// The hypotheses that cover equally many source words, recombined and pruned.
#pragma once

#include <cstdint>
#include <vector>

#include "search_graph.h"

namespace nlmt::decoder {

class Stack {
 public:
  // `beam` is a natural log: how far below the best estimate a hypothesis may be.
  void start(float beam, bool keep_alternatives);

  // Adds a hypothesis, or hangs it on one of equal state, or the other way round. One that is too
  // bad for the stack may remain as an alternative, which improves n-best lists.
  void add(SearchGraph& graph, const Hypothesis& hypothesis, std::uint32_t forward_class);
  // Keeps the best `size` hypotheses, equal ones by age.
  void prune(SearchGraph& graph, std::size_t size);
  // Best first.
  const std::vector<std::uint32_t>& sorted(const SearchGraph& graph);
  std::size_t size() const { return members_.size(); }

 private:
  struct Slot {
    std::uint32_t group = kNone, lm_state = 0, forward_class = 0, hypothesis = 0;
  };

  std::size_t slot(std::uint32_t group, std::uint32_t lm_state, std::uint32_t forward_class) const;
  void refill(std::size_t slots);

  std::vector<std::uint32_t> members_;
  std::vector<Slot> slots_;
  float beam_ = 0, best_ = 0, worst_ = 0;
  bool keep_alternatives_ = false;
};

}  // namespace nlmt::decoder
