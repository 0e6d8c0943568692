#include "moses_data.h"

#include <cmath>

#include "errors.h"
#include "lists.h"
#include "text.h"

namespace nlmt::tuning {

MosesData parse_moses_data(std::string_view text, const std::string& kind,
                           const std::string& path) {
  const std::string begin = kind + "_TXT_BEGIN_0", end = kind + "_TXT_END_0";
  MosesData data;
  data.offsets.push_back(0);
  std::string_view line;
  int64_t number = 0;
  const auto next = [&] {
    if (text.empty()) return false;
    line = next_line(text);
    ++number;
    return true;
  };
  const auto fault = [&](const std::string& what, int64_t after = 0) {
    return InputError(what, path, number + after);
  };
  while (next()) {
    const std::string_view tag = next_token(line);
    if (tag.empty()) continue;
    if (tag == kind + "_BIN_BEGIN_0") {
      throw fault("a binary file; write it as text");
    }
    if (tag != begin) {
      throw fault("expected " + begin + ", found " + quoted(tag));
    }
    int64_t sentence = 0, rows = 0, columns = 0;
    if (!parse_number(next_token(line), sentence) || !parse_number(next_token(line), rows) ||
        !parse_number(next_token(line), columns) || sentence < 0 || sentence > INT32_MAX ||
        rows < 0 || columns < 1 || columns > INT32_MAX) {
      throw fault("expected the sentence's number, rows and columns after " + begin);
    }
    std::string names;
    for (auto name = next_token(line); !name.empty(); name = next_token(line)) {
      names += (names.empty() ? "" : " ") + std::string(name);
    }
    if (data.sentence.empty()) {
      data.columns = columns;
      data.names = names;
    } else if (columns != data.columns || names != data.names) {
      throw fault("other columns than in the first block");
    }
    for (int64_t row = 0; row < rows; ++row) {
      if (!next()) {
        throw fault("the file ends within a block", 1);
      }
      for (int64_t column = 0; column < columns; ++column) {
        const std::string_view field = next_token(line);
        double value = 0;
        if (field.empty() || !parse_number(field, value)) {
          throw fault("expected " + std::to_string(columns) + " numbers, found " +
                      (field.empty() ? std::to_string(column) : quoted(field)));
        }
        if (!(std::abs(value) < kTooLarge)) {
          throw fault(quoted(field) + " is not a finite number below 1e30");
        }
        data.values.push_back(value);
      }
      if (const auto extra = next_token(line); !extra.empty()) {
        throw fault("expected " + std::to_string(columns) + " numbers and no more, found " +
                    quoted(extra));
      }
    }
    if (!next() || next_token(line) != end) {
      throw fault("expected " + end + " after " + std::to_string(rows) + " rows");
    }
    data.sentence.push_back(sentence);
    data.offsets.push_back(data.offsets.back() + rows);
  }
  return data;
}

}  // namespace nlmt::tuning
