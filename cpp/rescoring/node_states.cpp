#include "node_states.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "hashing.h"

namespace nlmt::rescoring {
namespace {

constexpr std::size_t kHashWidth = 4;  // 128 bits represent a whole history

std::uint64_t hash_key(const std::int32_t* key, std::size_t width) {
  return hash_bytes({reinterpret_cast<const char*>(key), width * sizeof *key});
}

}  // namespace

NodeStates::NodeStates(JoinedLattices lattices, StateOptions options)
    : lattices_(std::move(lattices)),
      options_(std::move(options)),
      trees_(lattices_),
      width_(options_.whole_history ? kHashWidth : options_.context) {
  const std::size_t nodes = lattices_.nodes(), arcs = lattices_.from.size();
  lattice_.resize(nodes);
  for (std::size_t i = 0; i + 1 < lattices_.first_node.size(); ++i) {
    std::fill(lattice_.begin() + lattices_.first_node[i],
              lattice_.begin() + lattices_.first_node[i + 1], static_cast<std::int32_t>(i));
  }
  level_.assign(nodes, 0);
  in_offsets_.assign(nodes + 1, 0);
  for (std::size_t a = 0; a < arcs; ++a) {  // sorted by start: each start's level is final
    const auto from = lattices_.from[a];
    const auto to = lattices_.to[a];
    level_[to] = std::max(level_[to], level_[from] + 1);
    ++in_offsets_[to + 1];
  }
  std::partial_sum(in_offsets_.begin(), in_offsets_.end(), in_offsets_.begin());
  in_arcs_.resize(arcs);
  std::vector<std::int64_t> fill(in_offsets_.begin(), in_offsets_.end() - 1);
  for (std::size_t a = 0; a < arcs; ++a) {
    in_arcs_[fill[lattices_.to[a]]++] = static_cast<std::int32_t>(a);
  }
  for (std::size_t node = 0; node < nodes; ++node) {
    const auto level = static_cast<std::size_t>(level_[node]);
    if (level >= level_nodes_.size()) level_nodes_.resize(level + 1);
    level_nodes_[level].push_back(static_cast<std::int32_t>(node));
  }
  last_use_.assign(level_nodes_.size(), 0);
  for (std::size_t a = 0; a < arcs; ++a) {
    auto& last = last_use_[level_[lattices_.from[a]]];
    last = std::max(last, level_[lattices_.to[a]]);
  }
  first_state_.assign(nodes, 0);
  last_state_.assign(nodes, 0);
  scores_.resize(level_nodes_.size());
  level_entries_.assign(level_nodes_.size(), 0);
}

Origins NodeStates::choose(std::size_t level, const std::function<void()>& poll) {
  Ticks tick(poll);
  Origins origins;
  origins.offsets.push_back(0);
  for (const std::int32_t node : level_nodes_[level]) {
    first_state_[node] = static_cast<std::int64_t>(size());
    if (level == 0) {
      const std::vector<std::int32_t> key(width_, -1);
      new_state(node, 0, key.data());
      origins.parents.push_back(-1);
      origins.offsets.push_back(0);
    } else {
      choose_node(node, origins, tick);
    }
    last_state_[node] = static_cast<std::int64_t>(size());
  }
  const std::size_t models = options_.weights.size();
  scores_[level].assign(models * static_cast<std::size_t>(level_entries_[level]), 0.0);
  return origins;
}

std::int64_t NodeStates::new_state(std::int32_t node, double total, const std::int32_t* key) {
  totals_.push_back(total);
  node_.push_back(node);
  keys_.insert(keys_.end(), key, key + width_);
  auto& entries = level_entries_[level_[node]];
  first_score_.push_back(entries);
  entries += static_cast<std::int64_t>(trees_.size(node));
  return static_cast<std::int64_t>(size()) - 1;
}

double& NodeStates::score(std::size_t model, std::int64_t state, std::size_t entry) {
  const auto level = level_[node_[state]];
  const std::size_t row = model * static_cast<std::size_t>(level_entries_[level]);
  return scores_[level][row + static_cast<std::size_t>(first_score_[state]) + entry];
}

void NodeStates::gather(std::int32_t node, Ticks& tick) {
  candidates_.clear();
  for (std::int64_t in = in_offsets_[node]; in < in_offsets_[node + 1]; ++in) {
    const std::int32_t arc = in_arcs_[in];
    const auto from = lattices_.from[arc];
    const std::int32_t entry = trees_.of_arc(arc);
    for (std::int64_t state = first_state_[from]; state < last_state_[from]; ++state) {
      tick();
      double total = totals_[state] + lattices_.scores[arc];
      for (std::size_t m = 0; entry >= 0 && m < options_.weights.size(); ++m) {
        total += options_.weights[m] * score(m, state, entry);
      }
      candidates_.push_back({total, state, arc, -1});
    }
  }
}

void NodeStates::make_key(const Candidate& candidate, std::int32_t* key) const {
  std::copy_n(keys_.data() + static_cast<std::size_t>(candidate.state) * width_, width_, key);
  const auto phrase = lattices_.phrase[candidate.arc];
  const auto begin = lattices_.word_offsets[phrase];
  const auto end = static_cast<std::size_t>(lattices_.word_offsets[phrase + 1]);
  if (!options_.whole_history) {
    const std::size_t words = end - begin, kept = width_ > words ? width_ - words : 0;
    std::memmove(key, key + (width_ - kept), kept * sizeof *key);
    std::copy_n(lattices_.words.data() + end - (width_ - kept), width_ - kept, key + kept);
    return;
  }
  std::uint64_t hash[2];
  std::memcpy(hash, key, sizeof hash);
  for (std::size_t i = begin; i < end; ++i) {
    const std::int32_t position = lattices_.positions.empty() ? -1 : lattices_.positions[i];
    const std::uint64_t event = static_cast<std::uint64_t>(static_cast<std::uint32_t>(position))
                                    << 32 |
                                static_cast<std::uint32_t>(lattices_.words[i]);
    hash[0] = mix(hash[0] ^ event);
    hash[1] = mix(hash[1] + mix(event + 1));
  }
  std::memcpy(key, hash, sizeof hash);
}

// Merges candidates that agree in all that the models remember.
void NodeStates::group(bool is_end) {
  groups_.clear();
  new_keys_.clear();
  numbers_.clear();
  const std::size_t width = is_end ? 0 : width_;  // nothing follows the end
  std::vector<std::int32_t> key(width_);
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    Candidate& candidate = candidates_[c];
    if (!is_end) make_key(candidate, key.data());
    const auto same = [&](std::uint32_t other) {
      return std::equal(key.data(), key.data() + width, new_keys_.data() + other * width_);
    };
    const std::uint32_t number = numbers_.intern(hash_key(key.data(), width), same);
    if (number == groups_.size()) {
      groups_.push_back({c});
      new_keys_.insert(new_keys_.end(), key.begin(), key.end());
    }
    candidate.group = static_cast<std::int32_t>(number);
    Group& joined = groups_[number];
    if (candidate.total > candidates_[joined.best].total) joined.best = c;
  }
}

void NodeStates::choose_node(std::int32_t node, Origins& origins, Ticks& tick) {
  gather(node, tick);
  const auto lattice = lattice_[node];
  const bool is_end = node == lattices_.first_node[lattice + 1] - 1;
  group(is_end);
  std::vector<std::size_t> order(groups_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto better = [&](std::size_t a, std::size_t b) {
    const double x = candidates_[groups_[a].best].total, y = candidates_[groups_[b].best].total;
    return x != y ? x > y : a < b;
  };
  const std::size_t kept =
      options_.most == 0 ? order.size() : std::min(order.size(), options_.most);
  std::partial_sort(order.begin(), order.begin() + kept, order.end(), better);
  for (std::size_t i = 0; i < kept; ++i) {
    Group& chosen = groups_[order[i]];
    const Candidate& best = candidates_[chosen.best];
    chosen.state = new_state(node, best.total, new_keys_.data() + order[i] * width_);
    add_origin(best, is_end, origins);
  }
  for (const Candidate& candidate : candidates_) {
    std::int64_t state = groups_[candidate.group].state;
    if (state < 0) {
      if (!options_.recombine) continue;
      state = groups_[order[0]].state;
    }
    arcs_.from.push_back(candidate.state);
    arcs_.to.push_back(state);
    arcs_.arc.push_back(candidate.arc);
    const std::int32_t entry = trees_.of_arc(candidate.arc);
    for (std::size_t m = 0; m < options_.weights.size(); ++m) {
      arcs_.scores.push_back(entry < 0 ? 0.0f
                                       : static_cast<float>(score(m, candidate.state, entry)));
    }
  }
}

void NodeStates::add_origin(const Candidate& candidate, bool is_end, Origins& origins) const {
  const auto phrase = lattices_.phrase[candidate.arc];
  origins.parents.push_back(candidate.state);
  const auto end = static_cast<std::size_t>(lattices_.word_offsets[phrase + 1]);
  // The models' states after an end are not needed.
  for (auto i = is_end ? end : static_cast<std::size_t>(lattices_.word_offsets[phrase]); i < end;
       ++i) {
    origins.words.push_back(lattices_.words[i]);
    origins.positions.push_back(lattices_.positions.empty() ? -1 : lattices_.positions[i]);
  }
  origins.offsets.push_back(static_cast<std::int64_t>(origins.words.size()));
}

Requests NodeStates::requests(std::int64_t first, std::int64_t last, std::size_t length) const {
  Requests result;
  std::int64_t row = 0;  // first one of the state
  for (std::int64_t state = first; state < last; ++state) {
    const std::int32_t node = node_[state];
    const std::int32_t lattice = lattice_[node];
    for (std::size_t e = trees_.begin(node, length); e < trees_.end(node, length); ++e) {
      const PhraseTrees::Entry& entry = trees_.entry(node, e);
      const std::int64_t within = length == 1 ? 0 : trees_.entry(node, entry.parent).inner;
      result.rows.push_back(row + within);
      result.words.push_back(entry.word.word);
      result.positions.push_back(entry.word.position);
      result.inner.push_back(entry.inner >= 0);
      result.lattices.push_back(lattice);
    }
    if (length == 1) {
      ++row;
    } else {
      for (std::size_t e = trees_.begin(node, length - 1); e < trees_.end(node, length - 1); ++e) {
        row += trees_.entry(node, e).inner >= 0;
      }
    }
  }
  return result;
}

void NodeStates::set_scores(std::int64_t first, std::int64_t last, std::size_t length,
                            const double* scores) {
  for (std::size_t m = 0; m < options_.weights.size(); ++m) {
    for (std::int64_t state = first; state < last; ++state) {
      const std::int32_t node = node_[state];
      for (std::size_t e = trees_.begin(node, length); e < trees_.end(node, length); ++e) {
        const std::int32_t parent = trees_.entry(node, e).parent;
        const double before = parent < 0 ? 0.0 : score(m, state, parent);
        score(m, state, e) = before + *scores++;
      }
    }
  }
}

std::size_t NodeStates::requested(std::int64_t first, std::int64_t last, std::size_t length) const {
  std::size_t count = 0;
  for (std::int64_t state = first; state < last; ++state) {
    const std::int32_t node = node_[state];
    count += trees_.end(node, length) - trees_.begin(node, length);
  }
  return count * options_.weights.size();
}

void NodeStates::forget(std::size_t level) { std::vector<double>().swap(scores_.at(level)); }

}  // namespace nlmt::rescoring
