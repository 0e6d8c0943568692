// Links of a word alignment, as text: "0-0 1-2", source-target, positions from 0.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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

// Calls `use` with each run of characters that are neither blank nor tab.
template <class Use>
void for_each_field(std::string_view line, Use use) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  for (size_t at = 0; at < line.size();) {
    if (is_space(line[at])) {
      ++at;
      continue;
    }
    const size_t start = at;
    while (at < line.size() && !is_space(line[at])) ++at;
    use(line.substr(start, at - start));
  }
}

// Appends the links of `line` to `links`, in order, none twice; throws std::invalid_argument that
// names a link which is malformed or is outside the sentences.
inline void parse_links(std::string_view line, uint32_t source_length, uint32_t target_length,
                        std::vector<Link>& links) {
  const size_t first = links.size();
  for_each_field(line, [&](std::string_view field) {
    const char *at = field.data(), *const end = at + field.size();
    const auto read = [&](uint32_t& position) {
      const auto [next, error] = std::from_chars(at, end, position);
      at = next;
      return error == std::errc();
    };
    Link link;
    if (!(read(link.source) && at != end && *at++ == '-' && read(link.target) && at == end)) {
      throw std::invalid_argument("'" + std::string(field) + "' is not a link such as 0-1");
    }
    if (link.source >= source_length || link.target >= target_length) {
      throw std::invalid_argument("link " + std::string(field) + " lies outside the pair of " +
                                  std::to_string(source_length) + " and " +
                                  std::to_string(target_length) + " words");
    }
    links.push_back(link);
  });
  std::sort(links.begin() + first, links.end());
  links.erase(std::unique(links.begin() + first, links.end()), links.end());
}

// Parses a segmentation into phrases, `0-1=0-2 2=3`: every word of a phrase is linked to all words
// of its other side. For a phrase without target words Moses writes the place where the next one
// begins.
inline void parse_phrases(std::string_view line, uint32_t source_length, uint32_t target_length,
                          std::vector<Link>& links) {
  struct Span {
    uint32_t first, last;
  };
  struct Phrase {
    Span source, target;
  };
  std::vector<Phrase> phrases;
  for_each_field(line, [&](std::string_view field) {
    const char *at = field.data(), *const end = at + field.size();
    const auto read = [&](Span& span) {
      auto next = std::from_chars(at, end, span.first);
      if (next.ec != std::errc()) return false;
      span.last = span.first;
      if (next.ptr != end && *next.ptr == '-') next = std::from_chars(next.ptr + 1, end, span.last);
      at = next.ptr;
      return next.ec == std::errc() && span.first <= span.last;
    };
    Phrase phrase;
    if (!(read(phrase.source) && at != end && *at++ == '=' && read(phrase.target) && at == end)) {
      throw std::invalid_argument("'" + std::string(field) + "' is not a phrase such as 0-1=0-2");
    }
    const bool empty = phrase.target.first == target_length;
    if (phrase.source.last >= source_length || (phrase.target.last >= target_length && !empty)) {
      throw std::invalid_argument("phrase " + std::string(field) + " lies outside the pair of " +
                                  std::to_string(source_length) + " and " +
                                  std::to_string(target_length) + " words");
    }
    phrases.push_back(phrase);
  });
  const size_t first = links.size();
  for (size_t i = 0; i < phrases.size(); ++i) {
    const auto& [source, target] = phrases[i];
    const uint32_t next = i + 1 < phrases.size() ? phrases[i + 1].target.first : target_length;
    if (target.first == next) continue;
    for (uint32_t t = target.first; t <= target.last; ++t) {
      for (uint32_t s = source.first; s <= source.last; ++s) links.push_back({s, t});
    }
  }
  std::sort(links.begin() + first, links.end());
  links.erase(std::unique(links.begin() + first, links.end()), links.end());
}

}  // namespace nlmt
