#include "nbest_sentence.h"

#include <algorithm>

#include "nbest_line.h"
#include "word_table.h"

namespace nlmt::io {

void NbestSentence::add(double total, std::string_view line, size_t words_begin,
                        size_t words_size) {
  const size_t begin = text_.size();
  text_.append(line);
  const size_t words = begin + words_begin;
  lines_.push_back({total, begin, text_.size(), words, words + words_size});
}

void NbestSentence::flush(int64_t size, bool distinct, GzipWriter& out) {
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
      std::string_view rest = text.substr(line.words_begin, line.words_end - line.words_begin);
      for (std::string_view word = next_token(rest); !word.empty(); word = next_token(rest)) {
        key.append(word) += ' ';
      }
      const int32_t known = seen.size();
      if (seen.add(key) < known) continue;
    }
    out.write(text.substr(line.begin, line.end - line.begin));
    ++written;
  }
  lines_.clear();
  text_.clear();
}

}  // namespace nlmt::io
