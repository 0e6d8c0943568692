// Runs a target on each input with what it may allocate: 256 MB and 100 times the input.
//
// Memory that KenLM maps is not seen here; libFuzzer's limit of the whole process holds for it.
#include <sanitizer/allocator_interface.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// The target's LLVMFuzzerTestOneInput, which CMakeLists.txt gives this name.
extern "C" int run_one_input(const std::uint8_t* data, std::size_t size);

namespace {

constexpr long kFixed = 256L << 20, kOfEachByte = 100;
std::atomic<long> used{0};  // since the input began; less than 0 where older memory was freed
std::atomic<long> limit{0};  // 0: between inputs

void allocated(const volatile void*, std::size_t size) {
  if (!limit || (used += static_cast<long>(size)) <= limit) return;
  std::fprintf(stderr, "ERROR: %ld bytes allocated at once, limit %ld\n", used.load(),
               limit.exchange(0));
  std::abort();
}

void freed(const volatile void* memory) {
  if (limit && memory) used -= static_cast<long>(__sanitizer_get_allocated_size(memory));
}

const int installed = __sanitizer_install_malloc_and_free_hooks(allocated, freed);

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (!installed) std::abort();
  used = 0;
  limit = kFixed + kOfEachByte * static_cast<long>(size);
  const int result = run_one_input(data, size);
  limit = 0;
  return result;
}
