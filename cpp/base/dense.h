// Small dense products on padded rows. The order of every sum depends on the shapes of one row
// alone, never on the other rows: a context scores the same in any batch.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "simd.h"

namespace nlmt {

#define NLMT_TILE tile
#define NLMT_BYTES kRegisterBytes
#define NLMT_TARGET
#include "tile.h"

// Each element of a product is a sum of its own, whose order does not depend on how many of them a
// vector holds: where the processor has AVX-512, products take it, and the results are the same.
#if defined(__AVX2__) && defined(__FMA__) && !defined(__AVX512F__)
#define NLMT_WIDE_TILES 1
#define NLMT_TILE wide_tile
#define NLMT_BYTES 64
#define NLMT_TARGET __attribute__((target("avx512f")))
#include "tile.h"
inline const bool take_wide_tiles = [] {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && std::getenv("NLMT_WITHOUT_AVX512") == nullptr;
}();
#else
#define NLMT_WIDE_TILES 0
#endif

// How many sums stay in registers: 4 x 3 of 16, or 6 x 4 of the 32 that AVX-512 and NEON have.
constexpr bool has_32_registers(int bytes) { return bytes == 64 || kRegisterBytes < kVectorBytes; }
constexpr int tile_rows(int bytes) { return has_32_registers(bytes) ? 6 : 4; }
constexpr int tile_vectors(int bytes) { return has_32_registers(bytes) ? 4 : 3; }

// Tiles of up to `rows` rows and `vectors` vectors of `width` elements.
template <class Real>
struct Tiles {
  using Tile = void (*)(int64_t depth, const Real* a, int64_t a_row, int64_t a_k, const Real* b,
                        int64_t b_row, Real* c, int64_t c_row, bool add);
  int width, rows, vectors;
  const Tile* tile;

  Tile of(int64_t n, int64_t v) const { return tile[(n - 1) * vectors + v - 1]; }
};

// The tiles of vectors of so many bytes: place (r - 1) * V + v - 1 has r rows and v vectors.
template <class Real, int kBytes, std::size_t... i>
Tiles<Real> tiles_of(std::index_sequence<i...>) {
  using Tile = typename Tiles<Real>::Tile;
  constexpr int V = tile_vectors(kBytes), W = kBytes / static_cast<int>(sizeof(Real));
#if NLMT_WIDE_TILES
  if constexpr (kBytes > kRegisterBytes) {
    static constexpr Tile all[] = {wide_tile<Real, i / V + 1, i % V + 1>...};
    return {W, tile_rows(kBytes), V, all};
  } else
#endif
  {
    static constexpr Tile all[] = {tile<Real, i / V + 1, i % V + 1>...};
    return {W, tile_rows(kBytes), V, all};
  }
}
template <class Real, int kBytes>
Tiles<Real> tiles_of() {
  return tiles_of<Real, kBytes>(
      std::make_index_sequence<tile_rows(kBytes) * tile_vectors(kBytes)>());
}

// The widest tiles that the processor has.
template <class Real>
Tiles<Real> best_tiles() {
#if NLMT_WIDE_TILES
  if (take_wide_tiles) return tiles_of<Real, 64>();
#endif
  return tiles_of<Real, kRegisterBytes>();
}

// Rows of B that stay in the cache while the rows of A go past them. As each sum goes on where it
// was left, its order does not change.
constexpr int64_t kDepth = 256;

// A product's columns, cut into panels no wider than a tile.
template <class Real>
struct PanelBorders {
  Tiles<Real> tiles = best_tiles<Real>();
  int64_t vectors, count;

  explicit PanelBorders(int64_t columns)
      : vectors(columns / tiles.width), count((vectors + tiles.vectors - 1) / tiles.vectors) {}
  int64_t begin(int64_t p) const { return vectors * p / count * tiles.width; }
  int64_t width(int64_t p) const { return begin(p + 1) - begin(p); }

  // Panel p of C, `c`, (+)= A times panel p of B, `b`.
  void multiply(int64_t p, int64_t rows, int64_t depth, const Real* a, int64_t a_row, int64_t a_k,
                const Real* b, int64_t b_row, Real* c, int64_t c_row, bool add) const {
    const int64_t v = width(p) / tiles.width;
    for (int64_t i = 0; i < rows; i += tiles.rows) {
      const int64_t n = std::min<int64_t>(tiles.rows, rows - i);
      tiles.of(n, v)(depth, a + i * a_row, a_row, a_k, b, b_row, c + i * c_row, c_row, add);
    }
  }
};

// The panels `first` to `last` of C (rows x columns) (+)= A (rows x depth, any strides) B (depth x
// columns).
template <class Real>
void multiply_panels(const PanelBorders<Real>& borders, int64_t first, int64_t last, int64_t rows,
                     int64_t depth, const Real* a, int64_t a_row, int64_t a_k, const Real* b,
                     int64_t b_row, Real* c, int64_t c_row, bool add) {
  for (int64_t k = 0; k == 0 || k < depth; k += kDepth) {
    const int64_t n = std::min(kDepth, depth - k);
    for (int64_t p = first; p < last; ++p) {
      const int64_t at = borders.begin(p);
      borders.multiply(p, rows, n, a + k * a_k, a_row, a_k, b + k * b_row + at, b_row, c + at,
                       c_row, add || k > 0);
    }
  }
}

// C (rows x columns) (+)= A (rows x depth, any strides) B (depth x columns); columns are padded.
template <class Real>
void multiply(int64_t rows, int64_t columns, int64_t depth, const Real* a, int64_t a_row,
              int64_t a_k, const Real* b, int64_t b_row, Real* c, int64_t c_row, bool add) {
  const PanelBorders<Real> borders(columns);
  multiply_panels(borders, 0, borders.count, rows, depth, a, a_row, a_k, b, b_row, c, c_row, add);
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
  int64_t width(int64_t p) const { return borders.width(p); }  // of the rows of panel p
  Real* panel(int64_t p) { return data.data() + depth * borders.begin(p); }
  const Real* panel(int64_t p) const { return const_cast<Panels*>(this)->panel(p); }
};

// C (rows x columns) (+)= A (rows x depth, rows in one piece) times `depth` rows of B from `begin`
// on; the same sums in the same order.
template <class Real>
void multiply_rows(int64_t rows, const Real* a, int64_t a_row, const Panels<Real>& b, int64_t begin,
                   int64_t depth, Real* c, int64_t c_row, bool add) {
  for (int64_t k = 0; k == 0 || k < depth; k += kDepth) {
    const int64_t n = std::min(kDepth, depth - k);
    for (int64_t p = 0; p < b.borders.count; ++p) {
      const int64_t width = b.width(p);
      b.borders.multiply(p, rows, n, a + k, a_row, 1, b.panel(p) + (begin + k) * width, width,
                         c + b.borders.begin(p), c_row, add || k > 0);
    }
  }
}

// As above, with all rows of B.
template <class Real>
void multiply(int64_t rows, const Real* a, int64_t a_row, const Panels<Real>& b, Real* c,
              int64_t c_row, bool add) {
  multiply_rows(rows, a, a_row, b, 0, b.depth, c, c_row, add);
}

// Dot products of `a`, a padded row, with kRows others at once. All have the same order, whatever
// kRows is; at(i, d) are the numbers of row i from d on.
template <class Real, int kRows, class At>
inline void dots_of(int64_t stride, const Real* a, At at, Real* out) {
  constexpr int W = kWidth<Real>;
  Vec<Real> even[kRows] = {}, odd[kRows] = {};
  int64_t d = 0;
  for (; d + 2 * W <= stride; d += 2 * W) {
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      even[i] = multiply_add(load(a + d), at(i, d), even[i]);
      odd[i] = multiply_add(load(a + d + W), at(i, d + W), odd[i]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
    if (d < stride) even[i] = multiply_add(load(a + d), at(i, d), even[i]);
    out[i] = sum<Real>(even[i] + odd[i]);
  }
}

// The same with n rows.
template <class Real, class At>
inline void dots(int64_t n, int64_t stride, const Real* a, At at, Real* out) {
  constexpr int kRows = 4;
  int64_t i = 0;
  const auto next = [&](int64_t row, int64_t d) { return at(i + row, d); };
  for (; i + kRows <= n; i += kRows) dots_of<Real, kRows>(stride, a, next, out + i);
  for (; i < n; ++i) dots_of<Real, 1>(stride, a, next, out + i);
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
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) sums[v] = multiply_add(x, load(r + v * W), sums[v]);
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
  for (; at + 2 * W <= stride; at += 2 * W) weighted_panel<Real, 2>(n, row, weight, at, out, add);
  for (; at < stride; at += W) weighted_panel<Real, 1>(n, row, weight, at, out, add);
}

// Fills the padding after n logits with such as have no part in a sum; returns the highest logit.
template <class Real>
inline Real pad_logits(Real* x, int64_t n, int64_t stride) {
  constexpr int W = kWidth<Real>;
  std::fill(x + n, x + stride, Real(-1e30));
  Vec<Real> top = load(x);
  for (int64_t i = W; i < stride; i += W) top = maximum<Real>(top, load(x + i));
  Real highest = top[0];
  for (int i = 1; i < W; ++i) highest = std::max<Real>(highest, top[i]);
  return highest;
}

// Turns n logits (a row padded to `stride`) into probabilities; returns log sum exp of the logits.
template <class Real>
inline double softmax(Real* x, int64_t n, int64_t stride) {
  constexpr int W = kWidth<Real>;
  const Real highest = pad_logits(x, n, stride);
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
