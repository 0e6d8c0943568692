// Small dense products on padded rows. The order of every sum depends on the shapes of one row
// alone, never on the other rows: a context scores the same in any batch.
#pragma once

#include <algorithm>

#include "simd.h"

namespace nlmt {

// c[i][:] (+)= sum_k a[i * a_row + k * a_k] * b[k][:] for kRows rows and kVectors vectors.
template <class Real, int kRows, int kVectors>
inline void tile(int64_t depth, const Real* a, int64_t a_row, int64_t a_k, const Real* b,
                 int64_t b_row, Real* c, int64_t c_row, bool add) {
  constexpr int W = kWidth<Real>;
  Vec<Real> sums[kRows][kVectors];
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < kVectors; ++v) {
      sums[i][v] = add ? load(c + i * c_row + v * W) : Vec<Real>{};
    }
  }
  for (int64_t k = 0; k < depth; ++k, a += a_k, b += b_row) {
    Vec<Real> columns[kVectors];
    for (int v = 0; v < kVectors; ++v) columns[v] = load(b + v * W);
    for (int i = 0; i < kRows; ++i) {
      const Vec<Real> x = broadcast(a[i * a_row]);
      for (int v = 0; v < kVectors; ++v) sums[i][v] += x * columns[v];
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < kVectors; ++v) store(c + i * c_row + v * W, sums[i][v]);
  }
}

template <class Real, int kVectors, int kRows = kTileRows>
inline void tile_rows(int rows, int64_t depth, const Real* a, int64_t a_row, int64_t a_k,
                      const Real* b, int64_t b_row, Real* c, int64_t c_row, bool add) {
  if constexpr (kRows > 0) {
    if (rows == kRows) {
      tile<Real, kRows, kVectors>(depth, a, a_row, a_k, b, b_row, c, c_row, add);
    } else {
      tile_rows<Real, kVectors, kRows - 1>(rows, depth, a, a_row, a_k, b, b_row, c, c_row, add);
    }
  }
}

template <class Real, int kVectors = kTileVectors>
inline void panel(int vectors, int64_t rows, int64_t depth, const Real* a, int64_t a_row,
                  int64_t a_k, const Real* b, int64_t b_row, Real* c, int64_t c_row, bool add) {
  if constexpr (kVectors > 0) {
    if (vectors != kVectors) {
      panel<Real, kVectors - 1>(vectors, rows, depth, a, a_row, a_k, b, b_row, c, c_row, add);
      return;
    }
    for (int64_t i = 0; i < rows; i += kTileRows) {
      const int n = static_cast<int>(std::min<int64_t>(kTileRows, rows - i));
      tile_rows<Real, kVectors>(n, depth, a + i * a_row, a_row, a_k, b, b_row, c + i * c_row, c_row,
                                add);
    }
  }
}

// Rows of B that stay in the cache while the rows of A go past them. As each sum goes on where it
// was left, its order does not change.
constexpr int64_t kDepth = 256;

// Where a product's columns are cut into panels: no panel has more than kTileVectors vectors.
template <class Real>
struct PanelBorders {
  int64_t vectors, count;

  explicit PanelBorders(int64_t columns)
      : vectors(columns / kWidth<Real>), count((vectors + kTileVectors - 1) / kTileVectors) {}
  int64_t begin(int64_t p) const { return vectors * p / count; }  // in vectors
};

// C (rows x columns) (+)= A (rows x depth, any strides) B (depth x columns); columns are padded.
template <class Real>
void multiply(int64_t rows, int64_t columns, int64_t depth, const Real* a, int64_t a_row,
              int64_t a_k, const Real* b, int64_t b_row, Real* c, int64_t c_row, bool add) {
  const PanelBorders<Real> borders(columns);
  for (int64_t k = 0; k == 0 || k < depth; k += kDepth) {
    const int64_t n = std::min(kDepth, depth - k);
    for (int64_t p = 0; p < borders.count; ++p) {
      const int64_t begin = borders.begin(p), at = begin * kWidth<Real>;
      panel<Real>(static_cast<int>(borders.begin(p + 1) - begin), rows, n, a + k * a_k, a_row, a_k,
                  b + k * b_row + at, b_row, c + at, c_row, add || k > 0);
    }
  }
}

// A matrix (depth x columns) for the right side of products: each panel is contiguous.
template <class Real>
struct Panels {
  int64_t depth = 0;
  PanelBorders<Real> borders{0};
  Buffer<Real> data;

  Panels() = default;
  Panels(int64_t depth, int64_t columns)
      : depth(depth), borders(padded<Real>(columns)), data(depth * padded<Real>(columns)) {}
  int64_t width(int64_t p) const {  // of the rows of panel p
    return (borders.begin(p + 1) - borders.begin(p)) * kWidth<Real>;
  }
  Real* panel(int64_t p) { return data.data() + depth * borders.begin(p) * kWidth<Real>; }
  const Real* panel(int64_t p) const { return const_cast<Panels*>(this)->panel(p); }
};

// C (rows x columns) (+)= A (rows x depth, rows in one piece) B; the same sums in the same order.
template <class Real>
void multiply(int64_t rows, const Real* a, int64_t a_row, const Panels<Real>& b, Real* c,
              int64_t c_row, bool add) {
  for (int64_t k = 0; k == 0 || k < b.depth; k += kDepth) {
    const int64_t n = std::min(kDepth, b.depth - k);
    for (int64_t p = 0; p < b.borders.count; ++p) {
      const int64_t width = b.width(p);
      panel<Real>(static_cast<int>(width / kWidth<Real>), rows, n, a + k, a_row, 1,
                  b.panel(p) + k * width, width, c + b.borders.begin(p) * kWidth<Real>, c_row,
                  add || k > 0);
    }
  }
}

// C (rows x columns) = A (rows x depth, rows in one piece) times the rows of B from `begin` on.
template <class Real>
void multiply_rows(int64_t rows, const Real* a, int64_t a_row, const Panels<Real>& b, int64_t begin,
                   int64_t depth, Real* c, int64_t c_row) {
  for (int64_t k = 0; k < depth; k += kDepth) {
    const int64_t n = std::min(kDepth, depth - k);
    for (int64_t p = 0; p < b.borders.count; ++p) {
      const int64_t width = b.width(p);
      panel<Real>(static_cast<int>(width / kWidth<Real>), rows, n, a + k, a_row, 1,
                  b.panel(p) + (begin + k) * width, width, c + b.borders.begin(p) * kWidth<Real>,
                  c_row, k > 0);
    }
  }
}

// Dot product of two padded rows. All dot products go through the same order.
template <class Real>
inline Real dot(int64_t stride, const Real* a, const Real* b) {
  constexpr int W = kWidth<Real>;
  Vec<Real> even{}, odd{};
  int64_t d = 0;
  for (; d + 2 * W <= stride; d += 2 * W) {
    even += load(a + d) * load(b + d);
    odd += load(a + d + W) * load(b + d + W);
  }
  if (d < stride) even += load(a + d) * load(b + d);
  return sum<Real>(even + odd);
}

// out[j] = <a, b_j> for n rows b_j that are contiguous.
template <class Real>
inline void dots(int64_t stride, const Real* a, const Real* b, int64_t n, Real* out) {
  for (int64_t j = 0; j < n; ++j) out[j] = dot(stride, a, b + j * stride);
}

// out (+)= sum_e weight(e) * row(e): a sum over any n rows, kept in registers.
template <class Real, int kVectors, class Row, class Weight>
inline void weighted_panel(int64_t n, Row row, Weight weight, int64_t at, Real* out, bool add) {
  constexpr int W = kWidth<Real>;
  Vec<Real> sums[kVectors];
  for (int v = 0; v < kVectors; ++v) sums[v] = add ? load(out + at + v * W) : Vec<Real>{};
  for (int64_t e = 0; e < n; ++e) {
    const Real* r = row(e) + at;
    const Vec<Real> x = broadcast<Real>(weight(e));
    for (int v = 0; v < kVectors; ++v) sums[v] += x * load(r + v * W);
  }
  for (int v = 0; v < kVectors; ++v) store(out + at + v * W, sums[v]);
}

template <class Real, class Row, class Weight>
inline void weighted_sum(int64_t stride, int64_t n, Row row, Weight weight, Real* out, bool add) {
  constexpr int W = kWidth<Real>;
  constexpr int kPanel = 8;
  int64_t at = 0;
  for (; at + kPanel * W <= stride; at += kPanel * W) {
    weighted_panel<Real, kPanel>(n, row, weight, at, out, add);
  }
  for (; at + 4 * W <= stride; at += 4 * W) weighted_panel<Real, 4>(n, row, weight, at, out, add);
  for (; at < stride; at += W) weighted_panel<Real, 1>(n, row, weight, at, out, add);
}

// Turn n logits (a row padded to `stride`) into probabilities; returns log sum exp of the logits.
template <class Real>
inline double softmax(Real* x, int64_t n, int64_t stride) {
  constexpr int W = kWidth<Real>;
  for (int64_t i = n; i < stride; ++i) x[i] = Real(-1e30);
  Vec<Real> top = load(x);
  for (int64_t i = W; i < stride; i += W) top = maximum<Real>(top, load(x + i));
  Real highest = top[0];
  for (int i = 1; i < W; ++i) highest = std::max<Real>(highest, top[i]);
  Vec<Real> total{};
  const Vec<Real> shift = broadcast(highest);
  for (int64_t i = 0; i < stride; i += W) {
    const Vec<Real> e = exponential(load(x + i) - shift);
    store(x + i, e);
    total += e;
  }
  const Real z = sum<Real>(total);
  const Vec<Real> scale = broadcast(Real(1) / z);
  for (int64_t i = 0; i < stride; i += W) store(x + i, load(x + i) * scale);
  return static_cast<double>(highest) + std::log(static_cast<double>(z));
}

}  // namespace nlmt
