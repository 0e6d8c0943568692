// Affine layers: transposed weights, and their products with rows of activations.
#pragma once

#include "dense.h"
#include "rows.h"
#include "team.h"

namespace nlmt::neural {

// Fills the columns of a panel (depth x width) with rows of `depth` numbers: column i with
// row_of(i), unless that is null.
template <class Real, class RowOf>
void put_columns(int64_t columns, RowOf row_of, int64_t depth, int64_t width, Real* panel) {
  constexpr int64_t kLine = kAlign / sizeof(Real);
  for (int64_t d = 0; d < depth; d += kLine) {
    const int64_t end = std::min(d + kLine, depth);
    for (int64_t i = 0; i < columns; ++i) {
      const Real* row = row_of(i);
      if (row == nullptr) continue;
      if (end < depth) __builtin_prefetch(row + end);
      for (int64_t e = d; e < end; ++e) panel[e * width + i] = row[e];
    }
  }
}

// The same for all columns of a matrix, for products with rows of activations.
template <class Real, class RowOf>
void put_columns(int64_t columns, RowOf row_of, Panels<Real>& to, Team* team) {
  const auto fill = [&](int64_t p, int) {
    const int64_t first = to.borders.begin(p), width = to.width(p);
    put_columns(
        std::min(width, columns - first), [&](int64_t i) { return row_of(first + i); }, to.depth,
        width, to.panel(p));
  };
  if (team != nullptr) {
    team->each(to.borders.count, fill);
  } else {
    for (int64_t p = 0; p < to.borders.count; ++p) fill(p, 0);
  }
}

// The transpose of a weight (out x in).
template <class Real>
Panels<Real> transpose(const MatrixView<Real>& from, Team* team = nullptr) {
  Panels<Real> result(from.columns, from.rows);
  put_columns(from.rows, [&](int64_t i) { return from.row(i); }, result, team);
  return result;
}

// out = x W^T + b for `rows` padded rows of x; `transposed` is W^T.
template <class Real>
void affine(const Panels<Real>& transposed, const Matrix<Real>& bias, const Real* x,
            int64_t x_stride, int64_t rows, Real* out) {
  const int64_t n = bias.stride;
  for (int64_t i = 0; i < rows; ++i) std::copy_n(bias.row(0), n, out + i * n);
  multiply<Real>(rows, x, x_stride, transposed, out, n, true);
}

}  // namespace nlmt::neural
