// A file of lattices, all of them read.
#include "io/lattice_file.h"
#include "memory_file.h"

using namespace nlmt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  try {
    const io::LatticeReader reader(file.path());
    for (std::size_t i = 0; i < reader.size(); ++i) reader.read(i);
  } catch (const InputError&) {
  }
  return 0;
}
