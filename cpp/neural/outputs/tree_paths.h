// The words of a vocabulary as leaves of a binary tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "outputs/units.h"

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
struct TreePaths {
  std::vector<int64_t> start;  // the path of word w: start[w] to start[w + 1], from the root
  std::vector<int32_t> node;
  std::vector<Real> sign;  // +1 or -1: which child is next
  int64_t longest = 0;     // path

  TreePaths(std::vector<int64_t> starts, std::vector<int32_t> nodes, std::vector<Real> signs,
            int64_t node_count)
      : start(std::move(starts)), node(std::move(nodes)), sign(std::move(signs)) {
    const auto length = static_cast<int64_t>(node.size());
    if (start[0] != 0 || start.back() != length || !std::is_sorted(start.begin(), start.end())) {
      throw std::invalid_argument("paths do not fit");
    }
    for (int64_t w = 0; w < words(); ++w) longest = std::max(longest, start[w + 1] - start[w]);
    for (int64_t i = 0; i < length; ++i) {
      if (node[i] < 0 || node[i] >= node_count || (sign[i] != 1 && sign[i] != -1)) {
        throw std::invalid_argument("node out of range");
      }
    }
  }

  int64_t words() const { return static_cast<int64_t>(start.size()) - 1; }
  int64_t length(int32_t word) const { return start[word + 1] - start[word]; }
  // The logits of the branches on a word's path, by which log_sigmoids() gives its probability.
  template <class Row>
  void logits(const Units<Row>& nodes, const Real* h, int32_t word, Real* out) const {
    for (int64_t i = start[word]; i < start[word + 1]; ++i) {
      out[i - start[word]] = sign[i] * nodes.logit(h, node[i]);
    }
  }
};

}  // namespace nlmt::neural
