// Makes eflomal reproducible. Its generator is seeded with eight bytes read from /dev/urandom, and
// no option changes that; loaded into it with LD_PRELOAD, this library answers that one request
// with a stream that NLMT_ALIGNMENT_SEED determines, and passes on every other request.

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace {

// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): neighbouring seeds give dissimilar
// states. It maps only one seed to zero, a state that eflomal's generator would never leave.
uint64_t mix(uint64_t seed) {
  uint64_t x = seed + 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  x ^= x >> 31;
  return x ? x : 1;
}

FILE* seeded_stream(const char* seed) {
  static thread_local uint64_t state;  // outlives the stream; each direction opens its own
  state = mix(strtoull(seed, nullptr, 10));
  FILE* stream = fmemopen(&state, sizeof state, "rb");
  if (stream == nullptr) abort();  // eflomal would go on with the time of day
  return stream;
}

}  // namespace

extern "C" FILE* fopen(const char* path, const char* mode) {
  const char* seed = getenv("NLMT_ALIGNMENT_SEED");
  if (seed != nullptr && strcmp(path, "/dev/urandom") == 0) return seeded_stream(seed);
  using Open = FILE* (*)(const char*, const char*);
  static const Open next = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "fopen"));
  return next(path, mode);
}
