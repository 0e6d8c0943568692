#include "stack.h"

#include <algorithm>
#include <limits>

namespace nlmt::decoder {
namespace {

constexpr std::size_t kFirstSlots = 512;

}  // namespace

void Stack::start(std::size_t key_size, float beam, bool keep_alternatives) {
  key_size_ = key_size;
  beam_ = beam;
  best_ = worst_ = -std::numeric_limits<float>::infinity();
  keep_alternatives_ = keep_alternatives;
  hypotheses_.clear();
  members_.clear();
  kept_ = 0;
  keys_.clear();
  group_numbers_.clear();
  slots_.assign(kFirstSlots, {});
}

std::uint32_t Stack::group(const std::uint64_t* key, bool make) {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < key_size_; ++i) hash = combine(hash, key[i]);
  const auto same = [&](std::uint32_t other) {
    return std::equal(key, key + key_size_, keys_.data() + other * key_size_);
  };
  if (!make) return group_numbers_.find(hash, same);
  const std::uint32_t number = group_numbers_.intern(hash, same);
  if (number * key_size_ == keys_.size()) keys_.insert(keys_.end(), key, key + key_size_);
  return number;
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

// Makes so many slots, with those of `old` that are filled and that `keep` does not refuse.
template <class Keep>
void Stack::refill(std::size_t slots, const Keep& keep) {
  std::vector<Slot> old(slots);
  old.swap(slots_);
  for (Slot filled : old) {
    if (filled.group == kNone || !keep(filled)) continue;
    slots_[slot(filled.group, filled.lm_state, filled.ending)] = filled;
  }
}

bool Stack::add(const Hypothesis& hypothesis, const Ending& ending) {
  const bool no_member = too_bad(hypothesis.estimate);
  const std::size_t at = slot(hypothesis.group, hypothesis.lm_state, ending);
  const auto number = static_cast<std::uint32_t>(hypotheses_.size());
  if (hypothesis.estimate > best_) {
    best_ = hypothesis.estimate;
    worst_ = std::max(worst_, best_ + beam_);
  }
  if (slots_[at].group == kNone) {
    if (no_member) return false;
    slots_[at] = {hypothesis.group, hypothesis.lm_state, number, ending};
    members_.push_back(number);
    hypotheses_.push_back(hypothesis);
    if (2 * members_.size() > slots_.size()) {
      refill(slots_.size() * 2, [](const Slot&) { return true; });
    }
    return true;
  }
  // The better one takes over the known number, on which nothing is built yet.
  Hypothesis& known = hypotheses_[slots_[at].hypothesis];
  Hypothesis worse = hypothesis;
  if (worse.score > known.score) {
    std::swap(worse, known);
    std::swap(worse.alternative, known.alternative);
  }
  if (!keep_alternatives_) return false;
  worse.alternative = known.alternative;
  known.alternative = number;
  hypotheses_.push_back(worse);
  return true;
}

void Stack::cut(std::size_t size) {
  const auto order = [this](std::uint32_t a, std::uint32_t b) { return better(a, b); };
  std::nth_element(members_.begin(), members_.begin() + size - 1, members_.end(), order);
  members_.resize(size);
  worst_ = std::max(worst_, hypotheses_[members_.back()].estimate);
}

void Stack::prune(std::size_t size) {
  if (members_.size() <= size) return;
  cut(size);
  if (hypotheses_.size() > 2 * kept_) {
    drop_others();
  } else {
    const std::uint32_t last = members_.back();
    refill(slots_.size(), [&](const Slot& filled) { return !better(last, filled.hypothesis); });
  }
}

std::vector<std::uint32_t> Stack::places_from(std::uint32_t first) const {
  std::vector<std::uint32_t> place(hypotheses_.size(), kNone);
  for (const std::uint32_t member : members_) {
    for (std::uint32_t h = member; h != kNone; h = hypotheses_[h].alternative) place[h] = 0;
  }
  for (std::uint32_t& at : place) {
    if (at != kNone) at = first++;
  }
  return place;
}

// Frees what the members, their alternatives and their groups do not take.
void Stack::drop_others() {
  const std::vector<std::uint32_t> place = places_from(0);
  kept_ = 0;
  for (std::size_t h = 0; h < place.size(); ++h) {
    if (place[h] != kNone) hypotheses_[kept_++] = hypotheses_[h];
  }
  hypotheses_.resize(kept_);
  for (std::uint32_t& member : members_) member = place[member];
  std::vector<std::uint64_t> keys;
  keys.swap(keys_);
  std::vector<std::uint32_t> number(group_numbers_.size(), kNone);
  group_numbers_.clear();
  for (Hypothesis& hypothesis : hypotheses_) {
    if (hypothesis.alternative != kNone) hypothesis.alternative = place[hypothesis.alternative];
    std::uint32_t& group = number[hypothesis.group];
    if (group == kNone) group = this->group(keys.data() + hypothesis.group * key_size_, true);
    hypothesis.group = group;
  }
  refill(slots_.size(), [&](Slot& filled) {
    filled.hypothesis = place[filled.hypothesis];
    if (filled.hypothesis == kNone) return false;
    filled.group = hypotheses_[filled.hypothesis].group;
    return true;
  });
}

std::vector<std::uint32_t> Stack::close(SearchGraph& graph, std::size_t size) {
  if (members_.size() > size) cut(size);
  std::sort(members_.begin(), members_.end(),
            [this](std::uint32_t a, std::uint32_t b) { return better(a, b); });
  std::vector<std::uint32_t> number(group_numbers_.size(), kNone);
  for (const std::uint32_t member : members_) {
    const std::uint32_t group = hypotheses_[member].group;
    if (number[group] == kNone) number[group] = graph.add_group(keys_.data() + group * key_size_);
  }
  const std::vector<std::uint32_t> place =
      places_from(static_cast<std::uint32_t>(graph.hypotheses().size()));
  for (std::size_t h = 0; h < place.size(); ++h) {
    if (place[h] == kNone) continue;
    Hypothesis& hypothesis = hypotheses_[h];
    hypothesis.group = number[hypothesis.group];
    if (hypothesis.alternative != kNone) hypothesis.alternative = place[hypothesis.alternative];
    graph.hypotheses().push_back(hypothesis);
  }
  for (std::uint32_t& member : members_) member = place[member];
  std::vector<std::uint32_t> closed;
  closed.swap(members_);
  start(key_size_, beam_, keep_alternatives_);
  return closed;
}

}  // namespace nlmt::decoder
