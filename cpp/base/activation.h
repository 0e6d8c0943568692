// The functions between the layers of a network.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "simd.h"

namespace nlmt {

enum class Activation { kRelu, kTanh, kSigmoid };

inline Activation activation_named(const std::string& name) {
  if (name == "relu") return Activation::kRelu;
  if (name == "tanh") return Activation::kTanh;
  if (name == "sigmoid") return Activation::kSigmoid;
  throw std::invalid_argument("unknown activation " + name);
}

// Zero where it is below 1e-15: products of still smaller numbers are denormal, and processors take
// many times as long for these.
template <class Real>
inline Vec<Real> sigmoid(Vec<Real> x) {
  const Vec<Real> y = Real(1) / (Real(1) + exponential(-x));
  return x < broadcast(Real(-35)) ? Vec<Real>{} : y;
}
template <class Real>
inline Vec<Real> hyperbolic_tangent(Vec<Real> x) {
  return Real(2) / (Real(1) + exponential(Real(-2) * x)) - Real(1);
}

// f(z) in place; the padding stays zero.
template <class Real>
inline void activate(Activation f, Real* z, int64_t n, int64_t stride) {
  for (int64_t d = 0; d < stride; d += kWidth<Real>) {
    const Vec<Real> x = load(z + d);
    if (f == Activation::kRelu) {
      store(z + d, maximum<Real>(x, Vec<Real>{}));
    } else if (f == Activation::kSigmoid) {
      store(z + d, sigmoid<Real>(x));
    } else {
      store(z + d, hyperbolic_tangent<Real>(x));
    }
  }
  std::fill(z + n, z + stride, Real(0));
}

}  // namespace nlmt
