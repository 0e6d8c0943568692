#include "search.h"

#include <algorithm>
#include <cstdlib>

#include "probability.h"

namespace nlmt::decoder {
namespace {

constexpr std::size_t kSettled = 16;  // cells whose language model scores are made exact together

}  // namespace

std::uint32_t Searcher::search(const std::vector<std::string_view>& tokens, const Markup& markup) {
  states_.start(model_.lms(), model_.lm_weights(), model_.neural_lms(), model_.neural_weights());
  options_.build(model_, search_.options, tokens, markup, states_, [this] { check_stop(); });
  limits_.start(markup, tokens.size(), search_.distortion_limit);
  graph_.start(options_, states_.begin());
  made_ = 1;
  context_numbers_.clear();
  contexts_ = {};
  rows_.clear();
  // The empty hypothesis is a stack of its own, already done.
  first_group_ = 0;
  first_member_.assign(1, 0);
  members_.assign(1, 0);
  graph_.group(0).count = 1;
  std::size_t longest = 1;
  for (std::size_t begin = 0; begin < tokens.size(); ++begin) {
    longest = std::max(longest, options_.longest(begin));
  }
  if (search_.cube_pruning) {
    prune_cubes(longest);
  } else {
    expand_stacks(longest);
  }
  // All complete hypotheses have recombined; the last stack's one member is the best of them.
  const std::uint32_t last = members_.back();
  return graph_.group(graph_.hypotheses()[last].group).covered == tokens.size() ? last : kNone;
}

// Sorts the rest of a stack into its groups, best first in each. Returns it as a whole, best first.
std::vector<std::uint32_t> Searcher::close_stack(Stack& stack) {
  first_group_ = graph_.groups();
  const std::vector<std::uint32_t> sorted = stack.close(graph_, search_.stack);
  const std::vector<Hypothesis>& all = graph_.hypotheses();
  for (const std::uint32_t hypothesis : sorted) ++graph_.group(all[hypothesis].group).count;
  first_member_.resize(graph_.groups());
  auto next = static_cast<std::uint32_t>(members_.size());
  members_.resize(members_.size() + sorted.size());
  for (std::uint32_t group = first_group_; group < graph_.groups(); ++group) {
    first_member_[group] = next;
    next += graph_.group(group).count;
    graph_.group(group).count = 0;
  }
  for (const std::uint32_t hypothesis : sorted) {
    const std::uint32_t group = all[hypothesis].group;
    members_[first_member_[group] + graph_.group(group).count++] = hypothesis;
  }
  return sorted;
}

std::uint32_t Searcher::rows_of(std::uint32_t number, Relation relation) {
  Group& group = graph_.group(number);
  // Without forward reordering all relations have one order.
  std::int32_t& made = group.rows[model_.looks_forward() ? relation : kMonotone];
  if (made >= 0) return static_cast<std::uint32_t>(made);
  made = static_cast<std::int32_t>(rows_.size());
  const std::uint32_t* member = members_.data() + first_member_[number];
  for (std::uint32_t i = 0; i < group.count; ++i) {
    const Hypothesis& hypothesis = graph_.hypotheses()[member[i]];
    float score = hypothesis.score;
    if (hypothesis.option != kNone) {
      score += options_.option(hypothesis.option).prepared->forward[relation];
    }
    rows_.push_back({score, member[i]});
  }
  std::sort(rows_.begin() + made, rows_.end(), [](const Row& a, const Row& b) {
    return a.score != b.score ? a.score > b.score : a.hypothesis < b.hypothesis;
  });
  return static_cast<std::uint32_t>(made);
}

// Moses' rule of reordering: the next span begins within the limit from the end of the last one,
// and from its own end the first gap must be within the limit, unless it fills that gap.
void Searcher::make_cubes(std::uint32_t number, std::vector<Cube>& cubes) {
  check_stop();
  const Group& from = graph_.group(number);
  graph_.find_gaps(number, gaps_);
  const int last_end = from.end;
  const int limit = search_.distortion_limit;
  const int n = static_cast<int>(options_.words());
  const int gap = from.first_gap;
  const int furthest = limit < 0 || limit > n ? n : std::min(n, last_end + limit + 1);
  for (int begin = std::max(gap, limit < 0 ? 0 : last_end - limit); begin < furthest; ++begin) {
    const int longest = static_cast<int>(options_.longest(begin));
    for (int end = begin + 1; end <= begin + longest; ++end) {
      if (graph_.covers(number, end - 1)) break;
      if (begin != gap && limit >= 0 && std::abs(end - gap) > limit) continue;
      SentenceOptions::Span& span = options_.span(begin, end);
      if (span.count == 0) continue;
      if (limits_.active() && !limits_.allow(graph_, number, begin, end)) continue;
      const Relation relation = graph_.relation(from, begin, end);
      const float distortion = -static_cast<float>(std::abs(last_end - begin));
      const float future = graph_.future_after(gaps_, begin, end);
      cubes.push_back({number, rows_of(number, relation), from.count,
                       options_.columns_of(span, relation), span.count, future,
                       model_.distortion_weight() * distortion + future, 0,
                       static_cast<std::uint16_t>(from.covered + end - begin), relation});
    }
  }
}

void Searcher::add(Stack& stack, Cube& cube, std::uint32_t hypothesis, std::uint32_t number,
                   const LmStates::Step& step, float estimate) {
  const bool too_bad = stack.too_bad(estimate);
  if (too_bad) check_number(estimate);
  if (too_bad && !search_.keep_alternatives) return;
  const Option& option = options_.option(number);
  if (cube.target == kNone) {
    graph_.extend(cube.group, option.begin, option.end, key_);
    cube.target = stack.group(key_.data(), !too_bad);
    if (cube.target == kNone) return;  // there is none that it could be an alternative of
  }
  Stack::Ending ending;
  std::uint32_t lm_state = 0;  // equal at the end, where nothing follows
  if (cube.covered < options_.words()) {
    ending.forward_class = option.forward_class;
    if (search_.recombination_context) ending.context = context_after(hypothesis, option);
    lm_state = states_.arrive(lm_request(cube, hypothesis, number), step);
  }
  made_ += stack.add(
      {estimate - cube.future, estimate, hypothesis, number, lm_state, cube.target, kNone}, ending);
}

// The number of the last words of a hypothesis and an option after it.
std::uint32_t Searcher::context_after(std::uint32_t hypothesis, const Option& option) {
  const std::size_t size = search_.recombination_context;
  last_words_.clear();
  const PreparedOption* phrase = option.prepared;
  for (;;) {
    for (std::size_t i = phrase->length; i > 0 && last_words_.size() < size; --i) {
      last_words_.push_back(phrase->words[i - 1]);
    }
    const Hypothesis& before = graph_.hypotheses()[hypothesis];
    if (before.option == kNone || last_words_.size() == size) break;
    phrase = options_.option(before.option).prepared;
    hypothesis = before.previous;
  }
  std::uint64_t hash = 0;
  for (const WordId word : last_words_) hash = combine(hash, word);
  const std::size_t known = context_numbers_.size();
  const std::uint32_t number = context_numbers_.intern(hash, [&](std::uint32_t other) {
    const auto words = contexts_[other];
    return std::equal(words.begin(), words.end(), last_words_.begin(), last_words_.end());
  });
  if (number == known) contexts_.append(last_words_);
  return number;
}

void Searcher::expand_stacks(std::size_t longest) {
  const std::size_t n = options_.words();
  stacks_.resize(longest);
  for (Stack& stack : stacks_) {
    stack.start(graph_.key_size(), search_.beam, search_.keep_alternatives);
  }
  std::vector<Cube> cubes;
  std::vector<std::size_t> first_cube;  // by group
  for (std::size_t covered = 0; covered < n; ++covered) {
    std::vector<std::uint32_t> members(1, 0);
    if (covered) members = close_stack(stacks_[covered % longest]);
    cubes.clear();
    first_cube.clear();
    for (std::uint32_t group = first_group_; group < graph_.groups(); ++group) {
      first_cube.push_back(cubes.size());
      make_cubes(group, cubes);
      std::stable_sort(cubes.begin() + static_cast<std::ptrdiff_t>(first_cube.back()), cubes.end(),
                       [](const Cube& a, const Cube& b) { return a.covered < b.covered; });
    }
    first_cube.push_back(cubes.size());
    // Best hypotheses first, as Moses does, so that the beam closes early.
    for (const std::uint32_t member : members) {
      check_stop();
      const Hypothesis from = graph_.hypotheses()[member];
      const std::size_t group = from.group - first_group_;
      for (std::size_t i = first_cube[group]; i < first_cube[group + 1]; ++i) {
        Cube cube = cubes[i];
        Stack& stack = stacks_[cube.covered % longest];
        float score = from.score + cube.constant;
        if (from.option != kNone) {
          score += options_.option(from.option).prepared->forward[cube.relation];
        }
        const Column* column = options_.columns() + cube.columns;
        requests_.clear();
        for (std::uint32_t c = 0; c < cube.column_count; ++c) {
          requests_.push_back(lm_request(cube, member, column[c].option));
        }
        states_.settle(requests_, steps_);
        for (std::uint32_t c = 0; c < cube.column_count; ++c, ++column) {
          const LmStates::Step& step = steps_[c];
          add(stack, cube, member, column->option, step, score + column->score + step.score);
          if (stack.size() >= 2 * search_.stack) {
            stack.prune(search_.stack);
            cube.target = kNone;
          }
        }
      }
    }
  }
  close_stack(stacks_[n % longest]);
}

void Searcher::add_cell(std::uint32_t number, std::uint32_t row, std::uint32_t column) {
  const Cube& cube = (*open_cubes_)[number];
  const std::uint32_t hypothesis = rows_[cube.rows + row].hypothesis;
  const std::uint32_t option = options_.columns()[cube.columns + column].option;
  cells_.push_back({number, row, column, states_.extend(lm_request(cube, hypothesis, option))});
}

float Searcher::estimate(const Cell& cell) const {
  const Cube& cube = (*open_cubes_)[cell.cube];
  return rows_[cube.rows + cell.row].score + options_.columns()[cube.columns + cell.column].score +
         cube.constant + cell.lm.score;
}

bool Searcher::worse(const Candidate& a, const Candidate& b) const {
  if (a.estimate != b.estimate) return a.estimate < b.estimate;
  const Cell &left = cells_[a.cell], &right = cells_[b.cell];
  if (left.cube != right.cube) return left.cube > right.cube;
  return left.row != right.row ? left.row > right.row : left.column > right.column;
}

void Searcher::push(std::uint32_t cell) {
  heap_.push_back({estimate(cells_[cell]), cell});
  std::push_heap(heap_.begin(), heap_.end(),
                 [this](const Candidate& a, const Candidate& b) { return worse(a, b); });
}

void Searcher::drop_best() {
  std::pop_heap(heap_.begin(), heap_.end(),
                [this](const Candidate& a, const Candidate& b) { return worse(a, b); });
  heap_.pop_back();
}

// As drop_best and push, in one pass that ends early where the cell is good, as it mostly is.
void Searcher::replace_best(std::uint32_t cell) {
  const Candidate candidate{estimate(cells_[cell]), cell};
  std::size_t at = 0;
  for (std::size_t child = 1; child < heap_.size(); child = 2 * at + 1) {
    if (child + 1 < heap_.size() && worse(heap_[child], heap_[child + 1])) ++child;
    if (!worse(candidate, heap_[child])) break;
    heap_[at] = heap_[child];
    at = child;
  }
  heap_[at] = candidate;
}

// Asks the language models about the pending cells, which go back to the heap.
void Searcher::settle_pending() {
  requests_.clear();
  for (const std::uint32_t pending : pending_) requests_.push_back(lm_request(cells_[pending]));
  states_.settle(requests_, steps_);
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    cells_[pending_[i]].lm = steps_[i];
    push(pending_[i]);
  }
  pending_.clear();
}

bool Searcher::first_visit(std::uint32_t cube, std::uint32_t row, std::uint32_t column) {
  if (row == 0 || column == 0) return true;  // one way leads there
  const Cube& of = (*open_cubes_)[cube];
  return seen_.insert(of.first_cell + std::uint64_t{row} * of.column_count + column);
}

// Adds a cell beside a popped one unless it is outside of its cube or known.
void Searcher::add_next(std::uint32_t number, std::uint32_t row, std::uint32_t column) {
  const Cube& cube = (*open_cubes_)[number];
  if (row >= cube.row_count || column >= cube.column_count) return;
  if (first_visit(number, row, column)) add_cell(number, row, column);
}

void Searcher::prune_cubes(std::size_t longest) {
  const std::size_t n = options_.words();
  stacks_.resize(1);
  Stack& stack = stacks_[0];
  stack.start(graph_.key_size(), search_.beam, search_.keep_alternatives);
  cubes_.assign(longest, {});
  std::vector<Cube> made;
  for (std::size_t covered = 1; covered <= n; ++covered) {
    made.clear();
    for (std::uint32_t group = first_group_; group < graph_.groups(); ++group) {
      make_cubes(group, made);
    }
    for (const Cube& cube : made) cubes_[cube.covered % longest].push_back(cube);
    std::vector<Cube>& open = cubes_[covered % longest];
    open_cubes_ = &open;
    cells_.clear();
    heap_.clear();
    pending_.clear();
    seen_.clear();
    std::uint64_t cells = 0;
    for (std::uint32_t number = 0; number < open.size(); ++number) {
      Cube& cube = open[number];
      cube.first_cell = cells;
      cells += std::uint64_t{cube.row_count} * cube.column_count;
      add_cell(number, 0, 0);
      push(number);
    }
    std::size_t pops = 0;
    while (pops < search_.pop_limit && !(heap_.empty() && pending_.empty())) {
      check_stop();
      const std::size_t missing = std::min(kSettled, search_.pop_limit - pops);
      if (heap_.empty() || pending_.size() >= missing) settle_pending();
      const Candidate best = heap_.front();
      const Cell cell = cells_[best.cell];
      if (!cell.lm.exact) {
        pending_.push_back(best.cell);
        drop_best();
        continue;
      }
      ++pops;
      Cube& cube = open[cell.cube];
      const std::uint32_t option = options_.columns()[cube.columns + cell.column].option;
      add(stack, cube, rows_[cube.rows + cell.row].hypothesis, option, cell.lm, best.estimate);
      auto next = static_cast<std::uint32_t>(cells_.size());
      add_next(cell.cube, cell.row, cell.column + 1);
      add_next(cell.cube, cell.row + 1, cell.column);
      if (next == cells_.size()) {
        drop_best();
      } else {
        replace_best(next++);
      }
      for (; next < cells_.size(); ++next) push(next);
    }
    open.clear();
    close_stack(stack);
  }
}

void Searcher::add_edge_scores(std::uint32_t edge, float* values) const {
  const Hypothesis& hypothesis = graph_.hypotheses()[edge];
  const Hypothesis& before = graph_.hypotheses()[hypothesis.previous];
  const Group& group = graph_.group(before.group);
  const Option& option = options_.option(hypothesis.option);
  const PreparedOption* previous =
      before.option == kNone ? nullptr : options_.option(before.option).prepared;
  model_.add_phrase_features(*option.prepared, values);
  model_.add_reordering_features(previous, *option.prepared,
                                 graph_.relation(group, option.begin, option.end), values);
  model_.add_distortion(static_cast<float>(std::abs(int{group.end} - int{option.begin})), values);
  const bool last = graph_.group(hypothesis.group).covered == options_.words();
  for (std::size_t m = 0; m < model_.lms().size(); ++m) {
    values[model_.lm_offset(m)] +=
        states_.printed_ngram_score(m, before.lm_state, option.lm_phrase, last);
  }
  for (std::size_t m = 0; m < model_.neural_lms().size(); ++m) {
    values[model_.neural_offset(m)] +=
        states_.neural_score(m, before.lm_state, option.lm_phrase, last);
  }
  for (std::size_t i = 0; i < model_.feature_count(); ++i) {
    values[model_.feature_count()] += model_.weights()[i] * values[i];
  }
}

}  // namespace nlmt::decoder
