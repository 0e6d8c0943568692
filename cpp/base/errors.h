// The errors of all packages; python.h makes exceptions of Python of them.
#pragma once

#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace nlmt {

// A fault that the user can correct; becomes nlmt.errors.InputError.
struct InputError : std::runtime_error {
  explicit InputError(const std::string& what, std::string path = "", std::int64_t line = 0,
                      std::string hint = "")
      : std::runtime_error(what), path(std::move(path)), line(line), hint(std::move(hint)) {}

  std::string path;   // of the file; empty: the fault is in none
  std::int64_t line;  // from 1; 0: the file as a whole
  std::string hint;   // how to correct it
};

// A refusal of the system to open, read or write; becomes OSError with its number and the path.
struct SystemError : std::runtime_error {
  explicit SystemError(std::string path, int number = errno)
      : std::runtime_error(path), path(std::move(path)), number(number) {}

  std::string path;
  int number;
};

}  // namespace nlmt
