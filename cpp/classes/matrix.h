// A square matrix in one block, rows contiguous.
#pragma once

#include <cstddef>
#include <vector>

namespace nlmt::classes {

template <class T>
class Matrix {
 public:
  explicit Matrix(int width, T value = T())
      : width_(width), cells_(static_cast<size_t>(width) * width, value) {}

  T* operator[](int row) { return cells_.data() + static_cast<size_t>(row) * width_; }
  const T* operator[](int row) const { return cells_.data() + static_cast<size_t>(row) * width_; }

 private:
  int width_;
  std::vector<T> cells_;
};

}  // namespace nlmt::classes
