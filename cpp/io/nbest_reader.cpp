#include "nbest_reader.h"

#include <limits>

#include "text.h"
#include "utf8.h"

namespace nlmt::io {
namespace {

constexpr int64_t kPollLines = 1 << 15;

// Refuses what is no text in the line at `place`.
void check_text(std::string_view text, const LineReader& place) {
  const bool nul = text.find('\0') != text.npos;
  if (nul || !is_utf8(text)) throw not_utf8(place.path(), place.number(), nul);
}

}  // namespace

NbestReader::NbestReader(const std::string& path, bool keep_rest)
    : lines_({path}, std::numeric_limits<int64_t>::max()),
      keep_rest_(keep_rest),
      has_line_(lines_.next()) {}

bool NbestReader::read(int64_t bytes, bool whole_sentences, const std::function<void()>& poll,
                       NbestBlock& block) {
  block.offsets.push_back(0);
  if (keep_rest_) block.rest_offsets.push_back(0);
  int64_t read = 0;
  while (has_line_) {
    if (read >= bytes && (!whole_sentences || block.sentence.back() != lines_.line().sentence))
      break;
    read += static_cast<int64_t>(lines_.place().line().size()) + 1;
    append(lines_.line(), block);
    if (block.sentence.size() % kPollLines == 0) poll();
    has_line_ = lines_.next();
  }
  return !block.sentence.empty();
}

void NbestReader::append(const NbestLine& line, NbestBlock& block) {
  const LineReader& place = lines_.place();
  block.sentence.push_back(line.sentence);
  std::string_view text = line.hypothesis;
  for (std::string_view word = next_token(text); !word.empty(); word = next_token(text)) {
    const int32_t known = block.words.size();
    block.ids.push_back(block.words.add(word));
    if (block.ids.back() == known) check_text(word, place);
  }
  block.offsets.push_back(static_cast<int64_t>(block.ids.size()));
  const size_t width = static_cast<size_t>(layout().width());
  block.features.resize(block.features.size() + width);
  read_features(line, place, layout(), block.features.data() + block.features.size() - width);
  block.totals.push_back(read_number(line.total, place));
  if (keep_rest_) {
    check_text(line.rest, place);
    block.rest.append(line.rest);
    block.rest_offsets.push_back(static_cast<int64_t>(block.rest.size()));
  }
}

}  // namespace nlmt::io
