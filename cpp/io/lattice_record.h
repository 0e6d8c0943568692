// One lattice as bytes; src/nlmt/io/lattice_file.py describes them.
//
// Whole numbers are LEB128. A feature with the same value on all arcs of each phrase is written
// once per phrase; for any other, each distinct value is written once, and arcs refer to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.h"
#include "lattice.h"

namespace nlmt::io {

struct LatticeRecord {
  std::int64_t sentence = 0;
  std::vector<std::int32_t> words;  // the ids that the lattice uses, by first appearance
  std::uint32_t size = 0;           // of the bytes unpacked
  std::string packed;
};

// Raises LatticeDamage if a value is not finite or the lattice is too large for the format.
LatticeRecord pack_lattice(const Lattice& lattice);

// The lattice of `width` values an arc, everything checked; its words are those of the record.
Lattice unpack_lattice(std::string_view packed, std::uint32_t size, std::int64_t sentence,
                       std::size_t width, const std::vector<std::int32_t>& words);

// zlib at the level of the format, and back; the size must fit. Raise LatticeDamage for more bytes
// than as many packed ones may stand for.
std::string deflate_bytes(std::string_view bytes);
std::string inflate_bytes(std::string_view packed, std::uint32_t size);

}  // namespace nlmt::io
