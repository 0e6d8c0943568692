// Links of a word alignment, as text: "0-0 1-2", source-target, positions from 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "text.h"

namespace nlmt {

struct Link {
  uint32_t source, target;
  // By target, then source position.
  bool operator<(const Link& other) const {
    return target != other.target ? target < other.target : source < other.source;
  }
  bool operator==(const Link& other) const {
    return source == other.source && target == other.target;
  }
};

// Reads a link such as 0-1; false for anything else.
inline bool parse_link(std::string_view token, Link& link) {
  const size_t dash = token.find('-');
  return dash != token.npos && parse_number(token.substr(0, dash), link.source) &&
         parse_number(token.substr(dash + 1), link.target);
}

// The error for links, as `0-1`, that lie outside the sentences.
inline std::invalid_argument outside(const std::string& what, uint32_t source_length,
                                     uint32_t target_length) {
  return std::invalid_argument(what + " lies outside the pair of " + std::to_string(source_length) +
                               " and " + std::to_string(target_length) + " words");
}

// Sorts the items from number `first` on, and drops repeated ones.
template <class Item>
void sort_distinct(std::vector<Item>& items, size_t first = 0) {
  std::sort(items.begin() + first, items.end());
  items.erase(std::unique(items.begin() + first, items.end()), items.end());
}

// Appends the links of `line` to `links`, in order, none twice; throws std::invalid_argument that
// names a link which is malformed or is outside the sentences.
inline void parse_links(std::string_view line, uint32_t source_length, uint32_t target_length,
                        std::vector<Link>& links) {
  const size_t first = links.size();
  for (auto token = next_token(line); !token.empty(); token = next_token(line)) {
    if (token == "|||") {
      throw std::invalid_argument("a column behind the links, as the scores of fast_align -s");
    }
    Link link;
    if (!parse_link(token, link)) {
      throw std::invalid_argument("'" + std::string(token) + "' is not a link such as 0-1");
    }
    if (link.source >= source_length || link.target >= target_length) {
      throw outside("link " + std::string(token), source_length, target_length);
    }
    links.push_back(link);
  }
  sort_distinct(links, first);
}

// Parses a segmentation into phrases, `0-1=0-2 2=3`: every word of a phrase is linked to all words
// of its other side. For a phrase without target words Moses writes the place where the next one
// begins.
inline void parse_phrases(std::string_view line, uint32_t source_length, uint32_t target_length,
                          std::vector<Link>& links) {
  struct Phrase {
    uint32_t source, source_last, target, target_last;
  };
  std::vector<Phrase> phrases;
  for (auto token = next_token(line); !token.empty(); token = next_token(line)) {
    const size_t sign = std::min(token.find('='), token.size());
    const std::string_view target = token.substr(std::min(sign + 1, token.size()));
    Phrase phrase;
    if (!parse_range(token.substr(0, sign), phrase.source, phrase.source_last) ||
        !parse_range(target, phrase.target, phrase.target_last)) {
      throw std::invalid_argument("'" + std::string(token) + "' is not a phrase such as 0-1=0-2");
    }
    const bool at_end = phrase.target == target_length && phrase.target_last == target_length;
    if (phrase.source_last >= source_length || (phrase.target_last >= target_length && !at_end)) {
      throw outside("phrase " + std::string(token), source_length, target_length);
    }
    phrases.push_back(phrase);
  }
  const size_t first = links.size();
  for (size_t i = 0; i < phrases.size(); ++i) {
    const Phrase& phrase = phrases[i];
    const uint32_t next = i + 1 < phrases.size() ? phrases[i + 1].target : target_length;
    if (phrase.target == next || phrase.target == target_length) continue;
    for (uint32_t t = phrase.target; t <= phrase.target_last; ++t) {
      for (uint32_t s = phrase.source; s <= phrase.source_last; ++s) links.push_back({s, t});
    }
    // Few bytes must not give any number of links.
    if (links.size() - first > uint64_t{source_length} * target_length) {
      throw std::invalid_argument("the phrases overlap");
    }
  }
  sort_distinct(links, first);
}

}  // namespace nlmt
