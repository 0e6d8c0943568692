// The innermost loop of dense products. dense.h includes this once for each size of vectors, with
// NLMT_TILE, the name of the function, NLMT_BYTES, the size of a vector, and NLMT_TARGET, the
// attribute of the processor.

// c[i][:] (+)= sum_k a[i * a_row + k * a_k] * b[k][:] for kRows rows and kVectors vectors, whose
// sums stay in registers: compilers see that where all loops over them are unrolled.
template <class Real, int kRows, int kVectors>
NLMT_TARGET void NLMT_TILE(int64_t depth, const Real* a, int64_t a_row, int64_t a_k, const Real* b,
                           int64_t b_row, Real* c, int64_t c_row, bool add) {
  using V = typename Simd<Real, NLMT_BYTES>::V;
  constexpr int W = NLMT_BYTES / static_cast<int>(sizeof(Real));
  V sums[kRows][kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
      sums[i][v] = add ? *reinterpret_cast<const V*>(c + i * c_row + v * W) : V{};
    }
  }
  for (int64_t k = 0; k < depth; ++k, a += a_k, b += b_row) {
    V columns[kVectors];
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) columns[v] = *reinterpret_cast<const V*>(b + v * W);
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const V x = a[i * a_row] - V{};
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) {
        V sum = sums[i][v];
#pragma GCC unroll 16
        for (int e = 0; e < W; ++e) sum[e] = multiply_add(x[e], columns[v][e], sum[e]);
        sums[i][v] = sum;
      }
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) *reinterpret_cast<V*>(c + i * c_row + v * W) = sums[i][v];
  }
}
#undef NLMT_TILE
#undef NLMT_BYTES
#undef NLMT_TARGET
