#include "networks/window_network.h"

namespace nlmt::neural {

template <class Row>
WindowNetwork<Row>::WindowNetwork(const WindowShape& shape, const Rows& embeddings,
                                  const WindowWeights<Real>& weights, Team* team)
    : shape_(shape),
      embeddings_(&embeddings),
      matrices_(shape.projection == Projection::kFull ? shape.context : 0),
      hidden_(shape.layers()) {
  set(weights, team);
}

template <class Row>
void WindowNetwork<Row>::set(const WindowWeights<Real>& weights, Team* team) {
  const int64_t dim = shape_.dim;
  if (shape_.projection == Projection::kDiagonal) diagonals_ = copy_of(weights.context);
  for (std::size_t j = 0; j < matrices_.size(); ++j) {
    transpose(weights.context.block(static_cast<int64_t>(j) * dim, dim), matrices_[j], team);
  }
  for (std::size_t l = 0; l < hidden_.size(); ++l) {
    const auto& [weight, bias] = weights.hidden[l];
    transpose(weight, hidden_[l].weight, team);
    hidden_[l].bias = copy_of(bias);
  }
  if (shape_.side > 0) transpose(weights.side, side_, team);
}

template <class Row>
void WindowNetwork<Row>::forward(int64_t n, const int32_t* const* contexts, const Real* beside,
                                 Real* const* out, Real* gathered, int64_t step) const {
  const int64_t dim = shape_.dim, first = shape_.sizes[0], stride = padded<Real>(first);
  if (shape_.projection == Projection::kDiagonal) {
    for (int64_t i = 0; i < n; ++i) add_scaled(contexts[i], out[0] + i * stride);
  } else if (shape_.projection == Projection::kFull) {
    for (int64_t j = 0; j < shape_.context; ++j) {
      Real* rows = gathered + j * step;
      for (int64_t i = 0; i < n; ++i) copy_row(embedding(contexts[i][j]), dim, rows + i * stride);
      multiply<Real>(n, rows, stride, matrices_[j], out[0], stride, j > 0);
    }
  } else {
    for (int64_t i = 0; i < n; ++i) {
      Real* row = out[0] + i * stride;
      for (int64_t j = 0; j < shape_.context; ++j) {
        copy_row(embedding(contexts[i][j]), dim, row + j * dim);
      }
      std::fill(row + first, row + stride, Real(0));
    }
  }
  if (shape_.side > 0) {
    multiply<Real>(n, beside, padded<Real>(shape_.side), side_, out[0], stride, true);
  }
  for (int64_t i = 0; shape_.projection != Projection::kConcatenation && i < n; ++i) {
    activate(shape_.activation, out[0] + i * stride, first, stride);
  }
  for (int64_t l = 0; l < shape_.layers(); ++l) go_up(l, n, out);
}

template <class Row>
void WindowNetwork<Row>::products(int64_t j, int64_t n, const int32_t* words, Real* out) const {
  const int64_t dim = shape_.dim, to = padded<Real>(shape_.sizes[shape_.summed()]);
  Matrix<Real> rows(n, dim);
  for (int64_t i = 0; i < n; ++i) copy_row(embedding(words[i]), dim, rows.row(i));
  if (shape_.projection == Projection::kFull) {
    multiply<Real>(n, rows.row(0), rows.stride, matrices_[j], out, to, false);
  } else {
    multiply_rows<Real>(n, rows.row(0), rows.stride, hidden_[0].weight, j * dim, dim, out, to,
                        false);
  }
}

template <class Row>
void WindowNetwork<Row>::forward_sums(int64_t n, Real* const* out) const {
  const int64_t first = shape_.summed(), size = shape_.sizes[first], stride = padded<Real>(size);
  for (int64_t i = 0; i < n; ++i) {
    Real* row = out[first] + i * stride;
    if (first > 0) add_row(stride, hidden_[0].bias.row(0), row);
    activate(shape_.activation, row, size, stride);
  }
  for (int64_t l = first; l < shape_.layers(); ++l) go_up(l, n, out);
}

template <class Row>
void WindowNetwork<Row>::go_up(int64_t l, int64_t n, Real* const* out) const {
  const auto& [weight, bias] = hidden_[l];
  affine(weight, bias, out[l], padded<Real>(shape_.sizes[l]), n, out[l + 1]);
  for (int64_t i = 0; i < n; ++i) {
    activate(shape_.activation, out[l + 1] + i * bias.stride, bias.columns, bias.stride);
  }
}

template <class Row>
void WindowNetwork<Row>::add_scaled(const int32_t* words, Real* out) const {
  for (int64_t d = 0; d < diagonals_.stride; d += kWidth<Real>) {
    Vec<Real> z{};
    for (int64_t j = 0; j < shape_.context; ++j) {
      z = multiply_add(embedding(words[j]).at(d), load(diagonals_.row(j) + d), z);
    }
    store(out + d, z);
  }
}

template <class Row>
template <int kContext>
typename Row::Real WindowNetwork<Row>::rectified_logit(const int32_t* context,
                                                       const Units<Row>& units,
                                                       int64_t unit) const {
  Row rows[kContext];
  for (int j = 0; j < kContext; ++j) rows[j] = embedding(context[j]);
  const Row own = Row::of(*units.rows, unit);
  const Real* diagonals = diagonals_.data.data();
  const int64_t stride = diagonals_.stride;
  Vec<Real> total{};
  for (int64_t d = 0; d < stride; d += kWidth<Real>) {
    Vec<Real> z{};
    for (int j = 0; j < kContext; ++j) {
      z = multiply_add(rows[j].at(d), load(diagonals + j * stride + d), z);
    }
    total = multiply_add(maximum<Real>(z, Vec<Real>{}), own.at(d), total);
  }
  return sum<Real>(total) + units.bias[unit];
}

template <class Row>
typename WindowNetwork<Row>::Logit WindowNetwork<Row>::fused_logit() const {
  if (shape_.projection != Projection::kDiagonal || shape_.activation != Activation::kRelu ||
      shape_.seen() != shape_.dim || shape_.layers() > 0) {
    return nullptr;
  }
  switch (shape_.context) {
    case 2:
      return &WindowNetwork::rectified_logit<2>;
    case 3:
      return &WindowNetwork::rectified_logit<3>;
    case 4:
      return &WindowNetwork::rectified_logit<4>;
    case 5:
      return &WindowNetwork::rectified_logit<5>;
    default:
      return nullptr;
  }
}

template class WindowNetwork<FloatRow<float>>;
template class WindowNetwork<FloatRow<double>>;
template class WindowNetwork<ByteRow>;

}  // namespace nlmt::neural
