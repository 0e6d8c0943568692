// Direct n-gram features: maximum entropy beside a network, its weights in a hash table (Mikolov et
// al. 2011). The weights of all rows of the output layer after one context are contiguous, at a
// place given by the context's hash; contexts whose blocks overlap share weights.
#pragma once

#include <algorithm>
#include <vector>

#include "training/optimiser.h"

namespace nlmt::neural {

template <class Real>
struct Direct : Layer<Real> {
  int64_t size, rows, longest;

  // Blocks of `rows` weights begin at the places below `size`; contexts of 1 to `longest` words.
  Direct(int64_t size, int64_t rows, int64_t longest) : size(size), rows(rows), longest(longest) {
    this->add("direct", 1, size + rows);
  }
  const Real* table() const { return this->parameters[0].values.data.data(); }

  // Where the blocks of the contexts begin that are suffixes of a history of `longest` words.
  void hash(const int32_t* history, int64_t* begins) const {
    constexpr int64_t kPrime = (int64_t{1} << 31) - 1;  // no product leaves 64 bits
    int64_t code = 0;
    for (int64_t k = 0; k < longest; ++k) {
      code = (code * 1'000'003 + history[longest - 1 - k] + k + 1) % kPrime;
      begins[k] = code * 1'640'531'527 % kPrime % size;
    }
  }
};

// The features of some examples.
template <class Real>
class Features {
 public:
  explicit Features(const Direct<Real>& direct) : direct_(direct) {}

  void resize(int64_t examples) { begins_.resize(examples * direct_.longest); }
  void find(int64_t example, const int32_t* history) {
    direct_.hash(history, begins_.data() + example * direct_.longest);
  }
  // Adds the weights of output rows row, row + 1, ... to their logits.
  void add_to(int64_t example, int64_t row, int64_t n, Real* logits) const {
    for (int64_t k = 0; k < direct_.longest; ++k) {
      const Real* weights = direct_.table() + begin(example, k) + row;
      for (int64_t j = 0; j < n; ++j) logits[j] += weights[j];
    }
  }
  Real at(int64_t example, int64_t row) const {
    Real sum = 0;
    for (int64_t k = 0; k < direct_.longest; ++k) sum += direct_.table()[begin(example, k) + row];
    return sum;
  }

 protected:
  int64_t begin(int64_t example, int64_t k) const { return begins_[example * direct_.longest + k]; }

  const Direct<Real>& direct_;

 private:
  std::vector<int64_t> begins_;  // (examples x longest)
};

// The features of a minibatch's examples, and the steps of the weights that they touch.
template <class Real>
class DirectTrainer : public Features<Real> {
 public:
  DirectTrainer(Direct<Real>& direct, const StepSettings& steps)
      : Features<Real>(direct), optimiser(direct.parameters, steps) {}

  Optimiser<Real> optimiser;

  // Derivatives by logits are recorded in slots, each filled by one task at a time, so that their
  // order, and that of every sum, does not depend on the threads.
  void open(int64_t slots) {
    if (static_cast<int64_t>(slots_.size()) < slots) slots_.resize(slots);
    for (std::vector<Entry>& slot : slots_) slot.clear();
  }
  // `deltas` must not move until `step`.
  void note(int64_t slot, int64_t example, int64_t row, int64_t n, const Real* deltas) {
    for (int64_t k = 0; k < this->direct_.longest; ++k) {
      int64_t at = this->begin(example, k) + row;
      for (const Real *from = deltas, *last = deltas + n; from < last;) {
        const int64_t part = std::min<int64_t>(last - from, kRange - at % kRange);
        slots_[slot].push_back({at, static_cast<int32_t>(part), from});
        at += part;
        from += part;
      }
    }
  }

  void sort() {
    entries_.clear();
    for (const std::vector<Entry>& slot : slots_) {
      entries_.insert(entries_.end(), slot.begin(), slot.end());
    }
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.at < b.at; });
  }

  // One step of all weights that entries touch, after `sort`; a range of the table is one task.
  void step(Team& team) {
    std::vector<std::size_t> borders{0};
    for (std::size_t e = 1; e <= entries_.size(); ++e) {
      if (e == entries_.size() || entries_[e].at / kRange != entries_[e - 1].at / kRange) {
        borders.push_back(e);
      }
    }
    if (static_cast<int>(gradients_.size()) < team.size()) gradients_.resize(team.size());
    team.each(static_cast<int64_t>(borders.size()) - 1, [&](int64_t task, int thread) {
      gradients_[thread].resize(kRange);
      for (std::size_t e = borders[task]; e < borders[task + 1];) {
        e = step_run(e, borders[task + 1], gradients_[thread].data());
      }
    });
  }

 private:
  static constexpr int64_t kRange = 1 << 13;  // no entry crosses a multiple of it

  struct Entry {
    int64_t at;  // in the table
    int32_t n;
    const Real* deltas;
  };

  // The entries from `first` on that overlap or touch each other; returns the one after them.
  std::size_t step_run(std::size_t first, std::size_t last, Real* gradient) {
    const int64_t begin = entries_[first].at;
    int64_t end = begin;
    std::size_t e = first;
    for (; e < last && entries_[e].at <= end; ++e) {
      const Entry& entry = entries_[e];
      const int64_t at = entry.at - begin, known = std::min<int64_t>(end - entry.at, entry.n);
      for (int64_t j = 0; j < known; ++j) gradient[at + j] += entry.deltas[j];
      for (int64_t j = known; j < entry.n; ++j) gradient[at + j] = entry.deltas[j];
      end = std::max(end, entry.at + entry.n);
    }
    optimiser.step_part(0, begin, gradient, end - begin);
    return e;
  }

  std::vector<std::vector<Entry>> slots_;
  std::vector<Entry> entries_;
  std::vector<Buffer<Real>> gradients_;
};

}  // namespace nlmt::neural
