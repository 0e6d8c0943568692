// The parameters of a feed-forward network, by name.
#pragma once

#include "networks/layer.h"
#include "networks/window_network.h"

namespace nlmt::neural {

template <class Real>
struct Input : Layer<Real>, WindowShape {
  static constexpr int kEmbeddings = 0;

  int64_t words;

  Input(int64_t words, const WindowShape& shape) : WindowShape(shape), words(words) {
    this->add("embeddings", words, dim);
    if (projection == Projection::kDiagonal) this->add("context", context, dim);
    if (projection == Projection::kFull) this->add("context", context * dim, dim);
    first_weight_ = static_cast<int>(this->parameters.size());
    for (int64_t l = 0; l < layers(); ++l) {
      const std::string name = "hidden." + std::to_string(l);
      this->add(name + ".weight", sizes[l + 1], sizes[l]);
      this->add(name + ".bias", 1, sizes[l + 1]);
    }
    if (side > 0) this->add("source_weight", sizes[0], side);
  }

  int context_part() const { return 1; }
  int weight(int64_t layer) const { return first_weight_ + 2 * static_cast<int>(layer); }
  int bias(int64_t layer) const { return weight(layer) + 1; }
  int side_part() const { return weight(layers()); }
  const Matrix<Real>& values(int part) const { return this->parameters[part].values; }

  // The forward pass with the present parameters, which a team makes ready.
  WindowNetwork<FloatRow<Real>> network(Team* team) const {
    return {*this, values(kEmbeddings), weights(), team};
  }
  WindowWeights<Real> weights() const {
    WindowWeights<Real> result;
    if (projection != Projection::kConcatenation) result.context = values(context_part());
    for (int64_t l = 0; l < layers(); ++l) {
      result.hidden.emplace_back(values(weight(l)), values(bias(l)));
    }
    if (side > 0) result.side = values(side_part());
    return result;
  }

 private:
  int first_weight_;
};

}  // namespace nlmt::neural
