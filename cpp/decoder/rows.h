// Rows of numbers, in single precision or in 8 bits with a scale for each row. Readers are compiled
// for both kinds; the numbers of an 8-bit row differ from the given ones by at most half of its
// scale, the largest magnitude of the row over 127.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "simd.h"

namespace nlmt::decoder {

struct FloatRow {
  const float* numbers;
  Vec<float> at(std::int64_t d) const { return load(numbers + d); }
};

struct ByteRow {
  typedef std::int8_t Bytes __attribute__((vector_size(kVectorBytes / 4), may_alias));
  const std::int8_t* numbers;
  Vec<float> scale;
  Vec<float> at(std::int64_t d) const {
    const Bytes bytes = *reinterpret_cast<const Bytes*>(numbers + d);
    // Through 32 bits, as GCC converts bytes to floats one by one.
    return __builtin_convertvector(__builtin_convertvector(bytes, Simd<float>::I), Vec<float>) *
           scale;
  }
};

// Dot product of a padded row of floats and one of these; of floats the same sum as dot().
template <class Row>
inline float row_dot(std::int64_t stride, const float* a, const Row& row) {
  constexpr int W = nlmt::kWidth<float>;
  Vec<float> even{}, odd{};
  std::int64_t d = 0;
  for (; d + 2 * W <= stride; d += 2 * W) {
    even += load(a + d) * row.at(d);
    odd += load(a + d + W) * row.at(d + W);
  }
  if (d < stride) even += load(a + d) * row.at(d);
  return sum<float>(even + odd);
}

class Rows {
 public:
  Rows() = default;
  Rows(std::int64_t rows, std::int64_t columns, bool bytes)
      : columns_(columns), stride_(padded<float>(columns)), bytes_(bytes) {
    if (bytes) {
      packed_.resize(rows * stride_);
      scales_.resize(rows);
    } else {
      floats_ = Matrix<float>(rows, columns);
    }
  }

  std::int64_t columns() const { return columns_; }
  std::int64_t stride() const { return stride_; }  // of a row of as many floats

  template <class Row>
  Row row(std::int64_t i) const {
    if constexpr (std::is_same_v<Row, FloatRow>) {
      return {floats_.row(i)};
    } else {
      return {packed_.data() + i * stride_, broadcast(scales_[i])};
    }
  }

  void set(std::int64_t i, const float* numbers) {
    if (!bytes_) {
      std::copy_n(numbers, columns_, floats_.row(i));
      return;
    }
    float largest = 0;
    for (std::int64_t d = 0; d < columns_; ++d) largest = std::max(largest, std::fabs(numbers[d]));
    scales_[i] = largest / 127;
    for (std::int64_t d = 0; d < columns_; ++d) {
      const float steps = largest > 0 ? numbers[d] / largest * 127 : 0;
      packed_[i * stride_ + d] = static_cast<std::int8_t>(std::lrint(steps));
    }
  }

  // The padded row as floats.
  void copy(std::int64_t i, float* out) const {
    constexpr int W = nlmt::kWidth<float>;
    for (std::int64_t d = 0; d < stride_; d += W) {
      store(out + d, bytes_ ? row<ByteRow>(i).at(d) : row<FloatRow>(i).at(d));
    }
  }

  float dot(const float* a, std::int64_t i) const {
    return bytes_ ? row_dot(stride_, a, row<ByteRow>(i)) : row_dot(stride_, a, row<FloatRow>(i));
  }

 private:
  std::int64_t columns_ = 0, stride_ = 0;
  bool bytes_ = false;
  Matrix<float> floats_;
  Buffer<std::int8_t> packed_;  // of stride_ a row
  Buffer<float> scales_;
};

}  // namespace nlmt::decoder
