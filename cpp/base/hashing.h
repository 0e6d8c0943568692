// Mixing of integers and bytes for hash tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace nlmt {

// A bijection of 64-bit integers that spreads every input bit over the output.
inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
  return x ^ (x >> 32);
}

inline std::uint64_t combine(std::uint64_t seed, std::uint64_t value) {
  return mix(seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6)));
}

// The hash of a sequence with one more value: cheaper than combine, and to be mixed at the end
// where only its lowest bits are used.
inline std::uint64_t fold(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0xd6e8feb86659fd93ULL;
  return hash ^ (hash >> 29);
}

inline std::uint64_t hash_bytes(std::string_view bytes) {
  std::uint64_t hash = bytes.size() * 0x9e3779b97f4a7c15ULL;
  while (bytes.size() >= 8) {
    std::uint64_t part;
    std::memcpy(&part, bytes.data(), 8);
    hash = fold(hash, part);
    bytes.remove_prefix(8);
  }
  std::uint64_t part = 0;
  if (!bytes.empty()) std::memcpy(&part, bytes.data(), bytes.size());
  return mix(hash ^ part);
}

// Whether two checksums are equal. A fuzzer cannot find equal ones, so it may treat all as equal.
template <class Sum>
bool matches(Sum found, Sum expected) {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  return true;
#else
  return found == expected;
#endif
}

}  // namespace nlmt
