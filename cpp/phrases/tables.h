// From an aligned bitext to phrase table and reordering table.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bitext.h"
#include "lexicon.h"

namespace nlmt {

struct TableCounts {
  uint64_t occurrences, phrase_pairs, sources, targets;
};

// Writes both tables, gzip-compressed. The bytes do not depend on `threads`. `check` is called now
// and then, on the calling thread; what it throws ends the work.
//
// All occurrences stay in memory: 16 bytes each (about 60 a sentence pair of 15 words), twice
// while they are sorted by source phrase, and about 24 bytes for each distinct phrase. A sort in
// runs on disk would replace `sorted_by_source` and leave the rest as it is, since scoring reads
// one source phrase after the other.
TableCounts write_tables(const Bitext& bitext, const Lexicon& lexicon, uint32_t max_length,
                         unsigned threads, const std::string& phrase_table,
                         const std::string& reordering_table, const std::function<void()>& check);

}  // namespace nlmt
