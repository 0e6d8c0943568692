// From an aligned bitext to phrase table and reordering table.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "bitext.h"
#include "extraction.h"
#include "lexicon.h"

namespace nlmt::phrases {

struct TableCounts {
  uint64_t occurrences, phrase_pairs;
};

// Writes both tables, gzip-compressed, in about `memory` bytes in addition to the lexicon; the rest
// goes to temporary files in `folder`. The bytes depend neither on `memory` nor on `threads`.
// `poll` is called periodically, on the calling thread; an exception from it ends the work.
TableCounts write_tables(const EncodedBitext& bitext, const Lexicon& lexicon,
                         const Extraction& extraction, unsigned threads, size_t memory,
                         const std::string& folder, const std::string& phrase_table,
                         const std::string& reordering_table, const std::function<void()>& poll);

}  // namespace nlmt::phrases
