#include "brown.h"

#include <algorithm>
#include <utility>

#include "exchange.h"
#include "window.h"

namespace nlmt::classes {
namespace {

// The exchange converges, after 17 passes over the 9,300 words of the help corpus.
constexpr int kMostPasses = 30;

// The bigrams of a word with the slots in use: `slot_of` is -1 for words that are in none yet.
std::vector<Neighbour> BySlot(const std::vector<Neighbour>& words,
                              const std::vector<int32_t>& slot_of, std::vector<int32_t>& count) {
  std::vector<Neighbour> slots;
  for (const Neighbour& n : words) {
    const int slot = slot_of[n.id];
    if (slot < 0) continue;
    if (count[slot] == 0) slots.push_back({slot, 0});
    count[slot] += n.count;
  }
  for (Neighbour& s : slots) {
    s.count = count[s.id];
    count[s.id] = 0;
  }
  return slots;
}

// The first K words are classes; each later one is added and the best pair merged.
std::vector<int32_t> WindowClasses(const Bigrams& bigrams, int classes, const FixedPoint& fixed,
                                   const std::function<void()>& tick) {
  const int words = bigrams.words();
  Window window(classes, fixed);
  std::vector<int32_t> slot_of(words + 1, -1), count(classes + 2);
  slot_of[words] = window.boundary();
  std::vector<std::vector<int32_t>> members(classes + 1);
  int empty = 0;  // the slot for the next word
  for (int word = 0; word < words; ++word) {
    tick();
    window.Place(empty, bigrams.unigram[word], BySlot(bigrams.right[word], slot_of, count),
                 BySlot(bigrams.left[word], slot_of, count), bigrams.self[word]);
    members[empty] = {word};
    slot_of[word] = empty;
    if (word < classes) {
      ++empty;
      continue;
    }
    const auto [keep, gone] = window.BestPair();
    window.Merge(keep, gone);
    for (int member : members[gone]) slot_of[member] = keep;
    members[keep].insert(members[keep].end(), members[gone].begin(), members[gone].end());
    empty = gone;
  }
  slot_of.pop_back();
  // The empty slot need not be the last one.
  for (int32_t& slot : slot_of) slot -= slot > empty;
  return slot_of;
}

std::vector<std::pair<int32_t, int32_t>> Tree(const Exchange& exchange, int classes,
                                              const FixedPoint& fixed,
                                              const std::function<void()>& tick) {
  Window window(classes, fixed);
  const Matrix<int32_t>& counts = exchange.counts();
  for (int c = 0; c < classes; ++c) {
    tick();
    std::vector<Neighbour> right, left;
    const auto add = [&](int d, int slot) {
      if (counts[c][d] != 0) right.push_back({slot, counts[c][d]});
      if (counts[d][c] != 0) left.push_back({slot, counts[d][c]});
    };
    for (int d = 0; d < c; ++d) add(d, d);
    add(classes, window.boundary());
    window.Place(c, exchange.unigram(c), right, left, counts[c][c]);
  }
  std::vector<std::pair<int32_t, int32_t>> merges;
  for (int left = classes; left > 1; --left) {
    tick();
    const auto [keep, gone] = window.BestPair();
    window.Merge(keep, gone);
    merges.emplace_back(keep, gone);
  }
  return merges;
}

}  // namespace

Clusters Arrange(const Bigrams& bigrams, std::vector<int32_t> start, int classes, bool refine,
                 const std::function<void()>& tick) {
  const FixedPoint fixed(bigrams.total);
  Clusters result;
  Exchange exchange(bigrams, classes, fixed, start);
  result.start = std::move(start);
  for (int pass = 0; refine && pass < kMostPasses; ++pass) {
    if (exchange.Pass(tick) == 0) break;
  }
  result.classes = exchange.assignment();
  result.classes.pop_back();
  result.merges = Tree(exchange, classes, fixed, tick);
  return result;
}

Clusters Cluster(const Bigrams& bigrams, int classes, bool refine,
                 const std::function<void()>& tick) {
  classes = std::min(classes, bigrams.words());
  const FixedPoint fixed(bigrams.total);
  return Arrange(bigrams, WindowClasses(bigrams, classes, fixed, tick), classes, refine, tick);
}

}  // namespace nlmt::classes
