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
// names a link which is malformed or lies outside the sentences.
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

}  // namespace nlmt
