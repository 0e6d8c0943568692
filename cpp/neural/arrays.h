// Arrays to Python, and checks of those from it.
#pragma once

#include <algorithm>
#include <memory>

#include "python.h"

namespace nlmt::neural {

template <class T>
nb::ndarray<nb::numpy, T> give(std::unique_ptr<T[]> data, std::initializer_list<size_t> shape) {
  T* pointer = data.release();
  nb::capsule owner(pointer, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::ndarray<nb::numpy, T>(pointer, shape, owner);
}

inline void check(bool fits, const char* what = "shape does not fit") {
  if (!fits) throw std::invalid_argument(what);
}

inline void check_words(const int32_t* words, size_t n, int64_t vocabulary) {
  uint32_t largest = 0;  // a negative number is larger than any word
  for (size_t i = 0; i < n; ++i) largest = std::max(largest, static_cast<uint32_t>(words[i]));
  check(n == 0 || largest < vocabulary, "word out of range");
}

}  // namespace nlmt::neural
