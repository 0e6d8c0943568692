// Training of recurrent networks: minibatches of sentences, back-propagation through `unroll`
// words.
#pragma once

#include <memory>

#include "outputs/output_layer.h"
#include "training/columns.h"
#include "training/first_inputs.h"
#include "training/input_trainer.h"

namespace nlmt::neural {

// A minibatch of sentences: rows (sentences x width) of `<s>`, words, `</s>`, then -1; each
// predicted word has one of `vectors` (count x side), by vector_of (sentences x (width - 1)).
template <class Real>
struct Sentences {
  const int32_t* words;
  int64_t count, width;
  const Real* vectors;
  int64_t vector_count;
  const int32_t* vector_of;
};

template <class Real>
class RecurrentTrainer {
 public:
  // `direct` is null where there are no direct features.
  RecurrentTrainer(Recurrent<Real>& network, Output<Real>& output,
                   std::unique_ptr<Objective<Real>> objective, Direct<Real>* direct,
                   const StepSettings& steps, double dropout, int64_t unroll, int threads)
      : optimiser(network.parameters, steps),
        objective(std::move(objective)),
        network_(network),
        output_(output),
        dropout_(dropout),
        unroll_(unroll),
        batch_(threads),
        layers_(network.layers) {
    if (direct == nullptr) return;
    direct_ = direct;
    direct_trainer = std::make_unique<DirectTrainer<Real>>(*direct, steps);
    batch_.direct = direct_trainer.get();
  }

  Optimiser<Real> optimiser;
  const std::unique_ptr<Objective<Real>> objective;
  std::unique_ptr<DirectTrainer<Real>> direct_trainer;

  const Recurrent<Real>& network() const { return network_; }
  Team& team() { return batch_.team; }
  std::vector<Trained<Real>> trained() {
    std::vector<Trained<Real>> result{{&network_, &optimiser}, {&output_, &objective->optimiser}};
    if (direct_ != nullptr) result.push_back({direct_, &direct_trainer->optimiser});
    return result;
  }

  // One step along a minibatch, whose first example has number `first`; returns the sum of the
  // loss. Examples are numbered column by column, those of a column by falling length of their
  // sentences. Words that the output layer does not cover are read, but not predicted.
  double train(const Sentences<Real>& sentences, uint64_t first, uint64_t key, double rate) {
    arrange(sentences, first, key);
    const int64_t all = batch_.size, predicted = static_cast<int64_t>(batch_.example.size());
    batch_.size = predicted;
    objective->arrange(batch_);
    place(all);
    batch_.size = all;
    const auto begin = [&](Optimiser<Real>& one) {
      one.begin(rate, batch_.size);
      one.decay(first, batch_.team);
    };
    begin(optimiser);
    begin(objective->optimiser);
    if (direct_trainer != nullptr) begin(direct_trainer->optimiser);
    forward(sentences);
    batch_.size = predicted;
    batch_.losses.clear();
    if (predicted > 0) objective->run(batch_);
    const bool steps_direct = direct_trainer != nullptr && predicted > 0;
    if (steps_direct) batch_.team.beside([&] { direct_trainer->sort(); });
    batch_.size = all;
    for (int64_t l = network_.layers - 1; l >= 0; --l) backward(l);
    first_.collect(network_, layers_[0].sums, batch_.team);
    step();
    if (steps_direct) direct_trainer->step(batch_.team);
    return std::accumulate(batch_.losses.begin(), batch_.losses.end(), 0.0);
  }

 private:
  // A layer's data for each example.
  struct Rows {
    Matrix<Real> sums;       // before the activations, then these, then derivatives by the sums
    Matrix<Real> before, h;  // states
    Matrix<Real> c;
    Matrix<Real> flow;  // derivative by h
    Matrix<Real> mask;  // of h
    Matrix<Real> out;   // h after it, but of the last layer
  };

  void arrange(const Sentences<Real>& sentences, uint64_t first, uint64_t key) {
    columns_.arrange(sentences.words, sentences.count, sentences.width);
    batch_.size = columns_.rows();
    batch_.key = key;
    batch_.first = first;
    batch_.example.clear();
    for (int64_t row = 0; row < batch_.size; ++row) {
      if (output_.covers(columns_.targets[row])) {
        batch_.example.push_back(static_cast<int32_t>(row));
      }
    }
    batch_.windows = columns_.targets.data();
    batch_.width = 1;
    batch_.hidden = &hidden_;
    batch_.gradient = &gradient_;
    const int64_t dim = network_.dim(), n = batch_.size;
    for (Rows& rows : layers_) {
      reserve(rows.sums, n, network_.width());
      for (Matrix<Real>* one : {&rows.before, &rows.h, &rows.flow}) reserve(*one, n, dim);
      if (network_.cell.has_memory()) reserve(rows.c, n, dim);
      if (dropout_.any()) reserve(rows.mask, n, dim);
      if (&rows != &layers_.back()) reserve(rows.out, n, dim);
    }
    for (Matrix<Real>* one : {&hidden_, &gradient_}) reserve(*one, n, dim + network_.side);
    if (network_.layers > 1) reserve(above_, n, dim);
    beside_.vectors = sentences.vectors;
    beside_.count = sentences.vector_count;
    beside_.of.clear();
    for (int64_t t = 0; network_.side > 0 && t < columns_.count(); ++t) {
      for (int64_t i = 0; i < columns_.active(t); ++i) {
        beside_.of.push_back(sentences.vector_of[columns_.sentence(i) * (sentences.width - 1) + t]);
      }
    }
  }

  // Predicted examples have the first places, in order; the others give no derivatives.
  void place(int64_t all) {
    place_.assign(all, -1);
    int64_t next = 0;
    for (const int32_t row : batch_.example) place_[row] = next++;
    for (int64_t& one : place_) {
      if (one >= 0) continue;
      std::fill_n(gradient_.row(next), gradient_.stride, Real(0));
      one = next++;
    }
  }

  // Sentences are read in blocks of lanes, each by one task.
  int64_t lane_tasks() const {
    constexpr int64_t kMost = 96, kLeast = 4;  // lanes of a task
    const int64_t n = columns_.active(0);
    return std::min(batch_.team.even_blocks(n, kMost), (n + kLeast - 1) / kLeast);
  }
  template <class Run>
  void each_block_of_lanes(Run run) {
    const int64_t tasks = lane_tasks(), n = columns_.active(0);
    batch_.team.each(tasks,
                     [&](int64_t task, int) { run(n * task / tasks, n * (task + 1) / tasks); });
  }

  void forward(const Sentences<Real>& sentences) {
    network_.prepare(ready_, batch_.team);
    const auto mask = [&](int32_t row, Real* to) {
      dropout_.draw(batch_.key + 1, number(row), network_.dim(), to);
    };
    first_.gather(network_, ready_, columns_.words, beside_,
                  dropout_.any() ? mask : typename FirstInputs<Real>::Mask(), batch_.team);
    if (direct_ != nullptr) find_features(sentences);
    for (int64_t l = 0; l < network_.layers; ++l) {
      if (l > 0) pass_up(l);
      each_block_of_lanes([&](int64_t first, int64_t last) { read(l, first, last); });
    }
  }

  // The sums of a layer above the first, before the states.
  void pass_up(int64_t l) {
    Matrix<Real>& sums = layers_[l].sums;
    batch_.team.each_even_block(batch_.size, [&](int64_t begin, int64_t end, int) {
      for (int64_t r = begin; r < end; ++r) {
        std::copy_n(ready_.bias[l].row(0), sums.stride, sums.row(r));
      }
      network_.add_inputs(ready_, l, end - begin, layers_[l - 1].out.row(begin), sums.row(begin),
                          sums.stride);
    });
  }

  uint64_t number(int64_t row) const { return batch_.first + static_cast<uint64_t>(row); }
  void draw(int64_t l, int64_t row) {
    const uint64_t above = static_cast<uint64_t>(network_.layers - 1 - l);
    const uint64_t key = batch_.key + (above > 0 ? above + 1 : 0);  // one more is the embeddings'
    dropout_.draw(key, number(row), network_.dim(), layers_[l].mask.row(row));
  }

  void find_features(const Sentences<Real>& sentences) {
    direct_trainer->resize(batch_.size);
    batch_.team.each(columns_.count(), [&](int64_t t, int) {
      const int64_t longest = direct_->longest;
      std::vector<int32_t> history(longest);
      for (int64_t i = 0; i < columns_.active(t); ++i) {
        const int32_t* words = sentences.words + columns_.sentence(i) * sentences.width;
        for (int64_t k = 0; k < longest; ++k) {
          history[longest - 1 - k] = words[std::max<int64_t>(t - k, 0)];
        }
        direct_trainer->find(columns_.begin(t) + i, history.data());
      }
    });
  }

  // The states of some sentences, column by column.
  void read(int64_t l, int64_t first, int64_t last) {
    Rows& rows = layers_[l];
    const int64_t stride = network_.stride();
    Matrix<Real>& c = memory(rows);
    const Matrix<Real> nothing(last - first, network_.dim());
    for (int64_t t = 0; t < columns_.count() && first < columns_.active(t); ++t) {
      const int64_t n = std::min(last, columns_.active(t)) - first;
      const int64_t from = columns_.begin(t) + first;
      const int64_t back = t > 0 ? columns_.begin(t - 1) + first : 0;
      if (t > 0) {
        std::copy_n(rows.h.row(back), n * stride, rows.before.row(from));
      } else {
        std::fill_n(rows.before.row(from), n * stride, Real(0));
      }
      for (int64_t r = from; l == 0 && r < from + n; ++r) {
        first_.begin(network_, ready_, r, rows.sums.row(r));
      }
      network_.advance(ready_, l, n, t == 0, rows.before.row(from),
                       t > 0 ? c.row(back) : nothing.row(0), rows.sums.row(from), rows.h.row(from),
                       c.row(from));
      for (int64_t r = from; r < from + n; ++r) give(l, r);
    }
  }

  // Computes the input of the layer above, or of the output layer, for an example.
  void give(int64_t l, int64_t row) {
    const Rows& rows = layers_[l];
    const bool top = l + 1 == network_.layers;
    Real* to = top ? hidden_.row(place_[row]) : layers_[l].out.row(row);
    const Real* h = rows.h.row(row);
    if (dropout_.any()) draw(l, row);
    for (int64_t d = 0; d < network_.dim(); ++d) {
      to[d] = dropout_.any() ? h[d] * rows.mask.row(row)[d] : h[d];
    }
    if (!top || network_.side == 0) return;
    std::copy_n(beside_.vectors + beside_.of[row] * network_.side, network_.side,
                to + network_.dim());
  }

  // Derivatives by the sums of a layer; none flow into the `unroll` words before.
  void backward(int64_t l) {
    each_block_of_lanes([&](int64_t first, int64_t last) { retreat(l, first, last); });
    if (l == 0) return;
    const Matrix<Real>& sums = layers_[l].sums;
    batch_.team.each_even_block(batch_.size, [&](int64_t begin, int64_t end, int) {
      network_.pull_back(l, true, end - begin, sums.row(begin), sums.stride, above_.row(begin),
                         false);
    });
  }

  void retreat(int64_t l, int64_t first, int64_t last) {
    Rows& rows = layers_[l];
    const Matrix<Real>& c = memory(rows);
    const Matrix<Real> nothing(1, network_.dim());
    Matrix<Real> dc(last - first, network_.dim()), unused(1, network_.dim());
    int64_t t = columns_.count() - 1;
    while (columns_.active(t) <= first) --t;
    take(l, t, first, last);
    for (; t >= 0; --t) {
      const int64_t n = std::min(last, columns_.active(t)) - first;
      const int64_t from = columns_.begin(t) + first;
      const int64_t back = t > 0 ? columns_.begin(t - 1) + first : 0;
      if (t > 0) take(l, t - 1, first, last);
      const bool on = t % unroll_ != 0;
      for (int64_t i = 0; i < n; ++i) {
        network_.cell.retreat(rows.sums.row(from + i), rows.before.row(from + i),
                              t > 0 ? c.row(back + i) : nothing.row(0), c.row(from + i),
                              rows.flow.row(from + i), dc.row(i),
                              on ? rows.flow.row(back + i) : unused.row(0));
      }
      if (on) {
        network_.pull_back(l, false, n, rows.sums.row(from), rows.sums.stride, rows.flow.row(back),
                           true);
      } else {
        std::fill(dc.data.begin(), dc.data.end(), Real(0));
      }
    }
  }

  // c, or an unused matrix for cells without it.
  Matrix<Real>& memory(Rows& rows) const { return network_.cell.has_memory() ? rows.c : rows.h; }

  // The derivative by h of a column that comes from above.
  void take(int64_t l, int64_t t, int64_t first, int64_t last) {
    Rows& rows = layers_[l];
    const bool top = l + 1 == network_.layers;
    for (int64_t i = first; i < std::min(last, columns_.active(t)); ++i) {
      const int64_t row = columns_.begin(t) + i;
      const Real* g = top ? gradient_.row(place_[row]) : above_.row(row);
      Real* flow = rows.flow.row(row);
      for (int64_t d = 0; d < network_.dim(); ++d) {
        flow[d] = dropout_.any() ? g[d] * rows.mask.row(row)[d] : g[d];
      }
    }
  }

  // Steps of every parameter below the output layer.
  void step() {
    struct Job {
      int64_t tasks;
      std::function<void(int64_t, int)> run;
    };
    const int64_t dim = network_.dim(), stride = network_.stride();
    const int64_t dense = dense_tasks(dim), gates = network_.cell.gates();
    std::vector<Job> jobs{
        {network_.layers * gates,  // the longest tasks
         [&](int64_t task, int thread) { step_biases(task / gates, task % gates, thread); }},
        {batch_.kShares, [&](int64_t task, int) { first_.step_words(network_, optimiser, task); }}};
    if (network_.side > 0) {
      jobs.push_back({dense, [&](int64_t task, int thread) {
                        first_.step_vectors(network_, optimiser, task, batch_, thread);
                      }});
    }
    for (int64_t l = 0; l < network_.layers; ++l) {
      for (int64_t gate = 0; gate < gates; ++gate) {
        const auto push = [&](int weight, const MatrixView<Real>& deltas, const Real* inputs) {
          jobs.push_back({dense, [this, weight, gate, deltas, inputs](int64_t task, int thread) {
                            step_dense(optimiser, weight, gate * network_.dim(), -1, task, deltas,
                                       inputs, network_.stride(), batch_, thread);
                          }});
        };
        const Matrix<Real>& sums = layers_[l].sums;
        const auto of_slot = [&](int64_t slot, int64_t from) {
          return MatrixView<Real>{sums.row(from) + slot * stride, batch_.size - from, dim,
                                  sums.stride};
        };
        const int64_t second = columns_.active(0);  // the first column has no state before it
        push(network_.hidden_weight(l), of_slot(network_.cell.state_slot(gate), second),
             layers_[l].before.row(second));
        const int64_t slot = network_.cell.input_slot(gate);
        if (network_.has_input_weight() && l == 0) {
          push(network_.input_weight(l), first_.totals(slot * stride, dim), first_.inputs().row(0));
        } else if (network_.has_input_weight()) {
          push(network_.input_weight(l), of_slot(slot, 0), layers_[l - 1].out.row(0));
        }
      }
    }
    int64_t total = 0;
    for (const Job& job : jobs) total += job.tasks;
    batch_.team.each(total, [&](int64_t task, int thread) {
      std::size_t job = 0;
      for (; task >= jobs[job].tasks; ++job) task -= jobs[job].tasks;
      jobs[job].run(task, thread);
    });
  }

  void step_biases(int64_t l, int64_t gate, int thread) {
    const int64_t dim = network_.dim(), stride = network_.stride();
    Real* total = batch_.scratch(thread, stride);
    const auto step_one = [&](int bias, int64_t slot) {
      weighted_sum<Real>(
          stride, batch_.size, [&](int64_t r) { return layers_[l].sums.row(r) + slot * stride; },
          [](int64_t) { return Real(1); }, total, false);
      for (int64_t d = 0; d < dim; ++d) optimiser.step_bias(bias, gate * dim + d, total[d]);
    };
    step_one(network_.hidden_bias(l), network_.cell.state_slot(gate));
    if (network_.has_input_weight()) {
      step_one(network_.input_bias(l), network_.cell.input_slot(gate));
    }
  }

  Recurrent<Real>& network_;
  Output<Real>& output_;
  Direct<Real>* direct_ = nullptr;
  const Dropout<Real> dropout_;
  const int64_t unroll_;
  Batch<Real> batch_;
  Columns columns_;
  SourceVectors<Real> beside_;
  typename Recurrent<Real>::Ready ready_;
  FirstInputs<Real> first_;
  std::vector<Rows> layers_;
  std::vector<int64_t> place_;  // of an example among those of the batch
  Matrix<Real> above_;          // derivatives by the inputs of the layer above
  Matrix<Real> hidden_, gradient_;
};

}  // namespace nlmt::neural
