// One lattice as bytes, which in a file are compressed; what is read is written and read again.
#include "io/lattice_record.h"

#include <cstdlib>

#include "memory_file.h"

using namespace nlmt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Choice choice(data, size);
  const std::string packed = io::deflate_bytes(choice.rest);
  try {
    const io::Lattice lattice = io::unpack_lattice(
        packed, static_cast<std::uint32_t>(choice.rest.size()), 7, choice.number % 8, {3, 1, 2});
    const io::LatticeRecord record = io::pack_lattice(lattice);
    const io::Lattice again = io::unpack_lattice(record.packed, record.size, record.sentence,
                                                 lattice.width, record.words);
    if (again.to != lattice.to || again.words != lattice.words) std::abort();
  } catch (const io::LatticeDamage&) {
  }
  return 0;
}
