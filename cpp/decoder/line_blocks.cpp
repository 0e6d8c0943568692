#include "line_blocks.h"

#include <algorithm>

#include "utf8.h"

namespace nlmt::decoder {
namespace {

constexpr std::size_t kBlockBytes = 2 << 20;

}  // namespace

LineBlockReader::LineBlockReader(const std::string& path)
    : bytes_(static_cast<double>(file_size(path))), lines_(path) {}

std::optional<LineBlock> LineBlockReader::next() {
  LineBlock block{{}, static_cast<std::size_t>(lines_.number()) + 1, 1};
  block.text.reserve(kBlockBytes + kBlockBytes / 64);
  while (block.text.size() < kBlockBytes && lines_.next()) {
    block.text.append(lines_.line());
    block.text += '\n';
  }
  if (block.text.empty()) return std::nullopt;
  block.read = std::min(1.0, std::max(1.0, static_cast<double>(lines_.position())) / bytes_);
  return block;
}

void check_text(const LineBlock& block, const std::string& path) {
  const std::size_t nul = std::min(block.text.find('\0'), block.text.size());
  const std::size_t good = std::min(nul, utf8_prefix(block.text));
  if (good == block.text.size()) return;
  const auto lines = std::count(block.text.begin(), block.text.begin() + good, '\n');
  throw not_utf8(path, static_cast<std::int64_t>(block.first_line) + lines, good == nul);
}

}  // namespace nlmt::decoder
