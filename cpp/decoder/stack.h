// The hypotheses that cover equally many source words, recombined and pruned.
#pragma once

#include <cstdint>
#include <vector>

#include "interner.h"
#include "search_graph.h"

namespace nlmt::decoder {

// Until it is closed a stack has its hypotheses and their groups to itself, with numbers of its
// own, so that those it prunes take no memory in the search graph.
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

  // `key_size`: numbers a group's key. `beam` is a natural log: how far below the best estimate a
  // hypothesis may be.
  void start(std::size_t key_size, float beam, bool keep_alternatives);

  // Whether a hypothesis of this estimate can be no member. It may still be an alternative.
  bool too_bad(float estimate) const { return !(estimate >= worst_); }
  // The number of a group, until hypotheses are pruned; a new group's only if `make`, else kNone.
  std::uint32_t group(const std::uint64_t* key, bool make);
  // Adds a hypothesis, or links it as an alternative to one of equal state, or the reverse. One
  // that is too bad for the stack may remain as an alternative, which improves n-best lists.
  // Returns whether there is one hypothesis more.
  bool add(const Hypothesis& hypothesis, const Ending& ending);
  // Keeps the best `size` hypotheses, equal ones by age.
  void prune(std::size_t size);
  // Prunes, and moves all to the graph, groups in the order of their best hypotheses. Returns the
  // members' numbers there, best first; the stack is empty afterwards.
  std::vector<std::uint32_t> close(SearchGraph& graph, std::size_t size);
  std::size_t size() const { return members_.size(); }

 private:
  struct Slot {
    std::uint32_t group = kNone, lm_state = 0, hypothesis = 0;
    Ending ending;
  };

  std::size_t slot(std::uint32_t group, std::uint32_t lm_state, const Ending& ending) const;
  template <class Keep>
  void refill(std::size_t slots, const Keep& keep);
  void cut(std::size_t size);  // Keeps the best `size` members, the worst of them last.
  // The new numbers, from `first`, of the members and their alternatives in the order of their age;
  // kNone for the others.
  std::vector<std::uint32_t> places_from(std::uint32_t first) const;
  void drop_others();
  bool better(std::uint32_t a, std::uint32_t b) const {
    const float first = hypotheses_[a].estimate, second = hypotheses_[b].estimate;
    return first != second ? first > second : a < b;
  }

  std::vector<Hypothesis> hypotheses_;  // by age; `previous` is a number of the graph
  std::vector<std::uint32_t> members_;
  std::size_t kept_ = 0;  // hypotheses that were left when those without use were dropped
  std::size_t key_size_ = 0;
  std::vector<std::uint64_t> keys_;  // by group
  Interner group_numbers_;
  std::vector<Slot> slots_;
  float beam_ = 0, best_ = 0, worst_ = 0;
  bool keep_alternatives_ = false;
};

}  // namespace nlmt::decoder
