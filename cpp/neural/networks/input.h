// From the preceding words to the hidden vector for the output layer:
//
//   z = sum_j c_j * q(w_j)  (diagonal)   z = sum_j C_j q(w_j)  (full)   z = [q(w_1); ...; q(w_n)]
//
// h = f(z), but h = z for a concatenation; then further layers h <- f(W h + b). Baltescu and
// Blunsom 2015, section 2; Schwenk 2007. With a vector s beside the words F s is added to z, and
// the output layer sees [h; s] (Auli et al. 2013).
#pragma once

#include "activation.h"
#include "networks/layer.h"

namespace nlmt::neural {

enum class Projection { kDiagonal, kFull, kConcatenation };

inline Projection projection_named(const std::string& name) {
  if (name == "diagonal") return Projection::kDiagonal;
  if (name == "full") return Projection::kFull;
  if (name == "concatenation") return Projection::kConcatenation;
  throw std::invalid_argument("unknown projection " + name);
}

template <class Real>
struct Input : Layer<Real> {
  static constexpr int64_t kBlock = 48;  // examples that go through the layers together
  static constexpr int kEmbeddings = 0;

  int64_t words, context, dim, side;
  Projection projection;
  Activation activation;
  std::vector<int64_t> sizes;  // units of the projection and of each hidden layer

  Input(int64_t words, int64_t context, int64_t dim, int64_t side, Projection projection,
        Activation activation, const std::vector<int64_t>& hidden)
      : words(words),
        context(context),
        dim(dim),
        side(side),
        projection(projection),
        activation(activation) {
    this->add("embeddings", words, dim);
    if (projection == Projection::kDiagonal) this->add("context", context, dim);
    if (projection == Projection::kFull) this->add("context", context * dim, dim);
    sizes.push_back(projection == Projection::kConcatenation ? context * dim : dim);
    first_weight_ = static_cast<int>(this->parameters.size());
    for (std::size_t l = 0; l < hidden.size(); ++l) {
      const std::string name = "hidden." + std::to_string(l);
      this->add(name + ".weight", hidden[l], sizes.back());
      this->add(name + ".bias", 1, hidden[l]);
      sizes.push_back(hidden[l]);
    }
    if (side > 0) this->add("source_weight", sizes[0], side);
  }

  int context_part() const { return 1; }
  int64_t layers() const { return static_cast<int64_t>(sizes.size()) - 1; }
  int weight(int64_t layer) const { return first_weight_ + 2 * static_cast<int>(layer); }
  int bias(int64_t layer) const { return weight(layer) + 1; }
  int side_part() const { return weight(layers()); }
  int64_t seen() const { return sizes.back() + side; }  // numbers that the output layer sees
  const Matrix<Real>& values(int part) const { return this->parameters[part].values; }

  // Transposed weights for products. Computed again when the parameters have changed.
  struct Transposed {
    std::vector<Panels<Real>> context, weights;
    Panels<Real> side;
  };
  Transposed transposed() const {
    Transposed result;
    if (projection == Projection::kFull) {
      for (int64_t j = 0; j < context; ++j) {
        result.context.push_back(transpose(values(context_part()), j * dim, dim));
      }
    }
    for (int64_t l = 0; l < layers(); ++l) result.weights.push_back(transpose(values(weight(l))));
    if (side > 0) result.side = transpose(values(side_part()));
    return result;
  }

  // Activations of n examples. `words_of(i)`: the context of example i, the oldest word first.
  // `beside`: n padded rows of the vectors beside them. `out[l]`: n padded rows for layer l.
  // `gathered(j)`: n padded rows for the embeddings at position j, kept for the full projection
  // only.
  template <class WordsOf, class Gathered>
  void forward(const Transposed& ready, int64_t n, WordsOf words_of, const Real* beside,
               Real* const* out, Gathered gathered) const {
    const int64_t stride = padded<Real>(sizes[0]);
    if (projection == Projection::kDiagonal) {
      for (int64_t i = 0; i < n; ++i) add_scaled(words_of(i), out[0] + i * stride);
    } else if (projection == Projection::kFull) {
      for (int64_t j = 0; j < context; ++j) {
        Real* rows = gathered(j);
        for (int64_t i = 0; i < n; ++i) {
          std::copy_n(values(kEmbeddings).row(words_of(i)[j]), stride, rows + i * stride);
        }
        multiply<Real>(n, rows, stride, ready.context[j], out[0], stride, j > 0);
      }
    } else {
      for (int64_t i = 0; i < n; ++i) {
        Real* row = out[0] + i * stride;
        for (int64_t j = 0; j < context; ++j) {
          std::copy_n(values(kEmbeddings).row(words_of(i)[j]), dim, row + j * dim);
        }
        std::fill(row + sizes[0], row + stride, Real(0));
      }
    }
    if (side > 0) {
      multiply<Real>(n, beside, padded<Real>(side), ready.side, out[0], stride, true);
    }
    if (projection != Projection::kConcatenation) {
      for (int64_t i = 0; i < n; ++i) activate(activation, out[0] + i * stride, sizes[0], stride);
    }
    for (int64_t l = 0; l < layers(); ++l) go_up(ready, l, n, out);
  }

  // Whether the first sums of an example consist of products of matrices with single words, which
  // many examples share.
  bool sums_products() const {
    return side == 0 && (projection == Projection::kFull ||
                         (projection == Projection::kConcatenation && layers() > 0));
  }
  int64_t first_sums() const { return projection == Projection::kFull ? sizes[0] : sizes[1]; }

  // The products of the embeddings at position j, n padded rows, with their matrix.
  void first_products(const Transposed& ready, int64_t j, int64_t n, const Real* embedded,
                      Real* products) const {
    const int64_t stride = padded<Real>(dim), to = padded<Real>(first_sums());
    if (projection == Projection::kFull) {
      multiply<Real>(n, embedded, stride, ready.context[j], products, to, false);
    } else {
      multiply_rows<Real>(n, embedded, stride, ready.weights[0], j * dim, dim, products, to);
    }
  }

  // Activations of n examples, as `forward`, from the sums of their products over the positions.
  void forward_sums(const Transposed& ready, int64_t n, const Real* sums, Real* const* out) const {
    const int64_t first = projection == Projection::kFull ? 0 : 1, size = first_sums();
    const int64_t stride = padded<Real>(size);
    for (int64_t i = 0; i < n; ++i) {
      Real* row = out[first] + i * stride;
      std::copy_n(sums + i * stride, stride, row);
      if (first > 0) {
        for (int64_t d = 0; d < stride; d += kWidth<Real>) {
          store(row + d, load(row + d) + load(values(bias(0)).row(0) + d));
        }
      }
      activate(activation, row, size, stride);
    }
    for (int64_t l = first; l < layers(); ++l) go_up(ready, l, n, out);
  }

 private:
  void go_up(const Transposed& ready, int64_t l, int64_t n, Real* const* out) const {
    const int64_t above = padded<Real>(sizes[l + 1]);
    affine(ready.weights[l], values(bias(l)), out[l], padded<Real>(sizes[l]), n, out[l + 1]);
    for (int64_t i = 0; i < n; ++i) {
      activate(activation, out[l + 1] + i * above, sizes[l + 1], above);
    }
  }

  void add_scaled(const int32_t* of, Real* out) const {
    const int64_t n = padded<Real>(dim);
    for (int64_t d = 0; d < n; d += kWidth<Real>) {
      Vec<Real> z{};
      for (int64_t j = 0; j < context; ++j) {
        z += load(values(kEmbeddings).row(of[j]) + d) * load(values(context_part()).row(j) + d);
      }
      store(out + d, z);
    }
  }

  int first_weight_;
};

}  // namespace nlmt::neural
