// Objectives of output layers: their interface and common parts.
//
// Every row of every parameter is summed and updated by one task, over the examples in order: the
// result is the same for any number of threads, and no gradient buffers need reduction.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "networks/direct.h"
#include "team.h"
#include "training/optimiser.h"
#include "training/touched.h"

namespace nlmt::neural {

// A minibatch: hidden vectors, and the place for the derivative of the loss by them.
template <class Real>
struct Batch {
  static constexpr int64_t kShares =
      64;  // tasks that the rows of a parameter are dealt to, at most

  // Tasks for the rows of so many entries, where no sum depends on their number.
  static int64_t shares(int64_t entries) { return std::clamp<int64_t>(entries / 16, 1, kShares); }

  explicit Batch(int threads) : team(threads), scratches_(threads) {}

  const int32_t* windows = nullptr;  // (size x width), the target last
  int64_t width = 0, size = 0;
  const Real* vectors = nullptr;       // rows of the optional vectors of examples
  const int32_t* vector_of = nullptr;  // the row of each example
  uint64_t key = 0, first = 0;         // of the random numbers of its examples
  std::vector<int32_t> example;        // the order in which the examples are taken
  Matrix<Real>* hidden = nullptr;
  Matrix<Real>* gradient = nullptr;
  DirectTrainer<Real>* direct = nullptr;  // features of its examples, or none
  std::vector<double> losses;             // of each task, so that they are added in one order
  Team team;

  // Examples of a slot: several slots for each of many threads. What is recorded slot by slot has
  // the same order on any number of threads.
  int64_t slot_size() const { return size <= 16 ? 16 : std::clamp<int64_t>(size / 128, 4, kBlock); }
  int64_t slots() const { return (size + slot_size() - 1) / slot_size(); }
  const int32_t* window(int64_t m) const { return windows + example[m] * width; }
  int32_t target(int64_t m) const { return window(m)[width - 1]; }
  uint64_t number(int64_t m) const { return first + static_cast<uint64_t>(example[m]); }

  // Runs task(begin, end, slot, thread) for the examples of each slot.
  template <class Task>
  void each_slot(Task task) {
    team.each(slots(), [&](int64_t slot, int thread) {
      task(slot * slot_size(), std::min((slot + 1) * slot_size(), size), slot, thread);
    });
  }

  // At least n numbers that are the thread's own.
  Real* scratch(int thread, int64_t n) {
    Buffer<Real>& own = scratches_[thread];
    if (static_cast<int64_t>(own.size()) < n) own.resize(n);
    return own.data();
  }

 private:
  std::vector<Buffer<Real>> scratches_;
};

// Ensures rows for `size` examples.
template <class Real>
inline void reserve(Matrix<Real>& matrix, int64_t size, int64_t columns) {
  if (matrix.rows < size) matrix = Matrix<Real>(size, columns);
}

template <class Real>
struct Objective {
  Objective(Layer<Real>& output, const StepSettings& steps) : optimiser(output.parameters, steps) {}
  virtual ~Objective() = default;
  // Choose the order of the examples, and the rows that they touch where no hidden vector is needed
  // for that.
  virtual void arrange(Batch<Real>&) = 0;
  // Fill `losses` and `gradient`, and step the parameters of the output layer.
  virtual void run(Batch<Real>&) = 0;

  // Samples of noise of each layer, and those of an example: the classes and the words.
  virtual int noise_samples() const { return 0; }
  virtual void draw_noise(uint64_t, uint64_t, int32_t, int32_t*, int32_t*) const {}

  Optimiser<Real> optimiser;  // of the output layer's parameters
};

constexpr int64_t kDenseRows = 12;  // rows of a dense weight in a task
inline int64_t dense_tasks(int64_t rows) { return (rows + kDenseRows - 1) / kDenseRows; }

// One of the dense_tasks of a step of a weight (rows x in): its gradient is deltas^T inputs, of
// (size x rows) and (size x in). `at` is the first of its rows in the parameter; `bias` is -1 where
// there is none.
template <class Real>
void step_dense(Optimiser<Real>& optimiser, int weight, int64_t at, int bias, int64_t task,
                const MatrixView<Real>& deltas, const Real* inputs, int64_t in_stride,
                Batch<Real>& batch, int thread) {
  const int64_t begin = task * kDenseRows, end = std::min(begin + kDenseRows, deltas.columns);
  const int64_t n = end - begin, size = deltas.rows;
  Real* gradient = batch.scratch(thread, n * (in_stride + size));
  Real* own = gradient + n * in_stride;  // its columns of the deltas, which are far apart
  constexpr int64_t kAhead = 16;
  for (int64_t m = 0; m < size; ++m) {
    const Real* from = deltas.data + m * deltas.stride + begin;
    if (m + kAhead < size) __builtin_prefetch(from + kAhead * deltas.stride);
    if (n == kDenseRows) {  // a size that is known is copied without a call
      std::memcpy(own + m * n, from, kDenseRows * sizeof(Real));
    } else {
      std::copy_n(from, n, own + m * n);
    }
  }
  multiply<Real>(n, in_stride, size, own, 1, n, inputs, in_stride, gradient, in_stride, false);
  for (int64_t i = 0; i < n; ++i) optimiser.step(weight, at + begin + i, gradient + i * in_stride);
  if (bias < 0) return;
  Real totals[kDenseRows] = {};
  for (int64_t m = 0; m < size; ++m) {
    for (int64_t i = 0; i < n; ++i) totals[i] += own[m * n + i];
  }
  for (int64_t i = 0; i < n; ++i) optimiser.step_bias(bias, begin + i, totals[i]);
}

// The same where the deltas are the whole rows of the examples.
template <class Real>
void step_dense(Optimiser<Real>& optimiser, int weight, int64_t at, int bias, int64_t task,
                const Matrix<Real>& deltas, const Real* inputs, int64_t in_stride,
                Batch<Real>& batch, int thread) {
  const MatrixView<Real> all{deltas.row(0), batch.size, deltas.columns, deltas.stride};
  step_dense(optimiser, weight, at, bias, task, all, inputs, in_stride, batch, thread);
}

// Steps the rows `first` to `last` of those that `touched` has sorted: entry e adds weight_of(e) *
// row_of(e) to a row's gradient, bias_of(e) to its bias's, unless `bias` is -1.
template <class Real, class Row, class Weight, class Bias>
void step_touched(Optimiser<Real>& optimiser, int weight, int bias, const Touched& touched,
                  int64_t first, int64_t last, Row row_of, Weight weight_of, Bias bias_of,
                  Real* gradient, int64_t stride) {
  for (int64_t i = first; i < last; ++i) {
    const int64_t begin = touched.offset[i], n = touched.offset[i + 1] - begin;
    const int64_t r = touched.row(i);
    const int32_t* entries = touched.entry.data() + begin;
    weighted_sum<Real>(
        stride, n, [&](int64_t e) { return row_of(entries[e]); },
        [&](int64_t e) { return weight_of(entries[e]); }, gradient, false);
    optimiser.step(weight, r, gradient);
    if (bias < 0) continue;
    Real total = 0;
    for (int64_t e = 0; e < n; ++e) total += bias_of(entries[e]);
    optimiser.step_bias(bias, r, total);
  }
}

// Steps one of so many shares of the rows that were touched, each along the sum of the gradients of
// its entries.
template <class Real>
void step_rows(Optimiser<Real>& optimiser, int weight, const Touched& touched,
               const Matrix<Real>& gradients, int64_t share, int64_t shares, Batch<Real>& batch,
               int thread) {
  const auto one = [](int32_t) { return Real(1); };
  step_touched(
      optimiser, weight, -1, touched, touched.border(share, shares),
      touched.border(share + 1, shares), [&](int32_t e) { return gradients.row(e); }, one, one,
      batch.scratch(thread, gradients.stride), gradients.stride);
}

// Each example's entries for some rows: their numbers and the loss's derivatives there. They are
// sorted in parts, as one thread would take longer than many take for the losses.
template <class Real>
struct Deltas {
  static constexpr int32_t kParts = 4;

  std::vector<int32_t> rows;
  std::vector<Real> values;
  std::vector<int32_t> owner;           // example of each entry
  std::array<Touched, kParts> touched;  // the rows that are i modulo kParts

  void resize(int64_t n) {
    rows.resize(n);
    values.resize(n);
    owner.resize(n);
  }

  // Sorts the entries beside the next round.
  void sort(int64_t row_count, Team& team) {
    for (int32_t i = 0; i < kParts; ++i) {
      team.beside([this, row_count, i] { touched[i].sort(rows, row_count, kParts, i); });
    }
  }

  int64_t shares() const { return kParts * part_shares(); }

  // Steps one of the shares of the rows that were touched, after `sort`.
  void step(Optimiser<Real>& optimiser, int weight, int bias, int64_t share, Batch<Real>& batch,
            int thread) const {
    const Touched& part = touched[share % kParts];
    const int64_t first = part.border(share / kParts, part_shares());
    const int64_t last = part.border(share / kParts + 1, part_shares());
    const auto value = [&](int32_t e) { return values[e]; };
    step_touched(
        optimiser, weight, bias, part, first, last,
        [&](int32_t e) { return batch.hidden->row(owner[e]); }, value, value,
        batch.scratch(thread, batch.hidden->stride), batch.hidden->stride);
  }

 private:
  int64_t part_shares() const {
    return Batch<Real>::shares(static_cast<int64_t>(rows.size()) / kParts);
  }
};

}  // namespace nlmt::neural
