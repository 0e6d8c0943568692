// Errors that a user can fix; module.cpp converts them to nlmt.errors.InputError and OSError.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace nlmt::decoder {

struct InputError : std::runtime_error {
  InputError(const std::string& what, std::string path = "", std::size_t line = 0,
             std::string hint = "")
      : std::runtime_error(what), path(std::move(path)), line(line), hint(std::move(hint)) {}

  std::string path;
  std::size_t line;  // 0: the whole file
  std::string hint;
};

// A file could not be written; `number` is errno.
struct FileError : std::runtime_error {
  FileError(int number, std::string path)
      : std::runtime_error(path), number(number), path(std::move(path)) {}

  int number;
  std::string path;
};

}  // namespace nlmt::decoder
