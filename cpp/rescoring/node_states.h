// Nodes of lattices split into at most k states, which differ in the language models' histories.
//
// After Auli, Galley, Quirk and Zweig (2013), section 3. The lattices of a window are processed
// together, level by level: the level of a node is the number of arcs of the longest path to it.
// For each level, `choose` makes the states of its nodes from earlier scores; then the caller sets,
// length by length, the scores of all words that may follow them. The caller keeps the models' own
// states (hidden layers, contexts): here a state is a row number.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "interner.h"
#include "phrase_trees.h"
#include "ticks.h"

namespace nlmt::rescoring {

struct StateOptions {
  std::size_t most = 0;         // k, states a node; 0: no bound
  std::size_t context = 0;      // words that the models remember
  bool whole_history = false;   // they remember all, `context` does not count
  bool recombine = false;       // an arc to a dropped state leads to the node's best state
  std::vector<double> weights;  // of the models
};

// The earlier state and the words that lead to each new state.
struct Origins {
  std::vector<std::int64_t> parents;  // earlier state; -1: the start of a lattice
  std::vector<std::int64_t> offsets;  // its further words are words[offsets[i]] and so on
  std::vector<std::int32_t> words, positions;
};

// Requests to a model at one position of the phrases that may follow.
struct Requests {
  // For the first word the state; for further words the row among the requests with `inner` before.
  std::vector<std::int64_t> rows;
  std::vector<std::int32_t> words, positions;
  std::vector<std::uint8_t> inner;  // whether more words follow
  std::vector<std::int32_t> lattices;
};

// Arcs between states: those of the lattice, with the new scores.
struct StateArcs {
  std::vector<std::int64_t> from, to;
  std::vector<std::int32_t> arc;
  std::vector<float> scores;  // (arcs, models)
};

class NodeStates {
 public:
  NodeStates(JoinedLattices lattices, StateOptions options);

  std::size_t levels() const { return level_nodes_.size(); }
  std::size_t size() const { return totals_.size(); }
  // The last level that an arc from a node of `level` leads to.
  std::int32_t last_use(std::size_t level) const { return last_use_.at(level); }

  // Makes the states of a level, those of a node by falling score. Calls `poll`, which may throw,
  // now and then.
  Origins choose(std::size_t level, const std::function<void()>& poll);
  // The words at place `length` (from 1) of the phrases after states [first, last) of one level.
  Requests requests(std::int64_t first, std::int64_t last, std::size_t length) const;
  // Their scores (models, requests).
  void set_scores(std::int64_t first, std::int64_t last, std::size_t length, const double* scores);
  // The number of these scores.
  std::size_t requested(std::int64_t first, std::int64_t last, std::size_t length) const;
  // Drops data that only levels up to `level` needed.
  void forget(std::size_t level);

  std::int32_t lattice_of(std::int64_t state) const { return lattice_[node_[state]]; }
  StateArcs take_arcs() { return std::move(arcs_); }

 private:
  struct Candidate {
    double total;
    std::int64_t state;
    std::int32_t arc;
    std::int32_t group;
  };
  struct Group {
    std::size_t best;  // candidate
    std::int64_t state = -1;
  };

  std::int64_t new_state(std::int32_t node, double total, const std::int32_t* key);
  void choose_node(std::int32_t node, Origins& origins, Ticks& tick);
  void gather(std::int32_t node, Ticks& tick);
  void group(bool is_end);
  void make_key(const Candidate& candidate, std::int32_t* key) const;
  void add_origin(const Candidate& candidate, bool is_end, Origins& origins) const;
  double& score(std::size_t model, std::int64_t state, std::size_t entry);

  JoinedLattices lattices_;
  StateOptions options_;
  PhraseTrees trees_;
  std::size_t width_;                  // numbers of a key
  std::vector<std::int32_t> lattice_;  // of each node
  std::vector<std::vector<std::int32_t>> level_nodes_;
  std::vector<std::int32_t> level_, last_use_;
  std::vector<std::int64_t> in_offsets_;  // arcs into each node
  std::vector<std::int32_t> in_arcs_;
  std::vector<std::int64_t> first_state_, last_state_;  // of each node

  // Of each state.
  std::vector<double> totals_;
  std::vector<std::int32_t> node_;
  std::vector<std::int32_t> keys_;  // (states, width)
  std::vector<std::int64_t> first_score_;
  // Of each level: (models, entries of all its states), each sum of a phrase's words so far.
  std::vector<std::vector<double>> scores_;
  std::vector<std::int64_t> level_entries_;

  // Of the node at hand.
  std::vector<Candidate> candidates_;
  std::vector<Group> groups_;
  Interner numbers_;  // of the groups
  std::vector<std::int32_t> new_keys_;
  StateArcs arcs_;
};

}  // namespace nlmt::rescoring
