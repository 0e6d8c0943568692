// Affine layers: transposed weights, and their products with rows of activations.
#pragma once

#include "dense.h"
#include "rows.h"
#include "team.h"

namespace nlmt::neural {

// Transposes a square: the numbers from `at` on of kSide rows, which may be unaligned, become
// columns of `to`, whose rows are aligned and `width` numbers apart.
constexpr int64_t kSide = 4;
#if __has_builtin(__builtin_shufflevector)
inline void put_square(const float* const* rows, int64_t at, int64_t width, float* to) {
  typedef float Four __attribute__((vector_size(16), may_alias));
  typedef float Anywhere __attribute__((vector_size(16), may_alias, aligned(sizeof(float))));
  const auto row = [&](int i) -> Four { return *reinterpret_cast<const Anywhere*>(rows[i] + at); };
  const Four low01 = __builtin_shufflevector(row(0), row(1), 0, 4, 1, 5);
  const Four low23 = __builtin_shufflevector(row(2), row(3), 0, 4, 1, 5);
  const Four high01 = __builtin_shufflevector(row(0), row(1), 2, 6, 3, 7);
  const Four high23 = __builtin_shufflevector(row(2), row(3), 2, 6, 3, 7);
  const auto put = [&](int k, Four column) { *reinterpret_cast<Four*>(to + k * width) = column; };
  put(0, __builtin_shufflevector(low01, low23, 0, 1, 4, 5));
  put(1, __builtin_shufflevector(low01, low23, 2, 3, 6, 7));
  put(2, __builtin_shufflevector(high01, high23, 0, 1, 4, 5));
  put(3, __builtin_shufflevector(high01, high23, 2, 3, 6, 7));
}
#endif
template <class Real>
void put_square(const Real* const* rows, int64_t at, int64_t width, Real* to) {
  for (int64_t k = 0; k < kSide; ++k) {
    for (int64_t i = 0; i < kSide; ++i) to[k * width + i] = rows[i][at + k];
  }
}

// Fills a part of a column, unless `row` is null.
template <class Real>
void put_column(const Real* row, int64_t begin, int64_t end, int64_t width, Real* column) {
  if (row == nullptr) return;
  for (int64_t e = begin; e < end; ++e) column[e * width] = row[e];
}

// Fills the columns of a panel (depth x width) with rows of `depth` numbers: column i with
// row_of(i), unless that is null.
template <class Real, class RowOf>
void put_columns(int64_t columns, RowOf row_of, int64_t depth, int64_t width, Real* panel) {
  constexpr int64_t kLine = kAlign / sizeof(Real);
  for (int64_t d = 0; d < depth; d += kLine) {
    const int64_t end = std::min(d + kLine, depth);
    int64_t i = 0;
    for (; i + kSide <= columns; i += kSide) {
      const Real* rows[kSide];
      for (int64_t k = 0; k < kSide; ++k) {
        rows[k] = row_of(i + k);
        if (rows[k] != nullptr && end < depth) __builtin_prefetch(rows[k] + end);
      }
      int64_t e = d;
      if (std::find(rows, rows + kSide, nullptr) == rows + kSide) {
        for (; e + kSide <= end; e += kSide) put_square(rows, e, width, panel + e * width + i);
      }
      for (int64_t k = 0; k < kSide; ++k) put_column(rows[k], e, end, width, panel + i + k);
    }
    for (; i < columns; ++i) put_column(row_of(i), d, end, width, panel + i);
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
  constexpr int64_t kLeast = 1 << 15;  // numbers that are worth another thread
  if (team != nullptr && columns * to.depth >= kLeast) {
    team->each(to.borders.count, fill);
  } else {
    for (int64_t p = 0; p < to.borders.count; ++p) fill(p, 0);
  }
}

// The transpose of a weight (out x in). `to` is empty, or has that of another weight of its shape:
// new memory takes as long as filling it.
template <class Real>
void transpose(const MatrixView<Real>& from, Panels<Real>& to, Team* team) {
  if (to.data.empty()) to = Panels<Real>(from.columns, from.rows);
  put_columns(from.rows, [&](int64_t i) { return from.row(i); }, to, team);
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
