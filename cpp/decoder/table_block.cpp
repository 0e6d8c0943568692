#include "table_block.h"

#include <algorithm>
#include <string_view>

#include "links.h"
#include "probability.h"
#include "text.h"

namespace nlmt::decoder {
namespace {

constexpr std::string_view kBar = "|||";
constexpr std::string_view kAfterSource = " ||| ";
constexpr std::size_t kMaxPhraseLength = 255;  // a position in a phrase is one byte

class LineParser {
 public:
  LineParser(const LineBlock& block, const TableFormat& format) : format_(format), block_(block) {}

  TableBlock parse() {
    parsed_.read = block_.read;
    std::string_view text = block_.text;
    for (line_ = block_.first_line; !text.empty(); ++line_) {
      rest_ = next_line(text);
      parse_line();
    }
    return std::move(parsed_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint = "") const {
    throw InputError(what, format_.path, line_, hint);
  }

  // The next token of the field; false at its end, whose bars are passed.
  bool next(std::string_view& token) {
    const char *at = rest_.data(), *const end = at + rest_.size();
    while (at != end && *at == ' ') ++at;
    const char* const begin = at;
    while (at != end && *at != ' ') ++at;
    rest_.remove_prefix(static_cast<std::size_t>(at - rest_.data()));
    if (at == begin) return false;
    token = {begin, static_cast<std::size_t>(at - begin)};
    if (token != kBar) return true;
    ++bars_;
    return false;
  }

  void parse_line() {
    bars_ = 0;
    parse_source();
    TableBlock::Line line{};
    line.source = static_cast<std::uint32_t>(parsed_.sources.size() - 1);
    line.target_begin = static_cast<std::uint32_t>(parsed_.target_words.size());
    line.alignment_begin = static_cast<std::uint32_t>(parsed_.alignment.size());
    std::string_view token;
    if (format_.has_target) {
      while (next(token)) parsed_.target_words.push_back(parsed_.words.add(token));
      line.target_length =
          static_cast<std::uint32_t>(parsed_.target_words.size()) - line.target_begin;
      if (line.target_length > kMaxPhraseLength) fail("a target phrase of over 255 words");
    }
    const int before_scores = format_.has_target ? 2 : 1;
    if (bars_ != before_scores) {
      fail("a table line needs source ||| target ||| scores, this has too few fields");
    }
    parse_scores();
    if (bars_ > before_scores) {
      while (next(token)) parse_alignment(token, line.target_length);
    }
    const auto points = parsed_.alignment.begin() + line.alignment_begin;
    std::sort(points, parsed_.alignment.end());
    line.alignment_length =
        static_cast<std::uint32_t>(parsed_.alignment.size()) - line.alignment_begin;
    parsed_.lines.push_back(line);
  }

  void parse_source() {
    if (!parsed_.sources.empty() && rest_.compare(0, last_source_.size(), last_source_) == 0) {
      rest_.remove_prefix(last_source_.size());
      ++bars_;
      return;
    }
    last_source_ = rest_.substr(0, std::min(rest_.find(kAfterSource), rest_.size()));
    last_source_ = rest_.substr(0, last_source_.size() + kAfterSource.size());
    std::vector<WordId> words;
    std::string_view token;
    while (next(token)) words.push_back(parsed_.words.add(token));
    if (words.empty()) fail("no source phrase");
    if (words.size() > kMaxPhraseLength) fail("a source phrase of over 255 words");
    parsed_.sources.push_back(std::move(words));
  }

  void parse_scores() {
    std::string_view token;
    std::size_t count = 0;
    while (next(token)) {
      float score;
      if (!probabilities_.parse(token, score))
        fail("'" + std::string(token) + "' is no probability");
      parsed_.scores.push_back(score);
      ++count;
    }
    if (count != format_.scores) {
      fail(std::to_string(count) + " scores, but " + format_.label +
               " has num-features=" + std::to_string(format_.scores),
           "build the table again or correct moses.ini");
    }
  }

  void parse_alignment(std::string_view token, std::size_t target_length) {
    Link link;
    if (!parse_link(token, link)) fail("'" + std::string(token) + "' is no alignment point");
    if (link.source >= parsed_.sources.back().size() || link.target >= target_length) {
      fail("the alignment point " + std::string(token) + " lies outside the phrases");
    }
    parsed_.alignment.push_back(
        {static_cast<std::uint8_t>(link.source), static_cast<std::uint8_t>(link.target)});
  }

  const TableFormat& format_;
  const LineBlock& block_;
  TableBlock parsed_;
  ProbabilityParser probabilities_;
  std::size_t line_ = 0;
  int bars_ = 0;
  std::string_view rest_;
  std::string_view last_source_;  // with the bars after it
};

}  // namespace

TableBlock parse_table_block(const LineBlock& block, const TableFormat& format) {
  return LineParser(block, format).parse();
}

}  // namespace nlmt::decoder
