// What the modules of this room share: arrays, signals, errors.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cerrno>
#include <vector>

#include "files.h"

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

// For nb::register_exception_translator.
inline void translate_errors(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const BadInput& error) {
    const nb::object type = nb::module_::import_("nlmt.errors").attr("InputError");
    const nb::object line = error.line == 0 ? nb::none() : nb::cast(error.line);
    const nb::object value = type(error.what(), nb::arg("path") = error.path,
                                  nb::arg("line") = line, nb::arg("mend") = error.mend);
    PyErr_SetObject(type.ptr(), value.ptr());
  } catch (const SystemError& error) {
    errno = error.number;
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, error.path.c_str());
  }
}

}  // namespace nlmt
