// Likelihood of a tree-factored output: a sigmoid for each node of the target's path.
#pragma once

#include "outputs/tree_output.h"
#include "training/objective.h"

namespace nlmt::neural {

template <class Real>
class TreeLikelihood : public Objective<Real> {
 public:
  TreeLikelihood(TreeOutput<Real>& output, const StepSettings& steps)
      : Objective<Real>(output, steps), output_(output) {}

  void run(Batch<Real>& batch) override {
    using Layer = TreeOutput<Real>;
    batch.losses.assign(batch.blocks(), 0.0);
    begin_.resize(batch.size + 1);
    begin_[0] = 0;
    for (int64_t m = 0; m < batch.size; ++m) {
      const int32_t w = batch.target(m);
      begin_[m + 1] = begin_[m] + output_.start[w + 1] - output_.start[w];
    }
    nodes_.resize(begin_[batch.size]);
    if (batch.direct) batch.direct->open(batch.blocks());
    batch.team.each(batch.blocks(), [&](int64_t block, int thread) {
      Real* x = batch.scratch(thread, padded<Real>(output_.longest) + kWidth<Real>);
      for (int64_t m = block * batch.kBlock; m < std::min((block + 1) * batch.kBlock, batch.size);
           ++m) {
        const int64_t path = output_.start[batch.target(m)], n = begin_[m + 1] - begin_[m];
        int32_t* rows = nodes_.rows.data() + begin_[m];
        Real* values = nodes_.values.data() + begin_[m];
        for (int64_t e = 0; e < n; ++e) {
          x[e] = output_.logit(path + e, batch.hidden->row(m));
          if (!batch.direct) continue;
          const int32_t row = output_.node[path + e];
          x[e] += output_.sign[path + e] * batch.direct->at(batch.example[m], row);
          batch.direct->note(block, batch.example[m], row, 1, values + e);
        }
        batch.losses[block] -= log_sigmoids(x, n);
        for (int64_t e = 0; e < n; ++e) {
          rows[e] = output_.node[path + e];
          values[e] = output_.sign[path + e] * (x[e] - Real(1));
          nodes_.owner[begin_[m] + e] = static_cast<int32_t>(m);
        }
        weighted_sum<Real>(
            output_.stride(), n,
            [&](int64_t e) { return output_.values(Layer::kWeight).row(rows[e]); },
            [&](int64_t e) { return values[e]; }, batch.gradient->row(m), false);
      }
    });
    nodes_.touched.sort(nodes_.rows, output_.values(Layer::kWeight).rows);
    batch.team.each(batch.kShares, [&](int64_t share, int thread) {
      nodes_.step(this->optimiser, Layer::kWeight, Layer::kBias, share, batch, thread);
    });
  }

 private:
  TreeOutput<Real>& output_;
  std::vector<int64_t> begin_;  // first entry of each example
  Deltas<Real> nodes_;
};

}  // namespace nlmt::neural
