// Counts and numbers of 32 bits.
#pragma once

#include <cstdint>
#include <string>

#include "errors.h"

namespace nlmt {

// Adds to a count. Raises InputError where it would wrap.
inline void add_count(std::uint32_t& count, std::uint32_t more) {
  if (more > ~std::uint32_t(0) - count) {
    throw InputError("something occurs 2^32 times or more", "", 0, "give less text");
  }
  count += more;
}

// Raises InputError, with this message and hint, where there are too many things to number: the
// last number stands for none.
inline void check_numbered(std::uint64_t things, const char* what, const char* hint,
                           const std::string& path = "") {
  if (things >= ~std::uint32_t(0)) throw InputError(what, path, 0, hint);
}

}  // namespace nlmt
