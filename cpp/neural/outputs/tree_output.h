// p(w | h) is the product of sigmoid(+-(n h + b)) along the path of w in a binary tree with a row n
// and a bias b for each inner node (Morin and Bengio 2005; Mnih and Hinton 2009).
#pragma once

#include <numeric>

#include "bindings.h"
#include "outputs/output_layer.h"
#include "outputs/tree_paths.h"
#include "training/objective.h"

namespace nlmt::neural {

template <class Real>
struct TreeOutput : Output<Real> {
  static constexpr int kWeight = 0, kBias = 1;

  TreePaths<Real> paths;

  TreeOutput(TreePaths<Real> paths, int64_t node_count, int64_t dim)
      : Output<Real>(paths.words(), dim), paths(std::move(paths)) {
    this->add("node_weight", node_count, dim);
    this->add("node_bias", 1, node_count);
  }

  std::unique_ptr<Objective<Real>> objective(const ObjectiveSettings& settings,
                                             const StepSettings& steps) override;

  // The logits of a word's path after a hidden vector; returns how many there are. The features of
  // an example are added, unless null.
  int64_t logits(const Real* h, int32_t word, const Features<Real>* features, int64_t example,
                 Real* out) const {
    paths.logits(this->units(kWeight), h, word, out);
    const int64_t begin = paths.start[word], n = paths.length(word);
    for (int64_t e = 0; features && e < n; ++e) {
      out[e] += paths.sign[begin + e] * features->at(example, paths.node[begin + e]);
    }
    return n;
  }

  // A tree is normalised by construction.
  void score(const Matrix<Real>& h, const int64_t* starts, const int32_t* words, bool,
             const Features<Real>* features, double* out, Team& team) const override {
    team.each_block(h.rows, [&](int64_t begin, int64_t end, int) {
      Buffer<Real> x(padded<Real>(std::max<int64_t>(paths.longest, 1)));
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t r = starts[i]; r < starts[i + 1]; ++r) {
          out[r] = log_sigmoids(x.data(), logits(h.row(i), words[r], features, i, x.data()));
        }
      }
    });
  }
};

// Likelihood: a sigmoid for each node of the path to the target.
template <class Real>
class TreeLikelihood : public Objective<Real> {
 public:
  TreeLikelihood(TreeOutput<Real>& output, const StepSettings& steps)
      : Objective<Real>(output, steps), output_(output) {}

  // Lists the nodes of the paths.
  void arrange(Batch<Real>& batch) override {
    const TreePaths<Real>& paths = output_.paths;
    begin_.resize(batch.size + 1);
    begin_[0] = 0;
    batch.each_slot([&](int64_t begin, int64_t end, int64_t, int) {
      for (int64_t m = begin; m < end; ++m) begin_[m + 1] = paths.length(batch.target(m));
    });
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    nodes_.resize(begin_[batch.size]);
    batch.each_slot([&](int64_t begin, int64_t end, int64_t, int) {
      for (int64_t m = begin; m < end; ++m) {
        const int64_t at = begin_[m], n = begin_[m + 1] - at;
        std::copy_n(paths.node.data() + paths.start[batch.target(m)], n, nodes_.rows.data() + at);
        std::fill_n(nodes_.owner.data() + at, n, static_cast<int32_t>(m));
      }
    });
  }

  void run(Batch<Real>& batch) override {
    using Layer = TreeOutput<Real>;
    batch.losses.assign(batch.slots(), 0.0);
    if (batch.direct) batch.direct->open(batch.slots());
    nodes_.sort(output_.values(Layer::kWeight).rows, batch.team);
    const TreePaths<Real>& paths = output_.paths;
    batch.each_slot([&](int64_t begin, int64_t end, int64_t slot, int thread) {
      Real* x = batch.scratch(thread, padded<Real>(paths.longest) + kWidth<Real>);
      for (int64_t m = begin; m < end; ++m) {
        const int32_t word = batch.target(m);
        const int64_t n =
            output_.logits(batch.hidden->row(m), word, batch.direct, batch.example[m], x);
        batch.losses[slot] -= log_sigmoids(x, n);
        const int32_t* rows = nodes_.rows.data() + begin_[m];
        Real* values = nodes_.values.data() + begin_[m];
        for (int64_t e = 0; e < n; ++e) {
          values[e] = paths.sign[paths.start[word] + e] * (x[e] - Real(1));
          if (!batch.direct) continue;
          batch.direct->note(slot, batch.example[m], rows[e], 1, values + e);
        }
        weighted_sum<Real>(
            output_.stride(), n,
            [&](int64_t e) { return output_.values(Layer::kWeight).row(rows[e]); },
            [&](int64_t e) { return values[e]; }, batch.gradient->row(m), false);
      }
    });
    batch.team.each(nodes_.shares(), [&](int64_t share, int thread) {
      nodes_.step(this->optimiser, Layer::kWeight, Layer::kBias, share, batch, thread);
    });
  }

 private:
  TreeOutput<Real>& output_;
  std::vector<int64_t> begin_;  // first entry of each example
  Deltas<Real> nodes_;
};

template <class Real>
std::unique_ptr<Objective<Real>> TreeOutput<Real>::objective(const ObjectiveSettings& settings,
                                                             const StepSettings& steps) {
  check(settings.name == "likelihood" && settings.alpha == 0, "a tree is trained for likelihood");
  return std::make_unique<TreeLikelihood<Real>>(*this, steps);
}

template <class Real>
void bind_tree_output(nb::module_& m, const std::string& bits) {
  using Bound = TreeOutput<Real>;
  nb::class_<Bound, Output<Real>>(m, ("TreeOutput" + bits).c_str())
      .def(
          "__init__",
          [](Bound* self, Array<int64_t, 1> starts, Array<int32_t, 1> nodes, Array<int8_t, 1> signs,
             int64_t node_count, int64_t dim) {
            check(starts.shape(0) > 1 && nodes.shape(0) == signs.shape(0) && dim > 0);
            new (self) Bound({{starts.data(), starts.data() + starts.size()},
                              {nodes.data(), nodes.data() + nodes.size()},
                              {signs.data(), signs.data() + signs.size()},
                              node_count},
                             node_count, dim);
          },
          "starts"_a, "nodes"_a, "signs"_a, "node_count"_a, "dim"_a);
}

}  // namespace nlmt::neural
