#include "nbest_rewriter.h"

#include <algorithm>
#include <cmath>

#include "gzip.h"
#include "nbest_lines.h"
#include "text.h"
#include "word_table.h"

namespace nlmt::io {
namespace {

constexpr int64_t kPollLines = 1 << 15;
constexpr int kKept = -1;
const char kChanged[] = "the list has changed since it was scored";

// The number that a reader of the new list will see for `value`, with which totals must agree.
double as_written(double value) {
  std::string text;
  append_number(value, text);
  parse_number(text, value);
  return value;
}

// The changes to the features of one list.
class Edits {
 public:
  Edits(const Rewriting& rewriting, const Layout& layout, const LineReader& lines)
      : rewriting_(rewriting), mark_(layout.mark) {
    for (const Label& label : rewriting.written) {
      first_column_.push_back(columns_);
      columns_ += label.width;
    }
    std::vector<bool> placed(rewriting.written.size(), false);
    for (const Label& label : layout.labels) {
      widths_.push_back(label.width);
      actions_.push_back(action_of(label, lines));
      if (actions_.back() >= 0) placed[actions_.back()] = true;
    }
    for (size_t i = 0; i < placed.size(); ++i) {
      if (!placed[i]) appended_.push_back(static_cast<int>(i));
    }
    int64_t values = columns_;
    for (size_t i = 0; i < actions_.size(); ++i) values += actions_[i] == kKept ? widths_[i] : 0;
    const auto weights = static_cast<int64_t>(rewriting.weights.size());
    if (weights > 0 && weights != values) {
      throw InputError(
          std::to_string(values) + " values, but " + std::to_string(weights) + " weights",
          lines.path(), lines.number(), kChanged);
    }
  }

  int64_t columns() const { return columns_; }

  // Appends the new features of a line to `text`; returns their product with the weights, if any.
  double apply(std::string_view features, const std::vector<size_t>& starts, const double* old,
               const double* added, std::string& text) const {
    const double* weight = rewriting_.weights.empty() ? nullptr : rewriting_.weights.data();
    double total = 0;
    const auto count = [&](const double* values, int64_t width) {
      if (!weight) return;
      for (int64_t i = 0; i < width; ++i) total += *weight++ * values[i];
    };
    for (size_t i = 0; i < actions_.size(); ++i) {
      const size_t end = i + 1 < starts.size() ? starts[i + 1] : features.size();
      if (actions_[i] == kKept) {
        // With the space after it, if there is one.
        text.append(features.substr(starts[i], end - starts[i]));
        count(old, widths_[i]);
      } else {
        write(actions_[i], added, text);
        count(added + first_column_[actions_[i]], widths_[i]);
        if (i + 1 < starts.size()) text += ' ';
      }
      old += widths_[i];
    }
    for (int i : appended_) {
      text += ' ';
      write(i, added, text);
      count(added + first_column_[i], rewriting_.written[i].width);
    }
    return total;
  }

 private:
  int action_of(const Label& label, const LineReader& lines) const {
    for (size_t i = 0; i < rewriting_.written.size(); ++i) {
      if (rewriting_.written[i].name != label.name) continue;
      if (rewriting_.written[i].width != label.width) {
        throw InputError("the list's " + label.name + " has " + std::to_string(label.width) +
                             " values, the new one " + std::to_string(rewriting_.written[i].width),
                         lines.path(), lines.number(), "choose another label");
      }
      return static_cast<int>(i);
    }
    return kKept;
  }

  void write(int i, const double* added, std::string& text) const {
    const Label& label = rewriting_.written[i];
    text += label.name;
    text += mark_;
    for (int64_t k = 0; k < label.width; ++k) {
      text += ' ';
      append_number(added[first_column_[i] + k], text);
    }
  }

  const Rewriting& rewriting_;
  char mark_;
  int64_t columns_ = 0;
  std::vector<int64_t> first_column_;  // of each written label, in the values
  std::vector<int64_t> widths_;        // of each old label
  std::vector<int> actions_;           // of each old label: kKept, or the written one it becomes
  std::vector<int> appended_;
};

// The lines of one sentence, collected for sorting.
class SentenceLines {
 public:
  // `line` ends in its newline; its words are `words_size` bytes from `words_begin` on.
  void add(double total, std::string_view line, size_t words_begin, size_t words_size) {
    const size_t begin = text_.size();
    text_.append(line);
    lines_.push_back({total, begin, line.size(), begin + words_begin, words_size});
  }

  // Writes the best `size` lines, the highest total first, equal ones in their order, and forgets
  // all. With `distinct`, writes only the best of lines with the same words.
  void flush(int64_t size, bool distinct, GzipWriter& out) {
    std::stable_sort(lines_.begin(), lines_.end(),
                     [](const Line& a, const Line& b) { return a.total > b.total; });
    const std::string_view text = text_;
    WordTable seen;  // hypotheses, with one blank after each word
    std::string key;
    int64_t written = 0;
    for (const Line& line : lines_) {
      if (written == size) break;
      if (distinct) {
        key.clear();
        std::string_view rest = text.substr(line.words_begin, line.words_size);
        for (auto word = next_token(rest); !word.empty(); word = next_token(rest)) {
          key.append(word) += ' ';
        }
        const int32_t known = seen.size();
        if (seen.add(key) < known) continue;
      }
      out.write(text.substr(line.begin, line.size));
      ++written;
    }
    lines_.clear();
    text_.clear();
  }

 private:
  struct Line {
    double total;
    size_t begin, size;  // in text_
    size_t words_begin, words_size;
  };

  std::vector<Line> lines_;
  std::string text_;
};

}  // namespace

int64_t rewrite_nbest(const std::vector<std::string>& inputs, const std::string& output,
                      const Rewriting& rewriting, const std::function<void()>& poll) {
  NbestLines lines(inputs, rewriting.first);
  GzipWriter out(output);
  int64_t row = 0;
  if (lines.next()) {
    const Layout& layout = lines.layout();
    const Edits edits(rewriting, layout, lines.place());
    std::vector<double> old(static_cast<size_t>(layout.width()));
    std::vector<double> added(static_cast<size_t>(edits.columns()));
    std::vector<size_t> starts;
    std::string text;
    SentenceLines held;
    for (bool more = true; more;) {
      const NbestLine line = lines.line();
      const LineReader& place = lines.place();
      if (edits.columns() > 0 && row == rewriting.hypotheses) {
        throw InputError("more hypotheses than new scores", place.path(), place.number(), kChanged);
      }
      read_features(line, place, layout, old.data(), &starts);
      const char* const begin = place.line().data();
      const char* const end = begin + place.line().size();
      const double* values = rewriting.values + row * edits.columns();
      std::transform(values, values + edits.columns(), added.begin(), as_written);
      text.assign(begin, line.features.data());
      double total = edits.apply(line.features, starts, old.data(), added.data(), text);
      const char* const features_end = line.features.data() + line.features.size();
      text.append(features_end, line.total.data());
      if (rewriting.weights.empty()) {
        total = read_number(line.total, place);
        text.append(line.total);
      } else {
        if (!std::isfinite(total)) {
          throw InputError("the new total is not a finite number", place.path(), place.number(),
                           "a weight or a score is too large");
        }
        append_number(total, text);
      }
      text.append(line.total.data() + line.total.size(), end);
      // A sorted list may move its last line up, which then needs the newline it lacked.
      if (place.has_newline() || rewriting.sorted) text += '\n';
      if (rewriting.sorted) {
        held.add(total, text, line.hypothesis.data() - begin, line.hypothesis.size());
      } else {
        out.write(text);
      }
      if (++row % kPollLines == 0) poll();
      more = lines.next();
      if (rewriting.sorted && (!more || lines.line().sentence != line.sentence)) {
        held.flush(rewriting.size, rewriting.distinct, out);
      }
    }
  }
  if (!rewriting.written.empty() && row != rewriting.hypotheses) {
    throw InputError("fewer hypotheses than new scores", inputs.front(), row, kChanged);
  }
  out.close();
  return row;
}

}  // namespace nlmt::io
