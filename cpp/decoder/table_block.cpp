#include "table_block.h"

#include <chrono>
#include <deque>
#include <future>
#include <optional>
#include <string_view>
#include <utility>

#include "links.h"
#include "probability.h"
#include "text.h"

namespace nlmt::decoder {
namespace {

constexpr std::string_view kBar = "|||";
constexpr std::size_t kMaxPhraseLength = 255;  // a position in a phrase is one byte

// Whether a token is a non-terminal of both sides, as [X][X].
bool is_nonterminal(std::string_view token) {
  return token.front() == '[' && token.back() == ']' && token.find("][") != token.npos;
}

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
    token = next_token(rest_);
    if (token != kBar) return !token.empty();
    ++bars_;
    return false;
  }

  [[noreturn]] void fail_of_fields(std::string_view text) const {
    int all = 0;
    for (std::size_t at = 0; (at = text.find(kBar, at)) != text.npos; at += kBar.size()) ++all;
    fail("a table line needs source ||| target ||| scores, this has too few fields",
         all > bars_ ? "||| needs blanks around it" : "");
  }

  void parse_line() {
    const std::string_view text = rest_;
    bars_ = 0;
    if (!parse_source()) {
      if (bars_ == 0) fail_of_fields(text);
      ++parsed_.left_out.lines;
      return;
    }
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
    if (bars_ != before_scores) fail_of_fields(text);
    parse_scores();
    if (format_.has_links && bars_ > before_scores) {
      while (next(token)) parse_alignment(token, line.target_length);
      find_sparse();
    }
    sort_distinct(parsed_.alignment, line.alignment_begin);
    line.alignment_length =
        static_cast<std::uint32_t>(parsed_.alignment.size()) - line.alignment_begin;
    parsed_.lines.push_back(line);
  }

  // Whether the line has a source phrase.
  bool parse_source() {
    if (!last_source_.empty() && rest_.compare(0, last_source_.size(), last_source_) == 0) {
      rest_.remove_prefix(last_source_.size());
      ++bars_;
      return true;
    }
    const std::string_view text = rest_;
    std::vector<WordId> words;
    std::string_view token, last;
    bool nonterminal = false;
    while (next(token)) {
      words.push_back(parsed_.words.add(token));
      nonterminal = nonterminal || is_nonterminal(token);
      last = token;
    }
    last_source_ = {};
    if (words.empty()) return false;
    if (nonterminal && last.front() == '[' && last.back() == ']') {
      fail("[X][X]: a rule table of a hierarchical model", "give the table of a phrase-based one");
    }
    if (words.size() > kMaxPhraseLength) fail("a source phrase of over 255 words");
    parsed_.sources.push_back(std::move(words));
    if (!rest_.empty()) last_source_ = text.substr(0, text.size() - rest_.size() + 1);
    return true;
  }

  // Looks for sparse features behind the counts that follow the alignment.
  void find_sparse() {
    if (parsed_.left_out.sparse) return;
    std::string_view token;
    while (next(token)) {
    }
    if (next(token)) parsed_.left_out.sparse = line_;
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
  std::string_view last_source_;  // with the bars and the blank after it
};

void warn(const LeftOut& left_out, const std::string& path, std::vector<std::string>& warnings) {
  if (left_out.lines) {
    warnings.push_back(path + ": lines without a source phrase, skipped as by Moses: " +
                       std::to_string(left_out.lines));
  }
  if (left_out.sparse) {
    warnings.push_back(path + ":" + std::to_string(left_out.sparse) +
                       ": sparse features are not supported: those of the table are left out");
  }
}

}  // namespace

TableBlock parse_table_block(const LineBlock& block, const TableFormat& format) {
  return LineParser(block, format).parse();
}

void parse_table(const TableFormat& format, int threads, std::vector<std::string>& warnings,
                 const std::function<void(TableBlock&&)>& append) {
  LineBlockReader reader(format.path);
  const auto read = [&reader] { return reader.next(); };
  LeftOut left_out;
  std::deque<std::future<TableBlock>> waiting;
  const auto take = [&] {
    TableBlock block = waiting.front().get();
    waiting.pop_front();
    left_out.lines += block.left_out.lines;
    if (!left_out.sparse) left_out.sparse = block.left_out.sparse;
    append(std::move(block));
  };
  std::future<std::optional<LineBlock>> ahead = std::async(std::launch::async, read);
  while (std::optional<LineBlock> block = ahead.get()) {
    ahead = std::async(std::launch::async, read);
    waiting.push_back(std::async(std::launch::async, [&format, block = std::move(*block)] {
      check_text(block, format.path);
      return parse_table_block(block, format);
    }));
    while (!waiting.empty() &&
           (waiting.size() > static_cast<std::size_t>(threads) ||
            waiting.front().wait_for(std::chrono::seconds(0)) == std::future_status::ready)) {
      take();
    }
  }
  while (!waiting.empty()) take();
  warn(left_out, format.path, warnings);
}

void renumber_words(TableBlock& block, Vocabulary& vocabulary, bool add) {
  std::vector<WordId> numbers(block.words.size());
  for (WordId id = 0; id < numbers.size(); ++id) {
    const std::string_view word = block.words.word(id);
    numbers[id] = add ? vocabulary.add(word) : vocabulary.find(word);
  }
  for (std::vector<WordId>& source : block.sources) {
    for (WordId& word : source) word = numbers[word];
  }
  for (WordId& word : block.target_words) word = numbers[word];
}

}  // namespace nlmt::decoder
