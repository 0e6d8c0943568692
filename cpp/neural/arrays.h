// Arrays to Python, and checks of those from it.
#pragma once

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
  for (size_t i = 0; i < n; ++i) {
    check(words[i] >= 0 && words[i] < vocabulary, "word out of range");
  }
}

}  // namespace nlmt::neural
