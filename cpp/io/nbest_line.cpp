#include "nbest_line.h"

#include <cmath>
#include <cstring>

#include "text.h"
#include "word_table.h"

namespace nlmt::io {
namespace {

const char kForm[] = "a line is: sentence ||| words ||| Label= number ... ||| total";

[[noreturn]] void fail(const LineReader& lines, const std::string& what, const char* hint = kForm) {
  throw InputError(what, lines.path(), lines.number(), hint);
}

constexpr std::string_view kWordScores = "WordScores=";

// Position of the next separate `|||`, or the end.
size_t find_separator(std::string_view text, size_t from) {
  while (from < text.size()) {
    const void* bar = std::memchr(text.data() + from, '|', text.size() - from);
    if (!bar) break;
    const size_t at = static_cast<const char*>(bar) - text.data();
    size_t after = at;
    while (after < text.size() && text[after] == '|') ++after;
    if (after - at == 3 && (at == 0 || is_blank(text[at - 1])) &&
        (after == text.size() || is_blank(text[after]))) {
      return at;
    }
    from = after;
  }
  return text.size();
}

// The columns of a line, one after the other.
class Columns {
 public:
  explicit Columns(std::string_view text) : text_(text) {}
  bool left() const { return from_ <= text_.size(); }
  std::string_view next() {
    const size_t to = find_separator(text_, from_);
    const std::string_view column = text_.substr(from_, to - from_);
    from_ = to + (to < text_.size() ? 3 : 1);
    return column;
  }
  std::string_view rest() const { return left() ? text_.substr(from_) : std::string_view(); }

 private:
  std::string_view text_;
  size_t from_ = 0;
};

// Whether a token is a label, by its last character.
bool is_label(std::string_view token) { return token.back() == '=' || token.back() == ':'; }

// Whether a column holds features.
bool begins_with_label(std::string_view column) {
  const std::string_view token = next_token(column);
  return !token.empty() && is_label(token);
}

// Whether a column can be a word alignment, of links or of probabilities.
bool is_alignment(std::string_view column) {
  for (auto token = next_token(column); !token.empty(); token = next_token(column)) {
    if (token.front() < '0' || token.front() > '9') return false;
  }
  return true;
}

void check_label(std::string_view token, const LineReader& lines) {
  const std::string_view name = token.substr(0, token.size() - 1);
  bool good = !name.empty() && is_letter(name.front());
  const bool sparse = good && name.find('_') != name.npos;
  for (char c : name) {
    const bool joins = sparse ? c == '_' : c == '-' || c == '.';
    good = good && (is_letter(c) || (c >= '0' && c <= '9') || joins);
  }
  if (!good && sparse) {
    fail(lines, "sparse features are not supported: " + quoted(token), "decode without them");
  }
  if (!good) {
    fail(lines, quoted(token) + " is no feature label",
         "a label is letters, digits, hyphens and full stops, as LM0=");
  }
}

}  // namespace

int64_t Layout::width() const {
  int64_t sum = 0;
  for (const Label& label : labels) sum += label.width;
  return sum;
}

NbestLine split_nbest_line(const LineReader& lines) {
  std::string_view text = lines.line();
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  std::string_view columns[4];
  Columns all(text);
  for (int column = 0; column < 4; ++column) {
    if (!all.left()) {
      fail(lines, "malformed n-best line: " + std::to_string(column) + " of at least 4 columns");
    }
    columns[column] = all.next();
  }
  std::string_view &features = columns[2], &total = columns[3];
  // Marian has the word alignment before the features, Moses behind the total; and Marian may have
  // scores of words, which are no features, as their number varies.
  std::string_view alignment;
  const auto skip = [&] {
    features = total;
    total = all.next();
  };
  if (is_alignment(features) && begins_with_label(total) && all.left()) {
    alignment = features;
    skip();
  }
  if (trimmed(features).substr(0, kWordScores.size()) == kWordScores && begins_with_label(total) &&
      all.left()) {
    skip();
  }
  NbestLine line;
  line.rest = alignment.empty() ? all.rest() : alignment;
  const std::string_view id = trimmed(columns[0]);
  if (!parse_number(id, line.sentence) || line.sentence < 0) {
    fail(lines, quoted(id) + " is no sentence number");
  }
  line.hypothesis = columns[1];
  line.features = trimmed(features);
  line.total = trimmed(total);
  return line;
}

void check_order(int32_t sentence_before, const NbestLine& line, const LineReader& lines) {
  if (line.sentence < sentence_before) {
    fail(lines,
         "sentence " + std::to_string(line.sentence) + " after sentence " +
             std::to_string(sentence_before),
         "the lines of one sentence must be contiguous, and the sentences in order");
  }
}

Layout read_layout(const NbestLine& line, const LineReader& lines) {
  Layout layout;
  WordTable seen;  // the labels
  std::string_view rest = line.features;
  for (std::string_view token = next_token(rest); !token.empty(); token = next_token(rest)) {
    if (is_label(token)) {
      check_label(token, lines);
      if (layout.labels.empty()) layout.mark = token.back();
      std::string name(token.substr(0, token.size() - 1));
      if (seen.add(name) < static_cast<int32_t>(layout.labels.size())) {
        fail(lines, "the label " + quoted(token) + " occurs twice");
      }
      layout.labels.push_back({std::move(name), 0});
    } else {
      if (layout.labels.empty()) fail(lines, "features without a label: " + quoted(line.features));
      read_number(token, lines);
      ++layout.labels.back().width;
    }
  }
  if (layout.labels.empty()) fail(lines, "no features");
  for (const Label& label : layout.labels) {
    if (label.width == 0) fail(lines, "the label '" + label.name + "' has no value");
  }
  return layout;
}

std::string describe(const Layout& layout) {
  std::string text;
  for (const Label& label : layout.labels) {
    text += (text.empty() ? "" : " ") + label.name + "=" + std::to_string(label.width);
  }
  return text;
}

void read_features(const NbestLine& line, const LineReader& lines, const Layout& layout,
                   double* values, std::vector<size_t>* starts) {
  std::string_view rest = line.features;
  if (starts) starts->clear();
  bool same = true;
  for (const Label& label : layout.labels) {
    const std::string_view token = next_token(rest);
    same = token.size() == label.name.size() + 1 && is_label(token) &&
           token.substr(0, label.name.size()) == label.name;
    if (!same) break;
    if (starts) starts->push_back(token.data() - line.features.data());
    for (int64_t i = 0; i < label.width && same; ++i) {
      const std::string_view number = next_token(rest);
      same = !number.empty() && !is_label(number);
      if (same) *values++ = read_number(number, lines);
    }
    if (!same) break;
  }
  if (!same || !next_token(rest).empty()) {
    // Reading the line by itself gives the more specific error if the line is malformed.
    const Layout found = read_layout(line, lines);
    fail(lines,
         "the features differ from those of the lines before: " + describe(found) + " against " +
             describe(layout),
         "every line needs the same labels in the same order; sparse features are not read");
  }
}

double read_number(std::string_view token, const LineReader& lines) {
  double value = 0;
  if (!parse_real(token, value)) fail(lines, quoted(token) + " is no number");
  if (!std::isfinite(value)) {
    fail(lines, quoted(token) + " is not a finite score", "a decoder or scorer went wrong before");
  }
  return value;
}

}  // namespace nlmt::io
