// The units of an output layer, and the normalisers of a softmax over them.
#pragma once

#include <limits>
#include <vector>

#include "networks/affine.h"
#include "rows.h"

namespace nlmt::neural {

// The dot product of a padded vector with a row.
template <class Row>
inline typename Row::Real dot(int64_t stride, const typename Row::Real* h, const Row& row) {
  typename Row::Real product;
  const auto at = [&](int64_t, int64_t d) { return row.at(d); };
  dots_of<typename Row::Real, 1>(stride, h, at, &product);
  return product;
}

// A row of weights w and a bias b each: the logits after a hidden vector h are w h + b.
template <class Row>
struct Units {
  using Real = typename Row::Real;
  const typename Row::Rows* rows;
  const Real* bias;

  // `h` is padded.
  Real logit(const Real* h, int64_t unit) const;
  // Of n units from `first` on.
  void logits(const Real* h, int64_t first, int64_t n, Real* out) const;
};

// Log sum exp of logits that come in parts.
template <class Real>
class LogSum {
 public:
  // A row of n logits, whose padding it fills.
  void add(Real* logits, int64_t n);
  double value() const { return static_cast<double>(highest_) + std::log(sum_); }

 private:
  Real highest_ = -std::numeric_limits<Real>::max();
  double sum_ = 0;
};

// Log sum exp of a row of n logits, whose padding it fills.
template <class Real>
double log_sum(Real* logits, int64_t n) {
  LogSum<Real> sum;
  sum.add(logits, n);
  return sum.value();
}

// Log sum exp of the logits of all units, for up to kBlock hidden vectors at once.
class Normaliser {
 public:
  static constexpr int64_t kPart = 512;  // units whose weights are in the cache together
  static constexpr int64_t kLogits = kBlock * kPart;

  template <class Row>
  explicit Normaliser(const Units<Row>& units);

  // From n padded hidden vectors to a number each; there is room for kLogits `logits`.
  void run(int64_t n, const float* h, float* logits, float* out) const;

 private:
  struct Part {
    Panels<float> weight;
    Matrix<float> bias;
  };
  std::vector<Part> parts_;
};

}  // namespace nlmt::neural
