#include "nbest_rewriter.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace nlmt {
namespace {

constexpr int kDigits = 6;  // as Moses prints its scores
constexpr int64_t kPollLines = 1 << 15;
constexpr int kKept = -1, kRemoved = -2;

void append_number(double value, std::string& text) {
  char digits[32];
  const auto end =
      std::to_chars(digits, digits + sizeof(digits), value, std::chars_format::general, kDigits);
  text.append(digits, end.ptr);
}

// What a reader of the new list will find for `value`: totals are to agree with that.
double as_written(double value) {
  std::string text;
  append_number(value, text);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// What becomes of the features of one list.
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
    if (appended_.empty() && std::count(actions_.begin(), actions_.end(), kRemoved) ==
                                 static_cast<int64_t>(actions_.size())) {
      throw BadInput("no feature is left", lines.path(), lines.number(), "remove fewer");
    }
  }

  int64_t columns() const { return columns_; }

  // Appends the new features of a line to `text`; returns their product with the weights, if any.
  double apply(std::string_view features, const std::vector<size_t>& starts, const double* old,
               const double* added, std::string& text) const {
    const double* weight = rewriting_.weights.empty() ? nullptr : rewriting_.weights.data();
    const size_t before = text.size();
    double total = 0;
    const auto count = [&](const double* values, int64_t width) {
      if (!weight) return;
      for (int64_t i = 0; i < width; ++i) total += *weight++ * values[i];
    };
    for (size_t i = 0; i < actions_.size(); ++i) {
      const size_t end = i + 1 < starts.size() ? starts[i + 1] : features.size();
      if (actions_[i] == kKept) {
        // With the space behind it, if one follows.
        text.append(features.substr(starts[i], end - starts[i]));
        count(old, widths_[i]);
      } else if (actions_[i] >= 0) {
        write(actions_[i], added, text);
        count(added + first_column_[actions_[i]], widths_[i]);
        if (i + 1 < starts.size()) text += ' ';
      }
      old += widths_[i];
    }
    for (int i : appended_) {
      if (text.size() > before && text.back() != ' ') text += ' ';
      write(i, added, text);
      count(added + first_column_[i], rewriting_.written[i].width);
    }
    while (text.size() > before && text.back() == ' ') text.pop_back();
    return total;
  }

 private:
  int action_of(const Label& label, const LineReader& lines) const {
    const auto& removed = rewriting_.removed;
    if (std::find(removed.begin(), removed.end(), label.name) != removed.end()) return kRemoved;
    for (size_t i = 0; i < rewriting_.written.size(); ++i) {
      if (rewriting_.written[i].name != label.name) continue;
      if (rewriting_.written[i].width != label.width) {
        throw BadInput("the list's " + label.name + " has " + std::to_string(label.width) +
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
  std::vector<int> actions_;  // of each old label: kKept, kRemoved, or the written one it becomes
  std::vector<int> appended_;
};

// Lines of one sentence, held until all are there.
class SortedLines {
 public:
  void add(double total, std::string_view line) {
    totals_.push_back(total);
    text_.append(line);
    ends_.push_back(text_.size());
  }

  // Writes the best `size` lines.
  void flush(int64_t size, OutputFile& out) {
    std::vector<size_t> order(totals_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return totals_[a] > totals_[b]; });
    if (static_cast<int64_t>(order.size()) > size) order.resize(static_cast<size_t>(size));
    for (size_t i : order) {
      const size_t begin = i == 0 ? 0 : ends_[i - 1];
      out.write(std::string_view(text_).substr(begin, ends_[i] - begin));
    }
    totals_.clear();
    ends_.clear();
    text_.clear();
  }

 private:
  std::vector<double> totals_;
  std::vector<size_t> ends_;
  std::string text_;
};

}  // namespace

int64_t rewrite_nbest(const std::string& input, const std::string& output,
                      const Rewriting& rewriting, const std::function<void()>& poll) {
  LineReader lines(input);
  OutputFile out(output);
  int64_t row = 0;
  if (lines.next()) {
    NbestLine line = split_nbest_line(lines);
    const Layout layout = read_layout(line, lines);
    const Edits edits(rewriting, layout, lines);
    std::vector<double> old(static_cast<size_t>(layout.width()));
    std::vector<double> added(static_cast<size_t>(edits.columns()));
    std::vector<size_t> starts;
    std::string text;
    SortedLines held;
    for (;;) {
      if (edits.columns() > 0 && row == rewriting.hypotheses) {
        throw BadInput("more hypotheses than new scores", lines.path(), lines.number(),
                       "the list has changed since it was scored");
      }
      read_features(line, lines, layout, old.data(), &starts);
      const char* const begin = lines.line().data();
      const char* const end = begin + lines.line().size();
      const double* values = rewriting.values + row * edits.columns();
      std::transform(values, values + edits.columns(), added.begin(), as_written);
      text.assign(begin, line.features.data());
      double total = edits.apply(line.features, starts, old.data(), added.data(), text);
      const char* const features_end = line.features.data() + line.features.size();
      text.append(features_end, line.total.data());
      if (rewriting.weights.empty()) {
        total = read_number(line.total, lines);
        text.append(line.total);
      } else {
        append_number(total, text);
      }
      text.append(line.total.data() + line.total.size(), end);
      // A sorted list may move its last line up, which then needs the newline it lacked.
      if (lines.has_newline() || rewriting.sorted) text += '\n';
      if (rewriting.sorted) {
        held.add(total, text);
      } else {
        out.write(text);
      }
      if (++row % kPollLines == 0) poll();
      const int32_t sentence = line.sentence;
      const bool more = lines.next();
      if (more) {
        line = split_nbest_line(lines);
        check_order(sentence, line, lines);
      }
      if (rewriting.sorted && (!more || line.sentence != sentence)) held.flush(rewriting.size, out);
      if (!more) break;
    }
  }
  if (!rewriting.written.empty() && row != rewriting.hypotheses) {
    throw BadInput("fewer hypotheses than new scores", lines.path(), lines.number(),
                   "the list has changed since it was scored");
  }
  out.close();
  return row;
}

}  // namespace nlmt
