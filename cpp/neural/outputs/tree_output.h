// p(w | h) is the product of sigmoid(+-(n h + b)) along the path of w in a binary tree with a row n
// and a bias b for each inner node (Morin and Bengio 2005; Mnih and Hinton 2009).
#pragma once

#include "outputs/output_layer.h"

namespace nlmt::neural {

// Sum of log sigmoid(x_i) of n numbers: the logarithm of a product is cheaper than the sum of
// logarithms. On return x_i is sigmoid(x_i); x is padded.
template <class Real>
inline double log_sigmoids(Real* x, int64_t n) {
  double product = 1, result = 0;
  for (int64_t begin = 0; begin < n; begin += kWidth<Real>) {
    const Vec<Real> p = Real(1) / (Real(1) + exponential(-load(x + begin)));
    store(x + begin, p);
    for (int64_t i = begin; i < std::min(n, begin + kWidth<Real>); ++i) {
      product *= static_cast<double>(x[i]);
      if (product < 1e-150) {
        result += std::log(product);
        product = 1;
      }
    }
  }
  return result + std::log(product);
}

template <class Real>
struct TreeOutput : Output<Real> {
  static constexpr int kWeight = 0, kBias = 1;
  static constexpr int64_t kBlock = 48;

  std::vector<int64_t> start;  // the path of word w: start[w] to start[w + 1], from the root
  std::vector<int32_t> node;
  std::vector<Real> sign;  // +1 or -1: which child is next
  int64_t longest = 0;     // path

  TreeOutput(const int64_t* starts, int64_t words, const int32_t* nodes, const int8_t* signs,
             int64_t length, int64_t node_count, int64_t dim)
      : Output<Real>(words, dim),
        start(starts, starts + words + 1),
        node(nodes, nodes + length),
        sign(signs, signs + length) {
    if (start[0] != 0 || start[words] != length) throw std::invalid_argument("paths do not fit");
    for (int64_t w = 0; w < words; ++w) {
      if (start[w + 1] < start[w] || start[w + 1] > length) {
        throw std::invalid_argument("paths do not fit");
      }
      longest = std::max(longest, start[w + 1] - start[w]);
    }
    for (int64_t i = 0; i < length; ++i) {
      if (node[i] < 0 || node[i] >= node_count || (sign[i] != 1 && sign[i] != -1)) {
        throw std::invalid_argument("node out of range");
      }
    }
    this->add("node_weight", node_count, dim);
    this->add("node_bias", 1, node_count);
  }

  std::unique_ptr<Objective<Real>> objective(const ObjectiveSettings& settings,
                                             const StepSettings& steps) override;

  Real logit(int64_t at, const Real* h) const {
    const int32_t row = node[at];
    const Real x = dot(this->stride(), h, this->values(kWeight).row(row));
    return sign[at] * (x + this->values(kBias).row(0)[row]);
  }

  // A tree is normalised by construction.
  void score(const Matrix<Real>& h, const int64_t* starts, const int32_t* words, bool,
             const Features<Real>* features, double* out, Team& team) const override {
    team.each((h.rows + kBlock - 1) / kBlock, [&](int64_t block, int) {
      Buffer<Real> x(padded<Real>(std::max<int64_t>(longest, 1)));
      for (int64_t i = block * kBlock; i < std::min((block + 1) * kBlock, h.rows); ++i) {
        for (int64_t r = starts[i]; r < starts[i + 1]; ++r) {
          const int64_t begin = start[words[r]], n = start[words[r] + 1] - begin;
          for (int64_t e = 0; e < n; ++e) {
            x[e] = logit(begin + e, h.row(i));
            if (features) x[e] += sign[begin + e] * features->at(i, node[begin + e]);
          }
          out[r] = log_sigmoids(x.data(), n);
        }
      }
    });
  }
};

}  // namespace nlmt::neural
