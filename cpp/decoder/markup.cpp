#include "markup.h"

#include <algorithm>

#include "errors.h"
#include "probability.h"
#include "text.h"

namespace nlmt::decoder {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::vector<std::string_view> split_alternatives(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t bars = text.find("||");
    parts.push_back(text.substr(0, bars));
    if (bars == std::string_view::npos) return parts;
    text.remove_prefix(bars + 2);
  }
}

// The text after the last assignment to a name, from its '=' on; empty if there is none.
std::string_view last_assignment(std::string_view text, std::string_view name) {
  for (std::size_t end = text.size(); end >= name.size();) {
    const std::size_t at = text.rfind(name, end - name.size());
    if (at == text.npos) break;
    const bool whole = at == 0 || kSpace.find(text[at - 1]) != kSpace.npos;
    const std::string_view after = trim(text.substr(at + name.size()));
    if (whole && !after.empty() && after.front() == '=') return after;
    end = at + name.size() - 1;
  }
  return {};
}

// Where a double quote ends a value; one after a backslash does not, as in Moses.
std::size_t closing_quote(std::string_view text, std::size_t from) {
  std::size_t at = text.find('"', from);
  while (at != std::string_view::npos && at > from && text[at - 1] == '\\') {
    at = text.find('"', at + 1);
  }
  return at;
}

class Parser {
 public:
  Parser(std::string_view line, const std::string& source, std::size_t number)
      : rest_(line),
        length_(line.size()),
        source_(source),
        number_(number),
        walls_(line.size() + 1) {}

  Markup parse() {
    while (!rest_.empty()) {
      const std::size_t tag = find_tag();
      markup_.text += rest_.substr(0, tag);
      words_ += split_words(rest_.substr(0, tag)).size();
      if (tag == rest_.size()) break;
      rest_.remove_prefix(tag);
      take_tag();
      markup_.text += ' ';
    }
    if (!open_.empty()) fail("is never closed", open_.back().name);
    for (const MarkupSpan& span : markup_.spans) check_inside(span.begin, span.end);
    for (const Zone& zone : markup_.zones) check_inside(zone.begin, zone.end);
    std::int64_t walls = 0;  // that a word is before
    for (std::size_t at = 0; at < words_; ++at) {
      walls += walls_[at];
      if (walls > 0) markup_.walls.push_back(at);
    }
    return std::move(markup_);
  }

 private:
  struct OpenTag {
    std::string name;
    std::string attributes;
    std::size_t begin;
  };

  [[noreturn]] void fail(const std::string& what, std::string_view tag) const {
    throw InputError("markup: <" + std::string(tag) + "> " + what, source_, number_,
                     "fix the markup, or decode with -xml-input pass-through");
  }

  std::size_t find_tag() const {
    for (std::size_t at = rest_.find('<'); at < rest_.size(); at = rest_.find('<', at + 1)) {
      if (at + 1 < rest_.size() && (rest_[at + 1] == '/' || is_letter(rest_[at + 1]))) return at;
    }
    return rest_.size();
  }

  void take_tag() {
    std::size_t end = rest_.find_first_of("\">", 1);
    while (end != std::string_view::npos && rest_[end] == '"') {
      end = closing_quote(rest_, end + 1);
      if (end != std::string_view::npos) end = rest_.find_first_of("\">", end + 1);
    }
    if (end == std::string_view::npos) fail("has no end", rest_.substr(1, rest_.find(' ') - 1));
    std::string_view tag = trim(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    const bool closes = tag.front() == '/';
    if (closes) tag = trim(tag.substr(1));
    const bool empty = !tag.empty() && tag.back() == '/';
    if (empty) tag = trim(tag.substr(0, tag.size() - 1));
    const std::string_view name = tag.substr(0, tag.find_first_of(kSpace));
    if (closes && empty) fail("both closes and is empty", name);
    if (!closes) {
      open_.push_back({std::string(name), std::string(tag.substr(name.size())), words_});
    }
    if (!closes && !empty) return;
    if (open_.empty()) fail("is closed, but was not opened", name);
    const OpenTag opened = std::move(open_.back());
    open_.pop_back();
    if (opened.name != name) fail("is closed by </" + std::string(name) + ">", opened.name);
    finish(opened);
  }

  void finish(const OpenTag& tag) {
    std::size_t begin = tag.begin, end = words_;
    const std::string_view span = attribute(tag, "span");
    if (!span.empty()) read_span(tag, span, begin, end);
    if (tag.name == "wall") {
      // No line has more words than characters.
      end = std::min(end, length_);
      begin = std::min(begin ? begin - 1 : 0, end);
      ++walls_[begin];
      --walls_[end];
    } else if (tag.name == "zone") {
      if (begin >= end) fail("has no words in it", tag.name);
      markup_.zones.push_back({begin, end});
    } else if (tag.name == "ne" || tag.name == "update" || tag.name == "weight-overwrite") {
      fail("is a tag of Moses' that this decoder does not have", tag.name);
    } else {
      add_translations(tag, begin, end);
    }
  }

  void add_translations(const OpenTag& tag, std::size_t begin, std::size_t end) {
    std::string_view given = attribute(tag, "translation");
    if (given.empty()) given = attribute(tag, "english");  // its name in older markup
    const std::string_view probabilities = attribute(tag, "prob");
    if (given.empty()) return;  // some other tag, to be dropped
    if (begin >= end) fail("has no words in it", tag.name);
    const std::vector<std::string_view> texts = split_alternatives(given);
    const std::vector<std::string_view> values = split_alternatives(probabilities);
    if (!probabilities.empty() && values.size() != texts.size()) {
      fail("has " + std::to_string(texts.size()) + " translations, but " +
               std::to_string(values.size()) + " probabilities",
           tag.name);
    }
    MarkupSpan span{begin, end, {}};
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const float score = probabilities.empty() ? 0 : log_probability(tag, trim(values[i]));
      const std::vector<std::string_view> words = split_words(texts[i]);
      span.translations.push_back({{words.begin(), words.end()}, score});
    }
    markup_.spans.push_back(std::move(span));
  }

  float log_probability(const OpenTag& tag, std::string_view text) const {
    float score;
    if (!parse_probability(text, score)) {
      fail("has a prob '" + std::string(text) + "', which is no probability", tag.name);
    }
    return score;
  }

  // "2" or "2-4": words counted from 0.
  void read_span(const OpenTag& tag, std::string_view text, std::size_t& begin,
                 std::size_t& end) const {
    if (!parse_range(text, begin, end)) {
      fail("has a span '" + std::string(text) + "', which is not like 2 or 2-4", tag.name);
    }
    if (end < ~std::size_t{0}) ++end;
  }

  std::string_view attribute(const OpenTag& tag, const std::string& name) const {
    bool unquoted = false;
    std::string_view rest = tag.attributes;
    while (!rest.empty()) {
      const std::size_t quote = std::min(rest.find('"'), rest.size());
      const std::string_view assigned = last_assignment(rest.substr(0, quote), name);
      rest.remove_prefix(quote);
      if (assigned == "=" && !rest.empty()) return rest.substr(1, closing_quote(rest, 1) - 1);
      unquoted = unquoted || !assigned.empty();
      if (!rest.empty()) rest.remove_prefix(std::min(closing_quote(rest, 1), rest.size() - 1) + 1);
    }
    if (unquoted) fail("has no double quotes around its " + name, tag.name);
    return {};
  }

  void check_inside(std::size_t begin, std::size_t end) const {
    if (begin < end && end <= words_) return;
    throw InputError("markup: a span of words " + std::to_string(begin) + "-" +
                         std::to_string(end - 1) + " in a line of " + std::to_string(words_),
                     source_, number_);
  }

  std::string_view rest_;
  std::size_t length_;
  const std::string& source_;
  std::size_t number_;
  std::size_t words_ = 0;
  std::vector<OpenTag> open_;
  std::vector<std::int32_t> walls_;  // by word: walls that begin there, less those that end
  Markup markup_;
};

}  // namespace

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (auto word = next_token(line); !word.empty(); word = next_token(line)) words.push_back(word);
  return words;
}

void add_punctuation_walls(const std::vector<std::string_view>& tokens,
                           std::vector<std::size_t>& walls) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].size() != 1 || std::string_view(",.!?:;\"").find(tokens[i]) == tokens[i].npos) {
      continue;
    }
    if (i > 0 && i + 1 < tokens.size()) walls.push_back(i);
    if (i > 1) walls.push_back(i - 1);
  }
}

Markup parse_markup(std::string_view text, const std::string& source, std::size_t line) {
  return Parser(text, source, line).parse();
}

}  // namespace nlmt::decoder
