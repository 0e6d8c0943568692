// Phrase pairs consistent with a word alignment (Och and Ney 2004), and how each is oriented
// towards its neighbours (Tillmann 2004; Koehn et al. 2005).

#pragma once

#include <cstdint>
#include <vector>

#include "bitext.h"

namespace nlmt::phrases {

// A phrase pair's alignment is a set of bits, target position * 7 + source position.
constexpr uint32_t kLongestPhrase = 7;

// How a phrase follows the one before it, or precedes the one after it, on the target side: on
// the source side it is next to it in the same order, in swapped order, or elsewhere.
enum Orientation : uint8_t { kMonotone, kSwap, kOther };

struct PhrasePair {
  uint32_t source_begin, source_length, target_begin, target_length;
  uint64_t alignment;
  Orientation previous, next;
};

// Which phrase pairs of a sentence pair are extracted.
struct Extraction {
  bool tuples;          // one for each tuple, not all that are consistent
  uint32_t max_length;  // words on either side
};

// Appends the phrase pairs of a sentence pair to `pairs`. `links` are sorted by target, then source
// position.
//
// For each tuple (nlmt::tuples) it is the smallest phrase pair that has all its words and that no
// link leaves: the tuple itself, unless other words stand between its source words. A source word
// without links is a pair without target words. Orientations are towards other tuples, dropped
// words included, as in the search (Crego, Mariño and Yvon 2011): towards words, a dropped word
// would have no neighbour. Nothing comes from a sentence pair without links.
void extract(const std::vector<Link>& links, uint32_t source_length, uint32_t target_length,
             const Extraction& extraction, std::vector<PhrasePair>& pairs);

}  // namespace nlmt::phrases
