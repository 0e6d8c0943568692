#include "brown.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "exchange.h"
#include "window.h"

namespace nlmt::classes {
namespace {

// The exchange converges sooner: after 17 passes over the 9,300 words of the help corpus.
constexpr int kMostPasses = 30;
// Words of a class that are merged at once: bounds time and memory for large classes.
constexpr int kMostSlots = 4096;

FixedPoint precision(const Bigrams& bigrams, const Options& options) {
  // The largest case is all words in one class.
  const double words = bigrams.words();
  return FixedPoint(bigrams.total,
                    options.penalty * static_cast<double>(bigrams.total) * (words + 1));
}

// The bigrams of a word with the slots in use; `slot_of` is -1 for words without a slot.
std::vector<Neighbour> by_slot(const std::vector<Neighbour>& words,
                               const std::vector<int32_t>& slot_of, std::vector<uint32_t>& count) {
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

// The result of merging words.
struct Merged {
  std::vector<int32_t> slot_of;                     // (V + 1)
  std::vector<std::pair<int32_t, int32_t>> merges;  // of slots, by the word that each began with
  int empty;                                        // the slot without a word
};

// The first words, as many as `classes`, are classes in slots 0, 1 ...; each later one is added,
// and the best pair merged, until there are as many classes as asked for. `slot_of` has the
// contexts, of which the first is number classes + 1, and -1 for all others.
Merged merge_words(const Bigrams& bigrams, const std::vector<int32_t>& words, int classes, int left,
                   int contexts, std::vector<int32_t> slot_of, const FixedPoint& fixed,
                   double penalty, const std::function<void()>& poll) {
  const int slots = classes + 1, total = static_cast<int>(words.size());
  Window window(slots, contexts, fixed, penalty);
  std::vector<uint32_t> count(slots + contexts);
  std::vector<int32_t> first(slots);
  std::vector<std::vector<int32_t>> members(slots);
  Merged result{{}, {}, 0};
  const auto merge = [&] {
    poll();
    const auto [keep, gone] = window.best_pair();
    window.merge(keep, gone);
    for (int member : members[gone]) slot_of[member] = keep;
    members[keep].insert(members[keep].end(), members[gone].begin(), members[gone].end());
    members[gone].clear();
    result.merges.emplace_back(first[keep], first[gone]);
    result.empty = gone;
  };
  for (int i = 0; i < total; ++i) {
    poll();
    const int word = words[i], slot = result.empty;
    window.place(slot, bigrams.unigram[word], by_slot(bigrams.right[word], slot_of, count),
                 by_slot(bigrams.left[word], slot_of, count), bigrams.self[word]);
    members[slot] = {word};
    first[slot] = word;
    slot_of[word] = slot;
    if (i < classes) {
      ++result.empty;
    } else {
      merge();
    }
  }
  for (int now = std::min(total, classes); now > left; --now) merge();
  result.slot_of = std::move(slot_of);
  return result;
}

std::vector<int32_t> window_classes(const Bigrams& bigrams, int classes, const FixedPoint& fixed,
                                    double penalty, const std::function<void()>& poll) {
  std::vector<int32_t> words(bigrams.words()), slot_of(bigrams.words() + 1, -1);
  std::iota(words.begin(), words.end(), 0);
  slot_of.back() = classes + 1;
  Merged merged =
      merge_words(bigrams, words, classes, classes, 1, std::move(slot_of), fixed, penalty, poll);
  merged.slot_of.pop_back();
  // The empty slot may not be the last one.
  for (int32_t& slot : merged.slot_of) slot -= slot > merged.empty;
  return std::move(merged.slot_of);
}

std::vector<std::pair<int32_t, int32_t>> class_tree(const Exchange& exchange, int classes,
                                                    const FixedPoint& fixed,
                                                    const std::function<void()>& poll) {
  Window window(classes, 1, fixed, 0);
  const Matrix<uint32_t>& counts = exchange.counts();
  for (int c = 0; c < classes; ++c) {
    poll();
    std::vector<Neighbour> right, left;
    const auto add = [&](int d, int slot) {
      if (counts[c][d] != 0) right.push_back({slot, counts[c][d]});
      if (counts[d][c] != 0) left.push_back({slot, counts[d][c]});
    };
    for (int d = 0; d < c; ++d) add(d, d);
    add(classes, window.context());
    window.place(c, exchange.unigram(c), right, left, counts[c][c]);
  }
  std::vector<std::pair<int32_t, int32_t>> merges;
  for (int left = classes; left > 1; --left) {
    poll();
    const auto [keep, gone] = window.best_pair();
    window.merge(keep, gone);
    merges.emplace_back(keep, gone);
  }
  return merges;
}

// The merges of the words of each class, then those of the classes.
std::vector<std::pair<int32_t, int32_t>> word_tree(
    const Bigrams& bigrams, const std::vector<int32_t>& class_of, int classes,
    const std::vector<std::pair<int32_t, int32_t>>& tree, const FixedPoint& fixed,
    const std::function<void()>& poll) {
  std::vector<std::vector<int32_t>> members(classes);
  for (int word = 0; word < bigrams.words(); ++word) members[class_of[word]].push_back(word);
  std::vector<std::pair<int32_t, int32_t>> merges;
  std::vector<int32_t> name(classes);  // of each class: the word that the others are merged into
  for (int c = 0; c < classes; ++c) {
    name[c] = members[c].front();
    if (members[c].size() == 1) continue;
    const int window = std::min<int>(kMostSlots, members[c].size());
    std::vector<int32_t> slot_of(class_of);
    slot_of.push_back(classes);  // the sentence boundary
    for (int32_t& slot : slot_of) slot = slot == c ? -1 : window + 1 + slot;
    const Merged merged = merge_words(bigrams, members[c], window, 1, classes + 1,
                                      std::move(slot_of), fixed, 0, poll);
    merges.insert(merges.end(), merged.merges.begin(), merged.merges.end());
    name[c] = merged.merges.back().first;
  }
  for (const auto& [keep, gone] : tree) merges.emplace_back(name[keep], name[gone]);
  return merges;
}

}  // namespace

Clusters arrange(const Bigrams& bigrams, std::vector<int32_t> start, int classes,
                 const Options& options, const std::function<void()>& poll) {
  const FixedPoint fixed = precision(bigrams, options);
  Clusters result;
  Exchange exchange(bigrams, classes, fixed, options.penalty, start);
  result.start = std::move(start);
  for (int pass = 0; options.refine && pass < kMostPasses; ++pass) {
    if (exchange.pass(poll) == 0) break;
  }
  result.classes = exchange.assignment();
  result.classes.pop_back();
  result.merges = class_tree(exchange, classes, fixed, poll);
  if (options.word_tree) {
    result.merges = word_tree(bigrams, result.classes, classes, result.merges, fixed, poll);
  }
  return result;
}

Clusters cluster(const Bigrams& bigrams, int classes, const Options& options,
                 const std::function<void()>& poll) {
  classes = std::min(classes, bigrams.words());
  const FixedPoint fixed = precision(bigrams, options);
  return arrange(bigrams, window_classes(bigrams, classes, fixed, options.penalty, poll), classes,
                 options, poll);
}

}  // namespace nlmt::classes
