// h_t = sigmoid(E(w_t) + W h_(t-1) + F s_t + b): an Elman network over the words of a sentence
// (Mikolov et al. 2010), with a vector s_t beside them where there is one (Mikolov and Zweig 2012;
// Auli et al. 2013). The output layer sees [h_t; s_t].
#pragma once

#include "activation.h"
#include "layer.h"

namespace nlmt {

template <class Real>
struct Elman : Layer<Real> {
  static constexpr int kEmbeddings = 0, kHidden = 1, kBias = 2, kSide = 3;
  static constexpr int64_t kLanes = 24;  // sentences that are read together

  int64_t words, dim, side;

  Elman(int64_t words, int64_t dim, int64_t side) : words(words), dim(dim), side(side) {
    this->add("embeddings", words, dim);
    this->add("layers.0.hidden_weight", dim, dim);
    this->add("layers.0.bias", 1, dim);
    if (side > 0) this->add("source_weight", dim, side);
  }
  const Matrix<Real>& values(int part) const { return this->parameters[part].values; }
  int64_t stride() const { return padded<Real>(dim); }

  // What products need: transposed weights. Made anew when the parameters have changed.
  struct Transposed {
    Panels<Real> hidden, side;
  };
  Transposed transposed() const {
    return {transpose(values(kHidden)), side > 0 ? transpose(values(kSide)) : Panels<Real>()};
  }

  // Rows h of n sentences hold the embeddings of their words; on return the next states. `before`
  // are their last states, null for none; `beside` are rows of side vectors.
  void read(const Transposed& ready, int64_t n, const Real* before, const Real* beside,
            Real* h) const {
    const int64_t stride = this->stride();
    const Real* bias = values(kBias).row(0);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t d = 0; d < stride; ++d) h[i * stride + d] += bias[d];
    }
    if (before != nullptr) {
      multiply<Real>(n, before, stride, ready.hidden, h, stride, true);
    }
    if (side > 0) {
      multiply<Real>(n, beside, padded<Real>(side), ready.side, h, stride, true);
    }
    for (int64_t i = 0; i < n; ++i) activate(Activation::kSigmoid, h + i * stride, dim, stride);
  }
};

}  // namespace nlmt
