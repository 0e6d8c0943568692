// Arrays to and from numpy, and Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <vector>

namespace nlmt {

namespace nb = nanobind;

template <typename T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Array2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Hands a vector over to numpy without a copy.
template <typename T>
nb::object to_numpy(std::vector<T>&& data, std::initializer_list<size_t> shape) {
  auto* held = new std::vector<T>(std::move(data));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(held->data(), shape, owner));
}

template <typename T>
nb::object to_numpy(std::vector<T>&& data) {
  const size_t size = data.size();
  return to_numpy(std::move(data), {size});
}

// Lets Ctrl-C through.
inline void poll_signals() {
  nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace nlmt
