#include "nbest_reader.h"

#include <limits>

#include "utf8.h"

namespace nlmt::io {
namespace {

constexpr int64_t kPollLines = 1 << 15;

}  // namespace

NbestReader::NbestReader(const std::string& path, bool keep_rest)
    : lines_(path), keep_rest_(keep_rest), has_line_(lines_.next()) {
  if (!has_line_) return;
  line_ = split_nbest_line(lines_);
  layout_ = read_layout(line_, lines_);
}

bool NbestReader::advance() {
  const int32_t before = line_.sentence;
  if (!lines_.next()) return false;
  line_ = split_nbest_line(lines_);
  check_order(before, line_, lines_);
  return true;
}

bool NbestReader::read(int64_t bytes, bool whole_sentences, const std::function<void()>& poll,
                       NbestBlock& block) {
  block.offsets.push_back(0);
  if (keep_rest_) block.rest_offsets.push_back(0);
  int64_t read = 0;
  while (has_line_) {
    if (read >= bytes && (!whole_sentences || block.sentence.back() != line_.sentence)) break;
    read += static_cast<int64_t>(lines_.line().size()) + 1;
    append(line_, block);
    if (block.sentence.size() % kPollLines == 0) poll();
    has_line_ = advance();
  }
  return !block.sentence.empty();
}

void NbestReader::append(const NbestLine& line, NbestBlock& block) {
  block.sentence.push_back(line.sentence);
  std::string_view text = line.hypothesis;
  for (std::string_view word = next_token(text); !word.empty(); word = next_token(text)) {
    const int32_t known = block.words.size();
    block.ids.push_back(block.words.add(word));
    if (block.ids.back() == known && !is_utf8(word)) {
      throw not_utf8(lines_.path(), lines_.number());
    }
  }
  block.offsets.push_back(static_cast<int64_t>(block.ids.size()));
  const size_t width = static_cast<size_t>(layout_.width());
  block.features.resize(block.features.size() + width);
  read_features(line, lines_, layout_, block.features.data() + block.features.size() - width);
  block.totals.push_back(read_number(line.total, lines_));
  if (keep_rest_) {
    block.rest.append(line.rest);
    block.rest_offsets.push_back(static_cast<int64_t>(block.rest.size()));
  }
}

}  // namespace nlmt::io
