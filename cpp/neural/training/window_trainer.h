// Training: minibatches of examples through the input side, the output layer's objective, and back.
#pragma once

#include <memory>
#include <numeric>

#include "outputs/output_layer.h"
#include "training/input_trainer.h"

namespace nlmt::neural {

template <class Real>
class Trainer {
 public:
  Trainer(Input<Real>& input, Output<Real>& output, std::unique_ptr<Objective<Real>> objective,
          const StepSettings& steps, double dropout, int threads)
      : input_(input),
        output_(output),
        objective_(std::move(objective)),
        input_trainer_(input, steps, dropout),
        batch_(threads) {}

  const Input<Real>& input() const { return input_; }
  const Output<Real>& output() const { return output_; }
  const Dropout<Real>& dropout() const { return input_trainer_.dropout; }
  const Objective<Real>& objective() const { return *objective_; }
  Team& team() { return batch_.team; }
  std::vector<Trained<Real>> trained() {
    return {{&input_, &input_trainer_.optimiser}, {&output_, &objective_->optimiser}};
  }

  // One step along a minibatch of n windows (context, then target), the i-th of which has row
  // vector_of[i] of `vectors` beside it and is example first + i: it draws the random numbers that
  // belong to key and number. Returns the sum of the loss.
  double train(const int32_t* windows, int64_t n, const Real* vectors, const int32_t* vector_of,
               uint64_t first, uint64_t key, double rate) {
    batch_.width = input_.context + 1;
    batch_.windows = windows;
    batch_.size = n;
    batch_.vectors = vectors;
    batch_.vector_of = vector_of;
    batch_.key = key;
    batch_.first = first;
    batch_.example.resize(n);
    std::iota(batch_.example.begin(), batch_.example.end(), 0);
    objective_->arrange(batch_);
    for (Optimiser<Real>* optimiser : {&input_trainer_.optimiser, &objective_->optimiser}) {
      optimiser->begin(rate, n);
      optimiser->decay(first, batch_.team);
    }
    input_trainer_.forward(batch_);
    objective_->run(batch_);
    input_trainer_.backward(batch_);
    return std::accumulate(batch_.losses.begin(), batch_.losses.end(), 0.0);
  }

 private:
  Input<Real>& input_;
  Output<Real>& output_;
  std::unique_ptr<Objective<Real>> objective_;
  InputTrainer<Real> input_trainer_;
  Batch<Real> batch_;
};

}  // namespace nlmt::neural
