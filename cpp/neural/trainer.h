// Training: minibatches of examples through the input side, the output layer's objective, and back.
#pragma once

#include <memory>

#include "input_trainer.h"

namespace nlmt {

template <class Real>
class Trainer {
 public:
  Trainer(Input<Real>& input, std::unique_ptr<Objective<Real>> objective, const StepSettings& steps,
          double dropout, int threads)
      : input_(input),
        objective_(std::move(objective)),
        input_trainer_(input, steps, dropout),
        batch_(threads) {}

  Input<Real>& input() { return input_; }
  const Input<Real>& input() const { return input_; }
  const Dropout<Real>& dropout() const { return input_trainer_.dropout; }
  Objective<Real>& objective() { return *objective_; }
  Optimiser<Real>& input_optimiser() { return input_trainer_.optimiser; }

  // Goes once over n windows (context, then target) in minibatches, one rate for each. The i-th
  // window is example first + i: it draws the random numbers that belong to key and number. Returns
  // the sum of the loss.
  double train(const int32_t* windows, int64_t n, uint64_t first, uint64_t key, int64_t minibatch,
               const double* rates) {
    double loss = 0;
    for (int64_t at = 0; at < n; at += minibatch) {
      const int64_t size = std::min(minibatch, n - at);
      batch_.width = input_.context + 1;
      batch_.windows = windows + at * batch_.width;
      batch_.size = size;
      batch_.key = key;
      batch_.first = first + static_cast<uint64_t>(at);
      batch_.example.resize(size);
      for (int64_t m = 0; m < size; ++m) batch_.example[m] = static_cast<int32_t>(m);
      objective_->arrange(batch_);
      for (Optimiser<Real>* optimiser : {&input_trainer_.optimiser, &objective_->optimiser}) {
        optimiser->begin(rates[at / minibatch], size);
        optimiser->decay(batch_.first, batch_.team);
      }
      input_trainer_.forward(batch_);
      objective_->run(batch_);
      input_trainer_.backward(batch_);
      for (const double one : batch_.losses) loss += one;
    }
    return loss;
  }

 private:
  Input<Real>& input_;
  std::unique_ptr<Objective<Real>> objective_;
  InputTrainer<Real> input_trainer_;
  Batch<Real> batch_;
};

}  // namespace nlmt
