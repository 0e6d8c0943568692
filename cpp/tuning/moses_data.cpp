#include "moses_data.h"

#include <charconv>
#include <cmath>

#include "errors.h"

namespace nlmt::tuning {
namespace {

// Removes and returns the first field of a line; empty at its end.
std::string_view take_field(std::string_view* line) {
  size_t begin = 0;
  while (begin < line->size() && ((*line)[begin] == ' ' || (*line)[begin] == '\t')) ++begin;
  size_t end = begin;
  while (end < line->size() && (*line)[end] != ' ' && (*line)[end] != '\t') ++end;
  const std::string_view field = line->substr(begin, end - begin);
  line->remove_prefix(end);
  return field;
}

template <typename T>
bool parse(std::string_view field, T* value) {
  const auto result = std::from_chars(field.data(), field.data() + field.size(), *value);
  return result.ec == std::errc() && result.ptr == field.data() + field.size();
}

class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  bool next(std::string_view* line) {
    if (text_.empty()) return false;
    const size_t end = std::min(text_.find('\n'), text_.size());
    *line = text_.substr(0, end);
    if (!line->empty() && line->back() == '\r') line->remove_suffix(1);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++number_;
    return true;
  }
  int64_t number() const { return number_; }

 private:
  std::string_view text_;
  int64_t number_ = 0;
};

std::string quoted(std::string_view field) {
  return "'" + std::string(field.substr(0, 40)) + (field.size() > 40 ? "...'" : "'");
}

}  // namespace

MosesData parse_moses_data(std::string_view text, const std::string& kind,
                           const std::string& path) {
  const std::string begin = kind + "_TXT_BEGIN_0", end = kind + "_TXT_END_0";
  MosesData data;
  data.offsets.push_back(0);
  Lines lines(text);
  std::string_view line;
  const auto fault = [&](const std::string& what, int64_t after = 0) {
    return InputError(what, path, lines.number() + after);
  };
  while (lines.next(&line)) {
    const std::string_view tag = take_field(&line);
    if (tag.empty()) continue;
    if (tag == kind + "_BIN_BEGIN_0") {
      throw fault("a binary file; write it as text");
    }
    if (tag != begin) {
      throw fault("expected " + begin + ", found " + quoted(tag));
    }
    int64_t sentence = 0, rows = 0, columns = 0;
    if (!parse(take_field(&line), &sentence) || !parse(take_field(&line), &rows) ||
        !parse(take_field(&line), &columns) || sentence < 0 || sentence > INT32_MAX || rows < 0 ||
        columns < 1) {
      throw fault("expected the sentence's number, rows and columns after " + begin);
    }
    std::string names;
    for (auto name = take_field(&line); !name.empty(); name = take_field(&line)) {
      names += (names.empty() ? "" : " ") + std::string(name);
    }
    if (data.sentence.empty()) {
      data.columns = columns;
      data.names = names;
    } else if (columns != data.columns || names != data.names) {
      throw fault("other columns than in the first block");
    }
    for (int64_t row = 0; row < rows; ++row) {
      if (!lines.next(&line)) {
        throw fault("the file ends within a block", 1);
      }
      for (int64_t column = 0; column < columns; ++column) {
        const std::string_view field = take_field(&line);
        double value = 0;
        if (field.empty() || !parse(field, &value)) {
          throw fault("expected " + std::to_string(columns) + " numbers, found " +
                      (field.empty() ? std::to_string(column) : quoted(field)));
        }
        if (!std::isfinite(value)) {
          throw fault(quoted(field) + " is not a finite number");
        }
        data.values.push_back(value);
      }
      if (const auto extra = take_field(&line); !extra.empty()) {
        throw fault("expected " + std::to_string(columns) + " numbers and no more, found " +
                    quoted(extra));
      }
    }
    if (!lines.next(&line) || take_field(&line) != end) {
      throw fault("expected " + end + " after " + std::to_string(rows) + " rows");
    }
    data.sentence.push_back(sentence);
    data.offsets.push_back(data.offsets.back() + rows);
  }
  return data;
}

}  // namespace nlmt::tuning
