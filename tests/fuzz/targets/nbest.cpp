// An n-best list, plain or gzip, block by block.
#include "io/nbest_reader.h"
#include "memory_file.h"

using namespace nlmt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  try {
    io::NbestReader reader(file.path(), true);
    for (bool more = true; more;) {
      io::NbestBlock block;
      more = reader.read(256, size % 2 == 0, [] {}, block);
    }
  } catch (const InputError&) {
  }
  return 0;
}
