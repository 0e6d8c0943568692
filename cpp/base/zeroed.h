// Arrays of zeros that take memory only where they are touched.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace nlmt {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
template <class T>
using Zeroed = std::unique_ptr<T[], Free>;

template <class T>
Zeroed<T> zeroed(std::size_t size) {
  void* const memory = std::calloc(size, sizeof(T));
  if (!memory) throw std::bad_alloc();
  return Zeroed<T>(static_cast<T*>(memory));
}

}  // namespace nlmt
