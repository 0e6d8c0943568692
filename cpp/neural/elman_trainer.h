// Training of Elman networks: minibatches of sentences, back-propagation through `unroll` words.
#pragma once

#include <memory>
#include <numeric>

#include "elman.h"
#include "input_trainer.h"

namespace nlmt {

// A minibatch of sentences: rows (sentences x width) of `<s>`, words, `</s>`, then -1; and for each
// word that is predicted (sentences x (width - 1)) a row of `vectors`, if there are any.
template <class Real>
struct Sentences {
  const int32_t* words;
  int64_t count, width;
  const Real* vectors;
  const int32_t* vector_of;
};

template <class Real>
class ElmanTrainer {
 public:
  // `direct` is null where there are no direct features.
  ElmanTrainer(Elman<Real>& elman, std::unique_ptr<Objective<Real>> objective, Direct<Real>* direct,
               const StepSettings& steps, double dropout, int64_t unroll, int threads)
      : optimiser(elman.parameters, steps),
        objective(std::move(objective)),
        elman_(elman),
        dropout_(dropout),
        unroll_(unroll),
        batch_(threads) {
    if (direct == nullptr) return;
    direct_ = direct;
    direct_trainer = std::make_unique<DirectTrainer<Real>>(*direct, steps);
    batch_.direct = direct_trainer.get();
  }

  Optimiser<Real> optimiser;
  const std::unique_ptr<Objective<Real>> objective;
  std::unique_ptr<DirectTrainer<Real>> direct_trainer;

  const Dropout<Real>& dropout() const { return dropout_; }

  // One step along a minibatch, whose first example has number `first`; returns the sum of the
  // loss. Examples are numbered column by column, those of a column by falling length of their
  // sentences.
  double train(const Sentences<Real>& sentences, uint64_t first, uint64_t key, double rate) {
    arrange(sentences);
    batch_.key = key;
    batch_.first = first;
    batch_.example.resize(batch_.size);
    std::iota(batch_.example.begin(), batch_.example.end(), 0);
    batch_.windows = targets_.data();
    batch_.width = 1;
    batch_.hidden = &hidden_;
    batch_.gradient = &gradient_;
    objective->arrange(batch_);
    const auto begin = [&](Optimiser<Real>& one) {
      one.begin(rate, batch_.size);
      one.decay(first, batch_.team);
    };
    begin(optimiser);
    begin(objective->optimiser);
    if (direct_trainer != nullptr) begin(direct_trainer->optimiser);
    forward(sentences);
    objective->run(batch_);
    backward();
    step();
    if (direct_trainer != nullptr) direct_trainer->step(batch_.team);
    return std::accumulate(batch_.losses.begin(), batch_.losses.end(), 0.0);
  }

 private:
  // The examples column by column: those of column t are begin_[t] to begin_[t + 1], the longest
  // sentence first, so that sentence i of a column has row begin_[t] + i.
  void arrange(const Sentences<Real>& sentences) {
    const int64_t n = sentences.count, width = sentences.width;
    std::vector<int64_t> length(n);
    for (int64_t i = 0; i < n; ++i) {
      const int32_t* row = sentences.words + i * width;
      while (length[i] + 1 < width && row[length[i] + 1] >= 0) ++length[i];
    }
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int64_t a, int64_t b) { return length[a] > length[b]; });
    begin_.assign(1, 0);
    words_.clear();
    targets_.clear();
    for (int64_t t = 0, active = n; t + 1 < width; ++t) {
      while (active > 0 && length[order_[active - 1]] <= t) --active;
      if (active == 0) break;
      for (int64_t i = 0; i < active; ++i) {
        const int32_t* row = sentences.words + order_[i] * width;
        words_.push_back(row[t]);
        targets_.push_back(row[t + 1]);
      }
      begin_.push_back(begin_.back() + active);
    }
    batch_.size = begin_.back();
    place_.resize(batch_.size);
    for (Matrix<Real>* one : {&states_, &before_, &deltas_}) {
      reserve(*one, batch_.size, elman_.dim);
    }
    for (Matrix<Real>* one : {&hidden_, &gradient_}) {
      reserve(*one, batch_.size, elman_.dim + elman_.side);
    }
    if (elman_.side > 0) reserve(beside_, batch_.size, elman_.side);
    if (!dropout_.any()) return;
    reserve(input_mask_, batch_.size, elman_.dim);
    reserve(output_mask_, batch_.size, elman_.dim);
    reserve(dropped_, batch_.size, elman_.dim);
  }

  int64_t columns() const { return static_cast<int64_t>(begin_.size()) - 1; }
  int64_t active(int64_t t) const { return begin_[t + 1] - begin_[t]; }
  int64_t lane_tasks() const { return (active(0) + Elman<Real>::kLanes - 1) / Elman<Real>::kLanes; }

  void forward(const Sentences<Real>& sentences) {
    const auto ready = elman_.transposed();
    for (int64_t m = 0; m < batch_.size; ++m) place_[batch_.example[m]] = m;
    if (direct_ != nullptr) direct_trainer->resize(batch_.size);
    batch_.team.each(lane_tasks(), [&](int64_t task, int) {
      const int64_t first = task * Elman<Real>::kLanes;
      std::vector<int32_t> history(direct_ == nullptr ? 0 : direct_->longest);
      for (int64_t t = 0; t < columns() && first < active(t); ++t) {
        const int64_t last = std::min(first + Elman<Real>::kLanes, active(t));
        const int64_t from = begin_[t] + first, n = last - first;
        for (int64_t i = first; i < last; ++i) prepare(sentences, t, i, history);
        elman_.read(ready, n, t > 0 ? before_.row(from) : nullptr,
                    elman_.side > 0 ? beside_.row(from) : nullptr, states_.row(from));
        for (int64_t r = from; r < from + n; ++r) give(r);
      }
    });
  }

  // The inputs of word t of sentence i: its embedding, the state before it, what is beside it.
  void prepare(const Sentences<Real>& sentences, int64_t t, int64_t i,
               std::vector<int32_t>& history) {
    const int64_t row = begin_[t] + i, stride = elman_.stride(), width = sentences.width;
    Real* x = states_.row(row);
    std::copy_n(elman_.values(Elman<Real>::kEmbeddings).row(words_[row]), stride, x);
    if (dropout_.any()) {
      const uint64_t number = batch_.first + static_cast<uint64_t>(row);
      dropout_.draw(batch_.key, number, elman_.dim, output_mask_.row(row));
      dropout_.draw(batch_.key + 1, number, elman_.dim, input_mask_.row(row));
      for (int64_t d = 0; d < stride; ++d) x[d] *= input_mask_.row(row)[d];
    }
    if (t == 0) {
      std::fill_n(before_.row(row), stride, Real(0));
    } else {
      std::copy_n(states_.row(begin_[t - 1] + i), stride, before_.row(row));
    }
    const int32_t* words = sentences.words + order_[i] * width;
    if (elman_.side > 0) {
      const int32_t of = sentences.vector_of[order_[i] * (width - 1) + t];
      std::copy_n(sentences.vectors + of * elman_.side, elman_.side, beside_.row(row));
    }
    if (direct_ == nullptr) return;
    const int64_t longest = direct_->longest;
    for (int64_t k = 0; k < longest; ++k) {
      history[longest - 1 - k] = words[std::max<int64_t>(t - k, 0)];
    }
    direct_trainer->find(row, history.data());
  }

  // What the output layer sees of an example.
  void give(int64_t row) {
    Real* to = hidden_.row(place_[row]);
    const Real* h = states_.row(row);
    for (int64_t d = 0; d < elman_.dim; ++d) {
      to[d] = dropout_.any() ? h[d] * output_mask_.row(row)[d] : h[d];
    }
    if (elman_.side > 0) std::copy_n(beside_.row(row), elman_.side, to + elman_.dim);
  }

  // Derivatives by the sums before each activation; none flow into the `unroll` words before.
  void backward() {
    const int64_t stride = elman_.stride();
    const Matrix<Real>& weight = elman_.values(Elman<Real>::kHidden);
    batch_.team.each(lane_tasks(), [&](int64_t task, int) {
      const int64_t first = task * Elman<Real>::kLanes;
      int64_t carried = 0;  // sentences whose next word has given its share
      for (int64_t t = columns() - 1; t >= 0; --t) {
        const int64_t last = std::min(first + Elman<Real>::kLanes, active(t));
        if (first >= last) continue;
        for (int64_t i = first; i < last; ++i) {
          const int64_t row = begin_[t] + i;
          Real* delta = deltas_.row(row);
          const Real* g = gradient_.row(place_[row]);
          if (i - first >= carried) std::fill_n(delta, stride, Real(0));
          for (int64_t d = 0; d < elman_.dim; ++d) {
            delta[d] += dropout_.any() ? g[d] * output_mask_.row(row)[d] : g[d];
          }
          derive(Activation::kSigmoid, states_.row(row), Real(1), delta, stride);
          if (!dropout_.any()) continue;
          for (int64_t d = 0; d < stride; ++d) {
            dropped_.row(row)[d] = delta[d] * input_mask_.row(row)[d];
          }
        }
        carried = 0;
        if (t == 0 || t % unroll_ == 0) continue;
        carried = last - first;
        multiply<Real>(carried, stride, elman_.dim, deltas_.row(begin_[t] + first), stride, 1,
                       weight.data.data(), stride, deltas_.row(begin_[t - 1] + first), stride,
                       false);
      }
    });
  }

  // Steps of every parameter below the output layer.
  void step() {
    const Matrix<Real>& spread = dropout_.any() ? dropped_ : deltas_;
    by_word_.sort(words_, elman_.words);
    const int64_t dense = dense_tasks(elman_.dim);
    const int64_t tasks = batch_.kShares + dense * (elman_.side > 0 ? 2 : 1);
    batch_.team.each(tasks, [&](int64_t task, int thread) {
      if (task < batch_.kShares) {
        step_rows(optimiser, Elman<Real>::kEmbeddings, by_word_, spread, task, batch_, thread);
      } else if (task -= batch_.kShares; task < dense) {
        step_dense(optimiser, Elman<Real>::kHidden, 0, Elman<Real>::kBias, task, deltas_,
                   before_.row(0), before_.stride, batch_, thread);
      } else {
        step_dense(optimiser, Elman<Real>::kSide, 0, -1, task - dense, deltas_, beside_.row(0),
                   beside_.stride, batch_, thread);
      }
    });
  }

  Elman<Real>& elman_;
  Direct<Real>* direct_ = nullptr;
  const Dropout<Real> dropout_;
  const int64_t unroll_;
  Batch<Real> batch_;
  std::vector<int64_t> order_, begin_, place_;  // place of an example among those of the batch
  std::vector<int32_t> words_, targets_;        // of each example: the last word, the next one
  Matrix<Real> states_, before_, beside_, deltas_, dropped_, input_mask_, output_mask_;
  Matrix<Real> hidden_, gradient_;
  TouchedRows by_word_;
};

}  // namespace nlmt
