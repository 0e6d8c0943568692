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
      begin_[m + 1] = begin_[m] + output_.paths.length(batch.target(m));
    }
    nodes_.resize(begin_[batch.size]);
    if (batch.direct) batch.direct->open(batch.blocks());
    const TreePaths<Real>& paths = output_.paths;
    batch.team.each_block(batch.size, [&](int64_t begin, int64_t end, int thread) {
      Real* x = batch.scratch(thread, padded<Real>(paths.longest) + kWidth<Real>);
      for (int64_t m = begin; m < end; ++m) {
        const int32_t word = batch.target(m);
        const int64_t n =
            output_.logits(batch.hidden->row(m), word, batch.direct, batch.example[m], x);
        batch.losses[begin / kBlock] -= log_sigmoids(x, n);
        int32_t* rows = nodes_.rows.data() + begin_[m];
        Real* values = nodes_.values.data() + begin_[m];
        for (int64_t e = 0; e < n; ++e) {
          rows[e] = paths.node[paths.start[word] + e];
          values[e] = paths.sign[paths.start[word] + e] * (x[e] - Real(1));
          nodes_.owner[begin_[m] + e] = static_cast<int32_t>(m);
          if (!batch.direct) continue;
          batch.direct->note(begin / kBlock, batch.example[m], rows[e], 1, values + e);
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
