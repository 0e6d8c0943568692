// Counts of 32 bits.
#pragma once

#include <cstdint>

#include "errors.h"

namespace nlmt {

// Adds to a count. Raises InputError where it would wrap.
inline void add_count(std::uint32_t& count, std::uint32_t more) {
  if (more > ~std::uint32_t(0) - count) {
    throw InputError("something occurs 2^32 times or more", "", 0, "give less text");
  }
  count += more;
}

}  // namespace nlmt
