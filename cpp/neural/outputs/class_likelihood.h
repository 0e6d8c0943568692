// Likelihood of a class-factored or full softmax, self-normalised where alpha > 0.
#pragma once

#include "outputs/class_output.h"
#include "training/objective.h"

namespace nlmt::neural {

template <class Real>
class ClassLikelihood : public Objective<Real> {
 public:
  ClassLikelihood(ClassOutput<Real>& output, const StepSettings& steps, double alpha)
      : Objective<Real>(output, steps), output_(output), alpha_(alpha) {}

  // Groups examples of one class, in stable order: its words form one small dense product.
  void arrange(Batch<Real>& batch) override {
    std::vector<int32_t> of(batch.size), ordered(batch.size);
    for (int64_t m = 0; m < batch.size; ++m) of[m] = output_.classes.of[batch.target(m)];
    by_class_.sort(of, output_.classes.count());
    for (int64_t m = 0; m < batch.size; ++m) ordered[m] = batch.example[by_class_.entry[m]];
    batch.example.swap(ordered);
  }

  void run(Batch<Real>& batch) override {
    using Layer = ClassOutput<Real>;
    const Classes& classes = output_.classes;
    const int64_t n = output_.class_stride(), stride = output_.stride();
    reserve(probability_, batch.size, classes.count());
    batch.losses.assign(batch.slots() + by_class_.count(), 0.0);
    if (batch.direct) open_direct(batch);
    class_logits(batch);
    batch.each_slot([&](int64_t begin, int64_t end, int64_t slot, int) {
      for (int64_t m = begin; m < end; ++m) {
        Real* p = probability_.row(m);
        if (batch.direct) {
          batch.direct->add_to(batch.example[m], 0, classes.count(), p);
          batch.direct->note(slot, batch.example[m], 0, classes.count(), p);
        }
        batch.losses[slot] +=
            softmax_loss(p, classes.count(), n, classes.of[batch.target(m)], alpha_);
      }
    });
    class_gradient(batch);
    const int64_t groups = by_class_.count();
    batch.team.each(groups + dense_tasks(classes.count()), [&](int64_t task, int thread) {
      if (task < groups) {  // the largest tasks are among these
        words_of_class(task, batch, thread);
      } else {
        step_dense(this->optimiser, Layer::kClassWeight, 0, Layer::kClassBias, task - groups,
                   probability_, batch.hidden->row(0), stride, batch, thread);
      }
    });
  }

 private:
  static constexpr int64_t kRows = 96;  // examples of a task, at most

  // Every task transposes a panel of the weight, which stays in the cache. Where there are few
  // panels, a task has some of the examples.
  void class_logits(Batch<Real>& batch) {
    using Layer = ClassOutput<Real>;
    const Matrix<Real>& weight = output_.values(Layer::kClassWeight);
    const Real* bias = output_.values(Layer::kClassBias).row(0);
    const int64_t n = output_.class_stride(), depth = weight.columns;
    const PanelBorders<Real> borders(n);
    constexpr int64_t kTasks = 4;  // of a thread, so that all end together
    const int64_t groups = std::clamp<int64_t>(kTasks * batch.team.size() / borders.count, 1,
                                               (batch.size + kRows - 1) / kRows);
    batch.team.each(borders.count * groups, [&](int64_t task, int thread) {
      const int64_t p = task / groups, group = task % groups;
      const int64_t begin = batch.size * group / groups, end = batch.size * (group + 1) / groups;
      const int64_t first = borders.begin(p), width = borders.width(p);
      Real* panel = batch.scratch(thread, depth * width);
      put_columns(
          std::min(width, weight.rows - first), [&](int64_t i) { return weight.row(first + i); },
          depth, width, panel);
      for (int64_t m = begin; m < end; ++m) {
        std::copy_n(bias + first, width, probability_.row(m) + first);
      }
      for (int64_t k = 0; k < depth; k += kDepth) {
        borders.multiply(p, end - begin, std::min(kDepth, depth - k), batch.hidden->row(begin) + k,
                         batch.hidden->stride, 1, panel + k * width, width,
                         probability_.row(begin) + first, n, true);
      }
    });
  }

  // The derivative by the hidden vectors. A task has some examples and some panels of their
  // columns: were it all columns, each of many threads would read all weights for a few examples.
  void class_gradient(Batch<Real>& batch) {
    const Matrix<Real>& weight = output_.values(ClassOutput<Real>::kClassWeight);
    const PanelBorders<Real> borders(weight.stride);
    const int64_t threads = batch.team.size(), blocks = (batch.size + kRows - 1) / kRows;
    const int64_t parts = std::min(borders.count, (threads + blocks - 1) / blocks);
    const int64_t rounds = (blocks * parts + threads - 1) / threads;
    const int64_t groups = (rounds * threads + parts - 1) / parts;
    batch.team.each(groups * parts, [&](int64_t task, int) {
      const int64_t group = task / parts, part = task % parts;
      const int64_t begin = batch.size * group / groups;
      const int64_t rows = batch.size * (group + 1) / groups - begin;
      multiply_panels<Real>(borders, borders.count * part / parts,
                            borders.count * (part + 1) / parts, rows, weight.rows,
                            probability_.row(begin), probability_.stride, 1, weight.data.data(),
                            weight.stride, batch.gradient->row(begin), weight.stride, false);
    });
  }

  // Direct features: a slot for each slot of examples and for each class of targets, whose
  // derivatives are kept.
  void open_direct(Batch<Real>& batch) {
    batch.direct->open(batch.slots() + by_class_.count());
    kept_begin_.assign(1, 0);
    for (int64_t i = 0; i < by_class_.count(); ++i) {
      const int64_t examples = by_class_.offset[i + 1] - by_class_.offset[i];
      const int64_t size = output_.classes.size(by_class_.row(i));
      kept_begin_.push_back(kept_begin_[i] + examples * padded<Real>(size));
    }
    if (static_cast<int64_t>(kept_.size()) < kept_begin_.back()) kept_.resize(kept_begin_.back());
  }

  // Forward, backward and step of the words of the i-th class of targets.
  void words_of_class(int64_t i, Batch<Real>& batch, int thread) {
    using Layer = ClassOutput<Real>;
    const Classes& classes = output_.classes;
    const int64_t begin = by_class_.offset[i], end = by_class_.offset[i + 1];
    const int64_t c = by_class_.row(i);
    const int64_t n = classes.size(c), row = padded<Real>(n), stride = output_.stride();
    if (n == 1) return;
    Real* gradient = batch.scratch(thread, (end - begin) * row + stride);
    Real* p = batch.direct ? kept_.data() + kept_begin_[i] : gradient + stride;
    double loss = 0;
    for (int64_t m = begin; m < end; ++m) {
      Real* one = p + (m - begin) * row;
      output_.word_logits(c, batch.hidden->row(m), one);
      if (batch.direct) {
        const int64_t first = classes.count() + classes.start[c];
        batch.direct->add_to(batch.example[m], first, n, one);
        batch.direct->note(batch.slots() + i, batch.example[m], first, n, one);
      }
      loss += softmax_loss(one, n, row, classes.row[batch.target(m)] - classes.start[c], alpha_);
    }
    batch.losses[batch.slots() + i] = loss;
    multiply<Real>(end - begin, stride, n, p, row, 1,
                   output_.values(Layer::kWordWeight).row(classes.start[c]), stride,
                   batch.gradient->row(begin), stride, true);
    for (int64_t j = 0; j < n; ++j) {
      multiply<Real>(1, stride, end - begin, p + j, 1, row, batch.hidden->row(begin), stride,
                     gradient, stride, false);
      Real bias = 0;
      for (int64_t m = 0; m < end - begin; ++m) bias += p[m * row + j];
      this->optimiser.step(Layer::kWordWeight, classes.start[c] + j, gradient);
      this->optimiser.step_bias(Layer::kWordBias, classes.start[c] + j, bias);
    }
  }

  ClassOutput<Real>& output_;
  double alpha_;
  Touched by_class_;
  Matrix<Real> probability_;
  std::vector<int64_t> kept_begin_;
  Buffer<Real> kept_;
};

}  // namespace nlmt::neural
