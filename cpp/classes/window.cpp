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
      penalty_(fixed.number(penalty)),
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

void Window::place(int slot, int64_t unigram, const std::vector<Neighbour>& right,
                   const std::vector<Neighbour>& left, uint32_t self) {
  live_[slot] = 1;
  unigram_[slot] = unigram;
  size_[slot] = 1;
  mass_[slot] = 2 * int64_t{self};
  add_bigrams(counts_, transposed_, slot, right);
  add_bigrams(transposed_, counts_, slot, left);
  add_context(transposed_[slot], left);
  add_context(counts_[slot], right);

  for (int t = 0; t < slots_; ++t) context_[slot][t] = 0;
  counts_[slot][slot] = transposed_[slot][slot] = self;
  std::vector<Neighbour> followers(right), leaders(left);
  if (self > 0) {
    followers.push_back({slot, self});
    leaders.push_back({slot, self});
  }
  add_row(transposed_, slot, followers);
  add_row(counts_, slot, leaders);
  for (int t = 0; t < slots_; ++t) context_[t][slot] = context_[slot][t];
  set_pairs(slot);
  mark_changed(slot);
}

// Adds the bigrams of a new class, on one of its sides, to the counts and the masses.
void Window::add_bigrams(Matrix<uint32_t>& counts, Matrix<uint32_t>& transposed, int slot,
                         const std::vector<Neighbour>& neighbours) {
  for (const Neighbour& n : neighbours) {
    counts[slot][n.id] = transposed[n.id][slot] = n.count;
    mass_[slot] += n.count;
    mass_[n.id] += n.count;
    mark_changed(n.id);
  }
}

// Adds a new class as a context of the classes that it neighbours.
void Window::add_context(const uint32_t* column, const std::vector<Neighbour>& neighbours) {
  for (const Neighbour& a : neighbours) {
    if (a.id >= slots_) continue;
    for (const Neighbour& b : neighbours) {
      if (b.id == a.id || b.id >= slots_) continue;
      context_[a.id][b.id] += g(column[a.id], column[b.id]);
    }
  }
}

// Adds the contexts of a new class, on one of its sides, to context(slot, all others).
void Window::add_row(const Matrix<uint32_t>& transposed, int slot,
                     const std::vector<Neighbour>& neighbours) {
  int64_t* row = context_[slot];
  for (const Neighbour& u : neighbours) {
    const uint32_t* column = transposed[u.id];
    for (int t = 0; t < slots_; ++t) {
      if (column[t] != 0) row[t] += g(u.count, column[t]);
    }
  }
}

int64_t Window::own(int s, int t) const {
  const int64_t ss = counts_[s][s], st = counts_[s][t], ts = counts_[t][s], tt = counts_[t][t];
  const int64_t price = penalty_ * (unigram_[s] * size_[t] + unigram_[t] * size_[s]);
  if ((ss | st | ts | tt) == 0) return price;
  const auto f = [this](int64_t x) { return fixed_.x_log_x(x); };
  return price + f(ss + ts) + f(st + tt) + f(ss + st) + f(ts + tt) - f(ss) - f(st) - f(ts) - f(tt) -
         f(ss + st + ts + tt);
}

void Window::set_pairs(int slot) {
  for (int t = 0; t < slots_; ++t) {
    const bool pair = t != slot && live_[t];
    own_[slot][t] = own_[t][slot] = pair ? own(slot, t) : kNever;
    log_sum_[slot][t] = log_sum_[t][slot] = fixed_.log(unigram_[slot] + unigram_[t]);
  }
}

void Window::mark_changed(int slot) {
  if (slot >= slots_ || is_changed_[slot]) return;
  is_changed_[slot] = 1;
  changed_.push_back(slot);
}

void Window::rescan(int slot) {
  int64_t least = kLargest;
  int best = slot;
  for (int t = slot + 1; t < slots_; ++t) {
    const int64_t loss = loss_of(slot, t);
    if (loss < least) {
      least = loss;
      best = t;
    }
  }
  best_loss_[slot] = least;
  best_[slot] = best;
}

std::pair<int, int> Window::best_pair() {
  for (int slot : changed_) cost_[slot] = mass_[slot] * fixed_.log(unigram_[slot]);
  int least = 0;
  for (int s = 0; s < slots_; ++s) {
    if (!live_[s]) {
      best_loss_[s] = kLargest;
    } else if (is_changed_[s] || is_changed_[best_[s]]) {
      rescan(s);
    } else {
      for (int t : changed_) {
        if (t <= s) continue;
        const int64_t loss = loss_of(s, t);
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

void Window::merge(int keep, int gone) {
  merge_columns(counts_, transposed_, keep, gone);
  merge_columns(transposed_, counts_, keep, gone);
  unigram_[keep] += unigram_[gone];
  mass_[keep] += mass_[gone];
  size_[keep] += size_[gone];
  unigram_[gone] = mass_[gone] = cost_[gone] = size_[gone] = 0;
  live_[gone] = 0;
  set_pairs(keep);
  for (int t = 0; t < slots_; ++t) own_[gone][t] = own_[t][gone] = kNever;
  mark_changed(keep);
  mark_changed(gone);
}

// Adds column `gone` of `counts` to column `keep`, which is adding row `gone` of `transposed` to
// row `keep`: the one changes contexts of all classes, the other the contexts that `keep` has.
void Window::merge_columns(Matrix<uint32_t>& counts, Matrix<uint32_t>& transposed, int keep,
                           int gone) {
  const auto f = [this](int64_t x) { return fixed_.x_log_x(x); };
  uint32_t* kept = transposed[keep];
  uint32_t* absorbed = transposed[gone];
  int64_t* row = context_[keep];
  for (int a = 0; a < width_; ++a) {
    if (absorbed[a] == 0) continue;
    const int64_t old = kept[a], now = old + absorbed[a];
    const int64_t rise = f(now) - f(old);
    const uint32_t* contexts = counts[a];
    for (int b = 0; b < slots_; ++b) {  // a as a context that `keep` and b share
      const int64_t n = contexts[b];
      if (n == 0 || b == keep) continue;
      const int64_t change = rise - f(now + n) + f(old + n);
      row[b] += change;
      context_[b][keep] += change;
    }
    if (a >= slots_) continue;
    mark_changed(a);
    for (int b = 0; b < slots_; ++b) {  // `keep` as a context that a and b share
      if (b == a || (kept[b] | absorbed[b]) == 0 || (absorbed[b] != 0 && b < a)) continue;
      const int64_t change =
          g(now, int64_t{kept[b]} + absorbed[b]) - g(old, kept[b]) - g(absorbed[a], absorbed[b]);
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
