// The cells of recurrent networks: from the sums of a row to its outputs, and back.
//
// A row of sums has slots of one padded width; x' is what x was at the word before:
//
//   elman  [a]           h = sigmoid(a)                             (Mikolov et al. 2010)
//   lstm   [i f g o]     c = f c' + i g, h = o tanh(c)              (Hochreiter, Schmidhuber 1997)
//   gru    [n r z m]     h = (1 - z) tanh(n + r m) + z h'           (Cho et al. 2014)
//
// The input has a share in the first `gates` slots, the state before in the last ones; the weights
// have the gates of torch.nn.LSTM and GRU one below the other.
#pragma once

#include "activation.h"

namespace nlmt::neural {

enum class Kind { kElman, kGru, kLstm };

inline Kind kind_named(const std::string& name) {
  if (name == "elman") return Kind::kElman;
  if (name == "gru") return Kind::kGru;
  if (name == "lstm") return Kind::kLstm;
  throw std::invalid_argument("unknown cell " + name);
}

template <class Real>
struct Cell {
  Kind kind;
  int64_t dim;

  int64_t stride() const { return padded<Real>(dim); }
  int64_t gates() const { return kind == Kind::kElman ? 1 : kind == Kind::kGru ? 3 : 4; }
  int64_t slots() const { return kind == Kind::kElman ? 1 : 4; }
  int64_t width() const { return slots() * stride(); }
  bool has_memory() const { return kind == Kind::kLstm; }  // c beside h
  // Slots of the gates: those of the input, those of the state.
  int64_t input_slot(int64_t gate) const { return kind == Kind::kGru ? (gate + 1) % 3 : gate; }
  int64_t state_slot(int64_t gate) const { return gate + first_state_slot(); }
  int64_t first_state_slot() const { return slots() - gates(); }

  // Activates the sums of a row; its next h and c. Padding that is zero stays so.
  void advance(Real* sums, const Real* h_before, const Real* c_before, Real* h, Real* c) const {
    const int64_t n = stride();
    Real *a = sums, *b = a + n, *e = b + n, *f = e + n;
    if (kind == Kind::kElman) {
      activate(Activation::kSigmoid, a, dim, n);
      std::copy_n(a, n, h);
    } else if (kind == Kind::kLstm) {
      for (int64_t d = 0; d < n; d += kWidth<Real>) {
        const Vec<Real> in = sigmoid<Real>(load(a + d)), forget = sigmoid<Real>(load(b + d));
        const Vec<Real> new_one = hyperbolic_tangent<Real>(load(e + d));
        const Vec<Real> out = sigmoid<Real>(load(f + d));
        const Vec<Real> kept = forget * load(c_before + d) + in * new_one;
        store(a + d, in);
        store(b + d, forget);
        store(e + d, new_one);
        store(f + d, out);
        store(c + d, kept);
        store(h + d, out * hyperbolic_tangent<Real>(kept));
      }
    } else {
      for (int64_t d = 0; d < n; d += kWidth<Real>) {
        const Vec<Real> reset = sigmoid<Real>(load(b + d)), keep = sigmoid<Real>(load(e + d));
        const Vec<Real> new_one = hyperbolic_tangent<Real>(load(a + d) + reset * load(f + d));
        store(a + d, new_one);
        store(b + d, reset);
        store(e + d, keep);
        store(h + d, (Real(1) - keep) * new_one + keep * load(h_before + d));
      }
    }
  }

  // Replaces activations by the loss's derivatives by the sums. `dh` is the derivative by h; `dc`
  // is that by c, from the next word on input, from this one on return. The previous state's share
  // in h beside the sums is added to `dh_before`.
  void retreat(Real* sums, const Real* h_before, const Real* c_before, const Real* c,
               const Real* dh, Real* dc, Real* dh_before) const {
    const int64_t n = stride();
    Real *a = sums, *b = a + n, *e = b + n, *f = e + n;
    for (int64_t d = 0; d < n; d += kWidth<Real>) {
      const Vec<Real> g = load(dh + d), one = broadcast(Real(1));
      if (kind == Kind::kElman) {
        const Vec<Real> x = load(a + d);
        store(a + d, g * x * (one - x));
      } else if (kind == Kind::kLstm) {
        const Vec<Real> in = load(a + d), forget = load(b + d), new_one = load(e + d);
        const Vec<Real> out = load(f + d), squashed = hyperbolic_tangent<Real>(load(c + d));
        const Vec<Real> kept = load(dc + d) + g * out * (one - squashed * squashed);
        store(a + d, kept * new_one * in * (one - in));
        store(b + d, kept * load(c_before + d) * forget * (one - forget));
        store(e + d, kept * in * (one - new_one * new_one));
        store(f + d, g * squashed * out * (one - out));
        store(dc + d, kept * forget);
      } else {
        const Vec<Real> new_one = load(a + d), reset = load(b + d), keep = load(e + d);
        const Vec<Real> sum = g * (one - keep) * (one - new_one * new_one);
        store(a + d, sum);
        store(b + d, sum * load(f + d) * reset * (one - reset));
        store(e + d, g * (load(h_before + d) - new_one) * keep * (one - keep));
        store(f + d, sum * reset);
        store(dh_before + d, load(dh_before + d) + g * keep);
      }
    }
  }
};

}  // namespace nlmt::neural
