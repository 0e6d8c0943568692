#include "nbest_lines.h"

namespace nlmt::io {

NbestLines::NbestLines(const std::vector<std::string>& paths, int64_t most) : most_(most) {
  const LineReader* first = nullptr;  // of the lists that have lines
  for (const std::string& path : paths) {
    List& list = lists_.emplace_back(path);
    list.has_line = list.lines.next();
    if (!list.has_line) continue;
    list.line = split_nbest_line(list.lines);
    const Layout layout = read_layout(list.line, list.lines);
    if (!first) {
      first = &list.lines;
      layout_ = layout;
    } else if (layout.labels != layout_.labels) {
      throw InputError("other features than in " + first->path() + ": " + describe(layout) +
                           " against " + describe(layout_),
                       path, list.lines.number(),
                       "the lists need the same labels in the same order");
    }
  }
}

void NbestLines::advance(List& list) const {
  do {
    const int32_t before = list.line.sentence;
    list.has_line = list.lines.next();
    if (!list.has_line) return;
    list.line = split_nbest_line(list.lines);
    check_order(before, list.line, list.lines);
    list.rank = list.line.sentence == before ? list.rank + 1 : 0;
  } while (list.rank >= most_);
}

bool NbestLines::next() {
  if (current_) advance(*current_);
  current_ = nullptr;
  for (List& list : lists_) {
    if (!list.has_line) continue;
    if (!current_ || list.line.sentence < current_->line.sentence) current_ = &list;
  }
  return current_ != nullptr;
}

}  // namespace nlmt::io
