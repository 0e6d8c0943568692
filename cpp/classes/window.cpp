#include "window.h"

#include <limits>

namespace nlmt::classes {
namespace {

// More than any loss, and small enough to be added to one.
constexpr int64_t kNever = int64_t{1} << 61;
constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

}  // namespace

Window::Window(int slots, int contexts, const FixedPoint& fixed, double penalty)
    : fixed_(fixed),
      penalty_(fixed.Number(penalty)),
      slots_(slots),
      width_(slots + contexts),
      counts_(width_),
      transposed_(width_),
      context_(slots),
      own_(slots, kNever),
      log_sum_(slots),
      unigram_(slots),
      mass_(width_),
      cost_(slots),
      size_(slots),
      live_(slots),
      best_loss_(slots, kLargest),
      best_(slots),
      is_changed_(slots) {}

void Window::Place(int slot, int64_t unigram, const std::vector<Neighbour>& right,
                   const std::vector<Neighbour>& left, int32_t self) {
  live_[slot] = 1;
  unigram_[slot] = unigram;
  size_[slot] = 1;
  mass_[slot] = 2 * int64_t{self};
  AddBigrams(counts_, transposed_, slot, right);
  AddBigrams(transposed_, counts_, slot, left);
  AddContext(transposed_[slot], left);
  AddContext(counts_[slot], right);

  for (int t = 0; t < slots_; ++t) context_[slot][t] = 0;
  counts_[slot][slot] = transposed_[slot][slot] = self;
  std::vector<Neighbour> followers(right), leaders(left);
  if (self > 0) {
    followers.push_back({slot, self});
    leaders.push_back({slot, self});
  }
  AddRow(transposed_, slot, followers);
  AddRow(counts_, slot, leaders);
  for (int t = 0; t < slots_; ++t) context_[t][slot] = context_[slot][t];
  SetPairs(slot);
  Change(slot);
}

// Adds the bigrams of a new class, on one of its sides, to the counts and the masses.
void Window::AddBigrams(Matrix<int32_t>& counts, Matrix<int32_t>& transposed, int slot,
                        const std::vector<Neighbour>& neighbours) {
  for (const Neighbour& n : neighbours) {
    counts[slot][n.id] = transposed[n.id][slot] = n.count;
    mass_[slot] += n.count;
    mass_[n.id] += n.count;
    Change(n.id);
  }
}

// Adds a new class as a context of the classes that it neighbours.
void Window::AddContext(const int32_t* column, const std::vector<Neighbour>& neighbours) {
  for (const Neighbour& a : neighbours) {
    if (a.id >= slots_) continue;
    for (const Neighbour& b : neighbours) {
      if (b.id == a.id || b.id >= slots_) continue;
      context_[a.id][b.id] += G(column[a.id], column[b.id]);
    }
  }
}

// Adds the contexts of a new class, on one of its sides, to context(slot, all others).
void Window::AddRow(const Matrix<int32_t>& transposed, int slot,
                    const std::vector<Neighbour>& neighbours) {
  int64_t* row = context_[slot];
  for (const Neighbour& u : neighbours) {
    const int32_t* column = transposed[u.id];
    for (int t = 0; t < slots_; ++t) {
      if (column[t] != 0) row[t] += G(u.count, column[t]);
    }
  }
}

int64_t Window::Own(int s, int t) const {
  const int64_t ss = counts_[s][s], st = counts_[s][t], ts = counts_[t][s], tt = counts_[t][t];
  const int64_t price = penalty_ * (unigram_[s] * size_[t] + unigram_[t] * size_[s]);
  if ((ss | st | ts | tt) == 0) return price;
  const auto F = [this](int64_t x) { return fixed_.XLogX(x); };
  return price + F(ss + ts) + F(st + tt) + F(ss + st) + F(ts + tt) - F(ss) - F(st) - F(ts) - F(tt) -
         F(ss + st + ts + tt);
}

void Window::SetPairs(int slot) {
  for (int t = 0; t < slots_; ++t) {
    const bool pair = t != slot && live_[t];
    own_[slot][t] = own_[t][slot] = pair ? Own(slot, t) : kNever;
    log_sum_[slot][t] = log_sum_[t][slot] = fixed_.Log(unigram_[slot] + unigram_[t]);
  }
}

void Window::Change(int slot) {
  if (slot >= slots_ || is_changed_[slot]) return;
  is_changed_[slot] = 1;
  changed_.push_back(slot);
}

void Window::Rescan(int slot) {
  int64_t least = kLargest;
  int best = slot;
  for (int t = slot + 1; t < slots_; ++t) {
    const int64_t loss = Loss(slot, t);
    if (loss < least) {
      least = loss;
      best = t;
    }
  }
  best_loss_[slot] = least;
  best_[slot] = best;
}

std::pair<int, int> Window::BestPair() {
  for (int slot : changed_) cost_[slot] = mass_[slot] * fixed_.Log(unigram_[slot]);
  int least = 0;
  for (int s = 0; s < slots_; ++s) {
    if (!live_[s]) {
      best_loss_[s] = kLargest;
    } else if (is_changed_[s] || is_changed_[best_[s]]) {
      Rescan(s);
    } else {
      for (int t : changed_) {
        if (t <= s) continue;
        const int64_t loss = Loss(s, t);
        if (loss < best_loss_[s] || (loss == best_loss_[s] && t < best_[s])) {
          best_loss_[s] = loss;
          best_[s] = t;
        }
      }
    }
    if (best_loss_[s] < best_loss_[least]) least = s;
  }
  for (int slot : changed_) is_changed_[slot] = 0;
  changed_.clear();
  const int partner = best_[least];
  return unigram_[partner] > unigram_[least] ? std::make_pair(partner, least)
                                             : std::make_pair(least, partner);
}

void Window::Merge(int keep, int gone) {
  MergeColumns(counts_, transposed_, keep, gone);
  MergeColumns(transposed_, counts_, keep, gone);
  unigram_[keep] += unigram_[gone];
  mass_[keep] += mass_[gone];
  size_[keep] += size_[gone];
  unigram_[gone] = mass_[gone] = cost_[gone] = size_[gone] = 0;
  live_[gone] = 0;
  SetPairs(keep);
  for (int t = 0; t < slots_; ++t) own_[gone][t] = own_[t][gone] = kNever;
  Change(keep);
  Change(gone);
}

// Adds column `gone` of `counts` to column `keep`, which is adding row `gone` of `transposed` to
// row `keep`: the one changes contexts of all classes, the other the contexts that `keep` has.
void Window::MergeColumns(Matrix<int32_t>& counts, Matrix<int32_t>& transposed, int keep,
                          int gone) {
  const auto F = [this](int64_t x) { return fixed_.XLogX(x); };
  int32_t* kept = transposed[keep];
  int32_t* absorbed = transposed[gone];
  int64_t* row = context_[keep];
  for (int a = 0; a < width_; ++a) {
    if (absorbed[a] == 0) continue;
    const int64_t old = kept[a], now = old + absorbed[a];
    const int64_t rise = F(now) - F(old);
    const int32_t* contexts = counts[a];
    for (int b = 0; b < slots_; ++b) {  // a as a context that `keep` and b share
      const int64_t n = contexts[b];
      if (n == 0 || b == keep) continue;
      const int64_t change = rise - F(now + n) + F(old + n);
      row[b] += change;
      context_[b][keep] += change;
    }
    if (a >= slots_) continue;
    Change(a);
    for (int b = 0; b < slots_; ++b) {  // `keep` as a context that a and b share
      if (b == a || (kept[b] | absorbed[b]) == 0 || (absorbed[b] != 0 && b < a)) continue;
      const int64_t change =
          G(now, int64_t{kept[b]} + absorbed[b]) - G(old, kept[b]) - G(absorbed[a], absorbed[b]);
      context_[a][b] += change;
      context_[b][a] += change;
    }
  }
  for (int a = 0; a < width_; ++a) {
    if (absorbed[a] == 0) continue;
    kept[a] += absorbed[a];
    counts[a][keep] = kept[a];
    absorbed[a] = counts[a][gone] = 0;
  }
}

}  // namespace nlmt::classes
