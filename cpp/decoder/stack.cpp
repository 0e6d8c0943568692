#include "stack.h"

#include <algorithm>
#include <limits>

#include "probability.h"

namespace nlmt::decoder {
namespace {

constexpr std::size_t kFirstSlots = 512;

}  // namespace

void Stack::start(float beam, bool keep_alternatives) {
  beam_ = beam;
  best_ = worst_ = -std::numeric_limits<float>::infinity();
  keep_alternatives_ = keep_alternatives;
  members_.clear();
  slots_.assign(kFirstSlots, {});
}

std::size_t Stack::slot(std::uint32_t group, std::uint32_t lm_state, const Ending& ending) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t key = (std::uint64_t{group} << 32) | lm_state;
  const std::uint64_t last = (std::uint64_t{ending.context} << 32) | ending.forward_class;
  for (std::size_t at = combine(key, last) & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.group == kNone ||
        (slot.group == group && slot.lm_state == lm_state && slot.ending == ending)) {
      return at;
    }
  }
}

void Stack::refill(std::size_t slots) {
  std::vector<Slot> old(slots);
  old.swap(slots_);
  for (const Slot& filled : old) {
    if (filled.group == kNone) continue;
    slots_[slot(filled.group, filled.lm_state, filled.ending)] = filled;
  }
}

void Stack::add(SearchGraph& graph, const Hypothesis& hypothesis, const Ending& ending) {
  const bool too_bad = !(hypothesis.estimate >= worst_);
  if (too_bad) check_number(hypothesis.estimate);
  if (too_bad && !keep_alternatives_) return;
  std::vector<Hypothesis>& all = graph.hypotheses();
  const std::size_t at = slot(hypothesis.group, hypothesis.lm_state, ending);
  const auto number = static_cast<std::uint32_t>(all.size());
  if (hypothesis.estimate > best_) {
    best_ = hypothesis.estimate;
    worst_ = std::max(worst_, best_ + beam_);
  }
  if (slots_[at].group == kNone) {
    if (too_bad) return;
    slots_[at] = {hypothesis.group, hypothesis.lm_state, number, ending};
    members_.push_back(number);
    all.push_back(hypothesis);
    if (2 * members_.size() > slots_.size()) refill(slots_.size() * 2);
    return;
  }
  // The better one takes over the known number, on which nothing is built yet.
  Hypothesis& known = all[slots_[at].hypothesis];
  Hypothesis worse = hypothesis;
  if (worse.score > known.score) {
    std::swap(worse, known);
    std::swap(worse.alternative, known.alternative);
  }
  if (!keep_alternatives_) return;
  worse.alternative = known.alternative;
  known.alternative = number;
  all.push_back(worse);
}

void Stack::prune(SearchGraph& graph, std::size_t size) {
  if (members_.size() <= size) return;
  const std::vector<Hypothesis>& all = graph.hypotheses();
  const auto better = [&](std::uint32_t a, std::uint32_t b) {
    return all[a].estimate != all[b].estimate ? all[a].estimate > all[b].estimate : a < b;
  };
  std::nth_element(members_.begin(), members_.begin() + size - 1, members_.end(), better);
  const std::uint32_t last = members_[size - 1];
  members_.resize(size);
  worst_ = std::max(worst_, all[last].estimate);
  std::vector<Slot> old(slots_.size());
  old.swap(slots_);
  for (const Slot& filled : old) {
    if (filled.group == kNone || better(last, filled.hypothesis)) continue;
    slots_[slot(filled.group, filled.lm_state, filled.ending)] = filled;
  }
}

const std::vector<std::uint32_t>& Stack::sorted(const SearchGraph& graph) {
  const std::vector<Hypothesis>& all = graph.hypotheses();
  std::sort(members_.begin(), members_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return all[a].estimate != all[b].estimate ? all[a].estimate > all[b].estimate : a < b;
  });
  return members_;
}

}  // namespace nlmt::decoder
