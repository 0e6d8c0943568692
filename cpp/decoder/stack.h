// The hypotheses that cover equally many source words, recombined and pruned.
#pragma once

#include <cstdint>
#include <vector>

#include "search_graph.h"

namespace nlmt::decoder {

class Stack {
 public:
  // Further conditions of recombination beside equal group and language model state.
  struct Ending {
    std::uint32_t forward_class = 0;
    std::uint32_t context = 0;  // number of the last words, 0 where the search compares none
    bool operator==(const Ending& other) const {
      return forward_class == other.forward_class && context == other.context;
    }
  };

  // `beam` is a natural log: how far below the best estimate a hypothesis may be.
  void start(float beam, bool keep_alternatives);

  // Adds a hypothesis, or links it as an alternative to one of equal state, or the reverse. One
  // that is too bad for the stack may remain as an alternative, which improves n-best lists.
  void add(SearchGraph& graph, const Hypothesis& hypothesis, const Ending& ending);
  // Keeps the best `size` hypotheses, equal ones by age.
  void prune(SearchGraph& graph, std::size_t size);
  // Best first.
  const std::vector<std::uint32_t>& sorted(const SearchGraph& graph);
  std::size_t size() const { return members_.size(); }

 private:
  struct Slot {
    std::uint32_t group = kNone, lm_state = 0, hypothesis = 0;
    Ending ending;
  };

  std::size_t slot(std::uint32_t group, std::uint32_t lm_state, const Ending& ending) const;
  void refill(std::size_t slots);

  std::vector<std::uint32_t> members_;
  std::vector<Slot> slots_;
  float beam_ = 0, best_ = 0, worst_ = 0;
  bool keep_alternatives_ = false;
};

}  // namespace nlmt::decoder
