// Vectors, aligned rows, and the exponential on them.
//
// GCC's and Clang's vector extension is compiled to AVX-512, AVX2, NEON or whatever there is, so
// that no instruction set is named here. Rows are padded with zeros to kAlign bytes.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <vector>

namespace nlmt {

constexpr std::size_t kAlign = 64;
// Sums depend on the width of vectors. On aarch64 a vector is two registers, so that its results
// are those of AVX2.
#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__) || defined(__aarch64__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif
#if defined(__aarch64__)
constexpr int kRegisterBytes = 16;
#else
constexpr int kRegisterBytes = kVectorBytes;
#endif

template <class Real, int kBytes = kVectorBytes>
struct Simd;
template <int kBytes>
struct Simd<float, kBytes> {
  typedef float V __attribute__((vector_size(kBytes), may_alias));
  typedef int32_t I __attribute__((vector_size(kBytes), may_alias));
};
template <int kBytes>
struct Simd<double, kBytes> {
  typedef double V __attribute__((vector_size(kBytes), may_alias));
};
template <class Real>
using Vec = typename Simd<Real>::V;

template <class Real>
constexpr int kWidth = kVectorBytes / static_cast<int>(sizeof(Real));

// Elements in a padded row of n.
template <class Real>
constexpr int64_t padded(int64_t n) {
  constexpr int64_t unit = kAlign / sizeof(Real);
  return (n + unit - 1) / unit * unit;
}

template <class Real>
inline Vec<Real> load(const Real* p) {
  return *reinterpret_cast<const Vec<Real>*>(p);
}
template <class Real>
inline void store(Real* p, Vec<Real> v) {
  *reinterpret_cast<Vec<Real>*>(p) = v;
}
template <class Real>
inline Vec<Real> broadcast(Real x) {
  return x - Vec<Real>{};
}

// a * b + c, rounded once where processors have that in one step. What is written as a product and
// a sum is rounded twice everywhere (-ffp-contract=off), so that no compiler decides which are one.
template <class Real>
inline std::enable_if_t<std::is_floating_point_v<Real>, Real> multiply_add(Real a, Real b, Real c) {
#if defined(__FMA__) || defined(__aarch64__)
  return std::fma(a, b, c);
#else
  return a * b + c;  // elsewhere std::fma is a function, and slow
#endif
}
// Compilers make one instruction of the elements', but would count those when they choose what to
// inline.
template <class V>
__attribute__((always_inline)) inline std::enable_if_t<!std::is_floating_point_v<V>, V>
multiply_add(V a, V b, V c) {
  for (std::size_t i = 0; i < sizeof c / sizeof c[0]; ++i) c[i] = multiply_add(a[i], b[i], c[i]);
  return c;
}

// Sum of the elements, halved again and again: always in the same order.
template <class Real>
inline Real sum(Vec<Real> v) {
  Real x[kWidth<Real>];
  std::memcpy(x, &v, sizeof v);
  for (int half = kWidth<Real> / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) x[i] += x[i + half];
  }
  return x[0];
}

template <class Real>
inline Vec<Real> maximum(Vec<Real> a, Vec<Real> b) {
  return b > a ? b : a;  // a where it is NaN, which must not get lost
}

inline Vec<double> exponential(Vec<double> x) {
  Vec<double> y;
  for (int i = 0; i < kWidth<double>; ++i) y[i] = std::exp(x[i]);
  return y;
}

// Relative error below 2e-7; arguments beyond +-87 give the value at the border; NaN stays NaN.
__attribute__((always_inline)) inline Vec<float> exponential(Vec<float> x) {
  using V = Vec<float>;
  using I = Simd<float>::I;
  const V low = broadcast(-87.0f), high = broadcast(87.0f);
  x = x < low ? low : x;
  x = x > high ? high : x;
  // Adding and taking away 1.5 * 2^23 rounds to the nearest integer.
  const V n = multiply_add(x, broadcast(1.44269504f), broadcast(12582912.0f)) - 12582912.0f;
  V r = multiply_add(n, broadcast(-0.693359375f), x);
  r = multiply_add(n, broadcast(2.12194440e-4f), r);
  V p = multiply_add(broadcast(1.9875691500e-4f), r, broadcast(1.3981999507e-3f));
  p = multiply_add(p, r, broadcast(8.3334519073e-3f));
  p = multiply_add(p, r, broadcast(4.1665795894e-2f));
  p = multiply_add(p, r, broadcast(1.6666665459e-1f));
  p = multiply_add(p, r, broadcast(5.0000001201e-1f));
  p = multiply_add(p, r * r, r) + 1.0f;
  const I power = (__builtin_convertvector(n, I) + 127) << 23;
  V scale;
  std::memcpy(&scale, &power, sizeof scale);
  return p * scale;
}

template <class T>
struct Aligned {
  using value_type = T;
  Aligned() = default;
  template <class U>
  Aligned(const Aligned<U>&) {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(kAlign)));
  }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t(kAlign)); }
  template <class U>
  bool operator==(const Aligned<U>&) const {
    return true;
  }
  template <class U>
  bool operator!=(const Aligned<U>&) const {
    return false;
  }
};
template <class T>
using Buffer = std::vector<T, Aligned<T>>;

// A matrix whose rows are padded with zeros.
template <class Real>
struct Matrix {
  int64_t rows = 0, columns = 0, stride = 0;
  Buffer<Real> data;

  Matrix() = default;
  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), stride(padded<Real>(columns)), data(rows * stride) {}
  Real* row(int64_t i) { return data.data() + i * stride; }
  const Real* row(int64_t i) const { return data.data() + i * stride; }
};

}  // namespace nlmt
