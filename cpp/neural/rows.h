// Rows of numbers in single or double precision, or in 8 bits with a scale for each row. Forward
// passes are compiled for each type of row. The numbers of an 8-bit row differ from the given ones
// by at most half of its scale, the largest magnitude of the row over 127.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "simd.h"

namespace nlmt::neural {

// A matrix that lives elsewhere.
template <class Real>
struct MatrixView {
  const Real* data = nullptr;
  int64_t rows = 0, columns = 0, stride = 0;

  MatrixView() = default;
  MatrixView(const Real* data, int64_t rows, int64_t columns, int64_t stride)
      : data(data), rows(rows), columns(columns), stride(stride) {}
  MatrixView(const Matrix<Real>& matrix)
      : MatrixView(matrix.data.data(), matrix.rows, matrix.columns, matrix.stride) {}

  const Real* row(int64_t i) const { return data + i * stride; }
  MatrixView block(int64_t begin, int64_t count) const {
    return {row(begin), count, columns, stride};
  }
};

template <class Real>
Matrix<Real> copy_of(const MatrixView<Real>& from) {
  Matrix<Real> result(from.rows, from.columns);
  for (int64_t i = 0; i < from.rows; ++i) std::copy_n(from.row(i), from.columns, result.row(i));
  return result;
}

// A matrix in 8 bits, with padded rows.
struct ByteMatrix {
  int64_t rows = 0, columns = 0, stride = 0;
  Buffer<std::int8_t> data;
  Buffer<float> scales;

  ByteMatrix() = default;
  ByteMatrix(int64_t rows, int64_t columns)
      : rows(rows),
        columns(columns),
        stride(padded<float>(columns)),
        data(rows * stride),
        scales(rows) {}
};

template <class T>
struct FloatRow {
  using Real = T;
  using Rows = Matrix<T>;
  const T* numbers;

  static FloatRow of(const Rows& rows, int64_t i) { return {rows.row(i)}; }
  Vec<T> at(int64_t d) const { return load(numbers + d); }
  T number(int64_t d) const { return numbers[d]; }
};

struct ByteRow {
  using Real = float;
  using Rows = ByteMatrix;
  typedef std::int8_t Bytes __attribute__((vector_size(kVectorBytes / 4), may_alias));
  const std::int8_t* numbers;
  Vec<float> scale;

  static ByteRow of(const Rows& rows, int64_t i) {
    return {rows.data.data() + i * rows.stride, broadcast(rows.scales[i])};
  }
  Vec<float> at(int64_t d) const {
    const Bytes bytes = *reinterpret_cast<const Bytes*>(numbers + d);
    // Through 32 bits, as GCC converts bytes to floats one by one.
    return __builtin_convertvector(__builtin_convertvector(bytes, Simd<float>::I), Vec<float>) *
           scale;
  }
  float number(int64_t d) const { return static_cast<float>(numbers[d]) * scale[0]; }
};

template <class Real>
inline void set_row(Matrix<Real>& rows, int64_t i, const Real* numbers) {
  std::copy_n(numbers, rows.columns, rows.row(i));
}
inline void set_row(ByteMatrix& rows, int64_t i, const float* numbers) {
  float largest = 0;
  for (int64_t d = 0; d < rows.columns; ++d) largest = std::max(largest, std::fabs(numbers[d]));
  rows.scales[i] = largest / 127;
  for (int64_t d = 0; d < rows.columns; ++d) {
    const float steps = largest > 0 ? numbers[d] / largest * 127 : 0;
    rows.data[i * rows.stride + d] = static_cast<std::int8_t>(std::lrint(steps));
  }
}

// Copies the first n numbers of a row.
template <class Row>
inline void copy_row(const Row& row, int64_t n, typename Row::Real* out) {
  for (int64_t d = 0; d < n; ++d) out[d] = row.number(d);
}

// Adds a padded row to another one.
template <class Real>
inline void add_row(int64_t stride, const Real* row, Real* sum) {
  for (int64_t d = 0; d < stride; d += kWidth<Real>) store(sum + d, load(sum + d) + load(row + d));
}

}  // namespace nlmt::neural
