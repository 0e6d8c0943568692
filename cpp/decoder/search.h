// Beam search over partial translations: plain stacks (Koehn 2004) or cube pruning (Huang and
// Chiang 2007), with Moses' distortion limit, future costs, beam and recombination.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "key_set.h"
#include "lm_states.h"
#include "model.h"
#include "options.h"
#include "reordering_limits.h"
#include "search_graph.h"
#include "stack.h"

namespace nlmt::decoder {

struct SearchOptions {
  bool cube_pruning = false;
  std::size_t stack = 200;         // hypotheses kept a stack
  std::size_t pop_limit = 1000;    // hypotheses made a stack by cube pruning
  float beam = -11.512925f;        // natural log of Moses' beam threshold; -infinity: none
  int distortion_limit = 6;        // negative: none
  bool keep_alternatives = false;  // of recombined hypotheses, which n-best lists need
  bool monotone_at_punctuation = false;
  // Last target words that recombined hypotheses must share, if more than the models use.
  std::size_t recombination_context = 0;
  OptionSettings options;
};

// The result is no longer wanted.
struct Stopped {};

// Searches sentences one by one, reusing memory.
class Searcher {
 public:
  // `stop` makes a running search raise Stopped.
  Searcher(const Model& model, const SearchOptions& search, const std::atomic<bool>& stop)
      : model_(model), search_(search), stop_(stop) {}

  // Translates a sentence of at least one word; `tokens` and `markup` must live while the results
  // are read. Returns the best complete hypothesis, of which all others are alternatives, or kNone
  // if walls and zones leave no way.
  std::uint32_t search(const std::vector<std::string_view>& tokens, const Markup& markup);

  void check_stop() const {
    if (stop_.load(std::memory_order_relaxed)) throw Stopped();
  }

  const Model& model() const { return model_; }
  const SentenceOptions& options() const { return options_; }
  const SearchGraph& graph() const { return graph_; }
  // How many hypotheses the search made, with those that it pruned.
  std::size_t made() const { return made_; }
  // Adds the feature values of the phrase that leads to a hypothesis, in the model's order, and
  // followed by their weighted sum.
  void add_edge_scores(std::uint32_t edge, float* values) const;

 private:
  // One continuation of a group: each of its hypotheses times every option of a span.
  struct Cube {
    std::uint32_t group;
    std::uint32_t rows, row_count;        // offset into rows_
    std::uint32_t columns, column_count;  // offset into options_.columns()
    float future;                         // future cost after it
    float constant;                       // the same with weighted distortion
    std::uint64_t first_cell;             // its cells are numbered from here, row by row
    std::uint16_t covered;                // words after it
    Relation relation;
    std::uint32_t target = kNone;  // the group of its stack that it leads to, once it is needed
  };

  // A hypothesis of a group in the order of a relation.
  struct Row {
    float score;  // with the forward reordering of its last phrase
    std::uint32_t hypothesis;
  };

  // A hypothesis that cube pruning may pop.
  struct Cell {
    std::uint32_t cube, row, column;
    LmStates::Step lm;
  };

  // A cell in the heap, small as it is moved often.
  struct Candidate {
    float estimate;
    std::uint32_t cell;
  };

  void make_cubes(std::uint32_t group, std::vector<Cube>& cubes);
  std::uint32_t rows_of(std::uint32_t group, Relation relation);
  std::vector<std::uint32_t> close_stack(Stack& stack);
  // `longest`: words of the longest span that has translations.
  void expand_stacks(std::size_t longest);
  void prune_cubes(std::size_t longest);
  void add_cell(std::uint32_t cube, std::uint32_t row, std::uint32_t column);
  void add_next(std::uint32_t cube, std::uint32_t row, std::uint32_t column);
  float estimate(const Cell& cell) const;
  bool worse(const Candidate& a, const Candidate& b) const;
  void push(std::uint32_t cell);
  void drop_best();
  void replace_best(std::uint32_t cell);
  void settle_pending();
  bool first_visit(std::uint32_t cube, std::uint32_t row, std::uint32_t column);
  void add(Stack& stack, Cube& cube, std::uint32_t hypothesis, std::uint32_t option,
           const LmStates::Step& step, float estimate);
  std::uint32_t context_after(std::uint32_t hypothesis, const Option& option);
  LmStates::Request lm_request(const Cube& cube, std::uint32_t hypothesis,
                               std::uint32_t option) const {
    return {graph_.hypotheses()[hypothesis].lm_state, options_.option(option).lm_phrase,
            cube.covered == options_.words()};
  }
  LmStates::Request lm_request(const Cell& cell) const {
    const Cube& cube = (*open_cubes_)[cell.cube];
    return lm_request(cube, rows_[cube.rows + cell.row].hypothesis,
                      options_.columns()[cube.columns + cell.column].option);
  }

  const Model& model_;
  const SearchOptions search_;
  const std::atomic<bool>& stop_;
  LmStates states_;
  SentenceOptions options_;
  ReorderingLimits limits_;
  SearchGraph graph_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> first_member_;  // by group: where its hypotheses begin in members_
  std::vector<std::uint32_t> members_;       // of the groups of finished stacks
  std::uint32_t first_group_ = 0;            // of the last finished stack, which has the last ones
  std::vector<SearchGraph::Gap> gaps_;
  std::vector<std::uint64_t> key_;
  std::size_t made_ = 0;
  // By the number of covered words, modulo the length of the longest span: none is further ahead.
  std::vector<std::vector<Cube>> cubes_;
  std::vector<Stack> stacks_;
  std::vector<Cell> cells_;  // of the current stack
  std::vector<Candidate> heap_;
  std::vector<std::uint32_t> pending_;  // cells popped before the language models were asked
  std::vector<LmStates::Request> requests_;
  std::vector<LmStates::Step> steps_;  // of these
  const std::vector<Cube>* open_cubes_ = nullptr;
  KeySet seen_;               // cells that two others lead to
  Interner context_numbers_;  // of the last words that recombination compares
  Ragged<WordId> contexts_;   // by number, the last word first
  std::vector<WordId> last_words_;
};

}  // namespace nlmt::decoder
