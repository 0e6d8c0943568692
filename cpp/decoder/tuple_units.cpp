#include "tuple_units.h"

#include <utility>

#include "tuples/unfolding.h"

namespace nlmt::decoder {

TupleUnits::TupleUnits(const Vocabulary& vocabulary, FindUnit find)
    : vocabulary_(vocabulary), find_(std::move(find)) {}

float TupleUnits::append(const OptionText& option, std::vector<Unit>& units) const {
  std::vector<std::int32_t> links;
  for (std::size_t i = 0; i < option.link_count; ++i) {
    links.push_back(option.links[i].source);
    links.push_back(option.links[i].target);
  }
  tuples::Unfolding unfolding;
  unfolding.run(static_cast<std::int32_t>(option.source.length),
                static_cast<std::int32_t>(option.target.length), links.data(),
                static_cast<std::int64_t>(option.link_count));
  std::string token;
  for (const tuples::Tuple& tuple : unfolding.tuples()) {
    token.clear();
    for (std::int32_t i = tuple.source_begin; i < tuple.source_end; ++i) {
      if (i > tuple.source_begin) token += '_';
      append_word(option.source, static_cast<std::uint32_t>(unfolding.order()[i]), token);
    }
    token += '=';
    for (std::int32_t i = tuple.target_begin; i < tuple.target_end; ++i) {
      if (i > tuple.target_begin) token += '_';
      append_word(option.target, static_cast<std::uint32_t>(i), token);
    }
    units.push_back(find_(token));
  }
  return 0;
}

// Spells a word as nlmt.tuples.tokens.escape does.
void TupleUnits::append_word(const PhraseWords& words, std::uint32_t place,
                             std::string& token) const {
  const std::string_view word =
      words.spelling ? words.spelling[place] : vocabulary_.word(words.ids[place]);
  for (const char c : word) {
    switch (c) {
      case '%':
        token += "%25";
        break;
      case '=':
        token += "%3D";
        break;
      case '_':
        token += "%5F";
        break;
      default:
        token += c;
    }
  }
}

}  // namespace nlmt::decoder
