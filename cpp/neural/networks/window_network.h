// The forward pass of a feed-forward network, from the preceding words to the hidden vector for the
// output layer:
//
//   z = sum_j c_j * q(w_j)  (diagonal)   z = sum_j C_j q(w_j)  (full)   z = [q(w_1); ...; q(w_n)]
//
// h = f(z), but h = z for a concatenation; then further layers h <- f(W h + b). Baltescu and
// Blunsom 2015, section 2; Schwenk 2007. With a vector s beside the words F s is added to z, and
// the output layer sees [h; s] (Auli et al. 2013).
#pragma once

#include <string>
#include <vector>

#include "activation.h"
#include "networks/affine.h"
#include "outputs/units.h"

namespace nlmt::neural {

enum class Projection { kDiagonal, kFull, kConcatenation };

inline Projection projection_named(const std::string& name) {
  if (name == "diagonal") return Projection::kDiagonal;
  if (name == "full") return Projection::kFull;
  if (name == "concatenation") return Projection::kConcatenation;
  throw std::invalid_argument("unknown projection " + name);
}

struct WindowShape {
  int64_t context, dim, side;
  Projection projection;
  Activation activation;
  std::vector<int64_t> sizes;  // units of the projection and of each hidden layer

  WindowShape(int64_t context, int64_t dim, int64_t side, Projection projection,
              Activation activation, const std::vector<int64_t>& hidden)
      : context(context),
        dim(dim),
        side(side),
        projection(projection),
        activation(activation),
        sizes{projection == Projection::kConcatenation ? context * dim : dim} {
    sizes.insert(sizes.end(), hidden.begin(), hidden.end());
  }

  int64_t layers() const { return static_cast<int64_t>(sizes.size()) - 1; }
  int64_t seen() const { return sizes.back() + side; }  // numbers that the output layer sees

  // Whether a layer's sums consist of products of matrices with single words, which many contexts
  // share; and this layer.
  bool sums_products() const {
    return side == 0 && (projection == Projection::kFull ||
                         (projection == Projection::kConcatenation && layers() > 0));
  }
  int64_t summed() const { return projection == Projection::kFull ? 0 : 1; }
};

// The parts of a network besides its embeddings.
template <class Real>
struct WindowWeights {
  MatrixView<Real> context;                                           // diagonals or matrices
  std::vector<std::pair<MatrixView<Real>, MatrixView<Real>>> hidden;  // weights and biases
  MatrixView<Real> side;
};

template <class Row>
class WindowNetwork {
 public:
  using Real = typename Row::Real;
  using Rows = typename Row::Rows;

  // `embeddings`, a row a word, must outlive the network; other weights are transposed and copied.
  WindowNetwork(const WindowShape& shape, const Rows& embeddings,
                const WindowWeights<Real>& weights, Team* team = nullptr);
  // Replaces the other weights.
  void set(const WindowWeights<Real>& weights, Team* team);

  const WindowShape& shape() const { return shape_; }

  // Activations of n contexts, the oldest word of each first. `beside`: n padded rows of the
  // vectors beside them. `out[l]`: n padded rows for layer l. `gathered`: for the full projection n
  // padded rows for the embeddings at each position, `step` numbers after those of the one before.
  void forward(int64_t n, const int32_t* const* contexts, const Real* beside, Real* const* out,
               Real* gathered, int64_t step) const;

  // Where products are summed: those of n words at position j with their matrix, n padded rows;
  // and the activations of n contexts, where out[summed()] has the sums of their products.
  void products(int64_t j, int64_t n, const int32_t* words, Real* out) const;
  void forward_sums(int64_t n, Real* const* out) const;

  // The logit of a unit after a context, computed without intermediate storage; null where the
  // network is not one of a few common ones.
  using Logit = Real (WindowNetwork::*)(const int32_t* context, const Units<Row>& units,
                                        int64_t unit) const;
  Logit fused_logit() const;

 private:
  struct Hidden {
    Panels<Real> weight;
    Matrix<Real> bias;
  };

  void add_scaled(const int32_t* words, Real* out) const;
  void go_up(int64_t l, int64_t n, Real* const* out) const;
  template <int kContext>
  Real rectified_logit(const int32_t* context, const Units<Row>& units, int64_t unit) const;
  Row embedding(int64_t word) const { return Row::of(*embeddings_, word); }

  WindowShape shape_;
  const Rows* embeddings_;
  Matrix<Real> diagonals_;
  std::vector<Panels<Real>> matrices_;  // by position
  std::vector<Hidden> hidden_;
  Panels<Real> side_;
};

}  // namespace nlmt::neural
