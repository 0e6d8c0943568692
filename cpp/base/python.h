// Arrays to and from numpy, errors as exceptions of Python, and Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "errors.h"

namespace nlmt {

namespace nb = nanobind;
using namespace nb::literals;

template <typename T, int kDimensions>
using Array = nb::ndarray<const T, nb::ndim<kDimensions>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Array1 = Array<T, 1>;
template <typename T>
using Array2 = Array<T, 2>;

template <typename T, typename... Form>
std::vector<T> to_vector(const nb::ndarray<const T, Form...>& array) {
  return {array.data(), array.data() + array.size()};
}

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

// Throws unless the offsets of rows run from 0 to the number of `values` and never fall.
inline void check_offsets(const Array1<std::int64_t>& offsets, std::size_t values) {
  const std::int64_t* const first = offsets.data();
  const std::int64_t* const end = first + offsets.size();
  if (first == end || *first != 0 || end[-1] != static_cast<std::int64_t>(values) ||
      !std::is_sorted(first, end)) {
    throw std::invalid_argument("offsets must rise from 0 to the number of values");
  }
}

// Returns the result of a call, which does not need Python, while other threads have it.
template <class Call>
auto without_gil(const Call& call) {
  const nb::gil_scoped_release release;
  return call();
}

// Lets Ctrl-C through.
inline void poll_signals() {
  nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// For nb::register_exception_translator.
inline void translate_errors(const std::exception_ptr& pointer, void*) {
  // A message may quote bytes of a damaged file, which need not be UTF-8.
  const auto text = [](const std::string& bytes) {
    return nb::steal(
        PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
  };
  try {
    std::rethrow_exception(pointer);
  } catch (const InputError& error) {
    const nb::object type = nb::module_::import_("nlmt.errors").attr("InputError");
    const nb::object path = error.path.empty() ? nb::none() : nb::cast(error.path);
    const nb::object line = error.line == 0 ? nb::none() : nb::cast(error.line);
    const nb::object value =
        type(text(error.what()), "path"_a = path, "line"_a = line, "hint"_a = text(error.hint));
    PyErr_SetObject(type.ptr(), value.ptr());
  } catch (const SystemError& error) {
    errno = error.number;
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, error.path.c_str());
  } catch (const std::system_error& error) {  // for example, a thread cannot be started
    errno = error.code().value();
    PyErr_SetFromErrno(PyExc_OSError);
  }
}

}  // namespace nlmt
