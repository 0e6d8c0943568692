// p(w | h) is the product of sigmoid(+-(n h + b)) along the path of w in a binary tree with a row n
// and a bias b for each inner node (Morin and Bengio 2005; Mnih and Hinton 2009).
#pragma once

#include "outputs/output_layer.h"
#include "outputs/tree_paths.h"

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

}  // namespace nlmt::neural
