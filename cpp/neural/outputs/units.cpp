#include "outputs/units.h"

namespace nlmt::neural {

template <class Row>
typename Row::Real Units<Row>::logit(const Real* h, int64_t unit) const {
  return dot(rows->stride, h, Row::of(*rows, unit)) + bias[unit];
}

template <class Row>
void Units<Row>::logits(const Real* h, int64_t first, int64_t n, Real* out) const {
  for (int64_t i = 0; i < n; ++i) out[i] = logit(h, first + i);
}

template <class Real>
void LogSum<Real>::add(Real* logits, int64_t n) {
  constexpr int W = kWidth<Real>;
  const int64_t stride = padded<Real>(n);
  const Real highest = pad_logits(logits, n, stride);
  Vec<Real> total{};
  const Vec<Real> shift = broadcast(highest);
  for (int64_t i = 0; i < stride; i += W) total += exponential(load(logits + i) - shift);
  const double part = sum<Real>(total);
  if (highest > highest_) {
    sum_ = sum_ * std::exp(static_cast<double>(highest_) - highest) + part;
    highest_ = highest;
  } else {
    sum_ += part * std::exp(static_cast<double>(highest) - highest_);
  }
}

template <class Row>
Normaliser::Normaliser(const Units<Row>& units) {
  const int64_t count = units.rows->rows, columns = units.rows->columns;
  for (int64_t first = 0; first < count; first += kPart) {
    const int64_t n = std::min(kPart, count - first);
    Matrix<float> weight(n, columns), bias(1, n);
    for (int64_t i = 0; i < n; ++i) {
      copy_row(Row::of(*units.rows, first + i), columns, weight.row(i));
    }
    std::copy_n(units.bias + first, n, bias.row(0));
    parts_.push_back({{}, std::move(bias)});
    transpose<float>(weight, parts_.back().weight, nullptr);
  }
}

void Normaliser::run(int64_t n, const float* h, float* logits, float* out) const {
  LogSum<float> sums[kBlock];
  for (const auto& [weight, bias] : parts_) {
    affine(weight, bias, h, padded<float>(weight.depth), n, logits);
    for (int64_t i = 0; i < n; ++i) sums[i].add(logits + i * bias.stride, bias.columns);
  }
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(sums[i].value());
}

template struct Units<FloatRow<float>>;
template struct Units<FloatRow<double>>;
template struct Units<ByteRow>;
template class LogSum<float>;
template class LogSum<double>;
template Normaliser::Normaliser(const Units<FloatRow<float>>&);
template Normaliser::Normaliser(const Units<ByteRow>&);

}  // namespace nlmt::neural
