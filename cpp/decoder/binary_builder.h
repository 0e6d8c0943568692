// From text tables to a binary table, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nlmt::decoder {

struct BinaryTableCounts {
  std::uint64_t sources, entries, words, without_reordering;
  std::vector<std::string> warnings;  // of the text tables
};

// Reads a phrase table and, where its path is not empty, its reordering table, plain or gzip, in
// any order of lines, and writes the binary table `output`. The numbers of scores are those of the
// first lines. Sorting takes about `memory` bytes, then temporary files in `folder`; in addition
// the vocabulary and the translations of one source phrase are in memory. The bytes do not depend
// on `memory` and `threads`. Calls `poll` periodically; an exception from it ends the work.
//
// Raises InputError with file and line for malformed tables, and SystemError.
BinaryTableCounts build_binary_table(const std::string& phrase_table,
                                     const std::string& reordering_table, const std::string& output,
                                     const std::string& folder, std::size_t memory, int threads,
                                     const std::function<void()>& poll);

}  // namespace nlmt::decoder
