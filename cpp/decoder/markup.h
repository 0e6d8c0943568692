// Markup in input lines: the user's translations, walls and zones of reordering.
//
//   das ist <np translation="the house||a house" prob="0.8||0.2">das haus</np> <wall/> ...
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nlmt::decoder {

// The treatment of the tables' translations where markup gives others.
enum class MarkupPolicy {
  kPassThrough,  // tags are words like any other
  kIgnore,       // tags are dropped
  kExclusive,    // no other translation may overlap
  kInclusive,    // they compete
  kConstraint,   // others must contain the given one
};

struct MarkupSpan {
  struct Translation {
    std::vector<std::string> words;
    float score;  // natural log, not below kFloor
  };

  std::size_t begin, end;  // source words
  std::vector<Translation> translations;
};

// Source words [begin, end) that must be translated without interruption, once begun.
struct Zone {
  std::size_t begin, end;
};

struct Markup {
  std::string text;  // the line without tags
  std::vector<MarkupSpan> spans;
  std::vector<std::size_t> walls;  // word before each; no word after a wall before all before it
  std::vector<Zone> zones;
};

// The words of a line of input, between blanks and tabs.
std::vector<std::string_view> split_words(std::string_view line);

// Parses a line, not for kPassThrough. Raises InputError with `source` and `line` for tags that are
// malformed, not closed or unknown.
Markup parse_markup(std::string_view text, const std::string& source, std::size_t line);

// Walls before and after punctuation marks, as Moses' -monotone-at-punctuation sets them.
void add_punctuation_walls(const std::vector<std::string_view>& tokens,
                           std::vector<std::size_t>& walls);

}  // namespace nlmt::decoder
