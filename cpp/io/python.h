// Errors of the modules in this folder, as exceptions of Python.
#pragma once

#include <cerrno>

#include "files.h"
#include "numpy.h"

namespace nlmt::io {

// A message that may quote bytes of a damaged file, which need not be UTF-8.
inline nb::object message_text(const std::string& bytes) {
  return nb::steal(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

// For nb::register_exception_translator.
inline void translate_errors(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const BadInput& error) {
    const nb::object type = nb::module_::import_("nlmt.errors").attr("InputError");
    const nb::object line = error.line == 0 ? nb::none() : nb::cast(error.line);
    const nb::object value =
        type(message_text(error.what()), nb::arg("path") = error.path, nb::arg("line") = line,
             nb::arg("hint") = message_text(error.hint));
    PyErr_SetObject(type.ptr(), value.ptr());
  } catch (const SystemError& error) {
    errno = error.number;
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, error.path.c_str());
  }
}

}  // namespace nlmt::io
