// One line of a Moses n-best list:
//
//   12 ||| the words  ||| LM0= -25.7 TranslationModel0= 0 -2.7 0 -0.2 ||| -4.3 ||| 0-1=0-1 ||| 0-0
//
// that is sentence, hypothesis, features, total, and columns that only some lists have. Older
// lists write `lm: -25.7`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files.h"

namespace nlmt::io {

struct Label {
  std::string name;
  int64_t width;  // how many values follow it

  bool operator==(const Label& other) const { return name == other.name && width == other.width; }
};

// The labels of a list, the same in every line.
struct Layout {
  std::vector<Label> labels;
  char mark = '=';  // end of a label: '=' or, in older lists, ':'

  int64_t width() const;
};

struct NbestLine {
  int32_t sentence;
  // Views into the line. `hypothesis` may have spaces around it, `features` and `total` have none.
  std::string_view hypothesis, features, total;
  std::string_view rest;  // the text after the total's `|||`, if any
};

// Splits a line; throws InputError if it lacks the four columns.
NbestLine split_nbest_line(const LineReader& lines);

// Throws InputError if a line is out of order: sentence numbers of a list never fall.
void check_order(int32_t sentence_before, const NbestLine& line, const LineReader& lines);

// Layout of the features of one line; throws InputError.
Layout read_layout(const NbestLine& line, const LineReader& lines);

// Its labels and widths, for messages.
std::string describe(const Layout& layout);

// Reads the feature values (layout.width() of them) into `values`; with `starts`, also the offset
// in line.features of each label. Throws InputError if the line has other labels than `layout`.
void read_features(const NbestLine& line, const LineReader& lines, const Layout& layout,
                   double* values, std::vector<size_t>* starts = nullptr);

// The value of a whole token; throws InputError unless it is a finite number.
double read_number(std::string_view token, const LineReader& lines);

}  // namespace nlmt::io
