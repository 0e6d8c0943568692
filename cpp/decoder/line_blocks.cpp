#include "line_blocks.h"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "../io/files.h"

namespace nlmt::decoder {
namespace {

constexpr std::size_t kBlockBytes = 2 << 20;

// Position of the first byte that is not well-formed UTF-8, or the size.
std::size_t valid_utf8_prefix(const std::string& text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  const std::size_t size = text.size();
  std::size_t at = 0;
  while (at < size) {
    std::uint64_t eight;
    if (at + 8 <= size && (std::memcpy(&eight, bytes + at, 8), !(eight & 0x8080808080808080ULL))) {
      at += 8;
      continue;
    }
    const unsigned char lead = bytes[at];
    if (lead < 0x80) {
      ++at;
      continue;
    }
    const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4 || at + more >= size) return at;
    for (int i = 1; i <= more; ++i) {
      if ((bytes[at + i] & 0xc0) != 0x80) return at;
    }
    const unsigned char second = bytes[at + 1];
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) {
      return at;
    }
    at += more + 1;
  }
  return size;
}

}  // namespace

void LineBlockReader::Close::operator()(void* file) const { gzclose(static_cast<gzFile>(file)); }

LineBlockReader::LineBlockReader(const std::string& path) : path_(path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    throw InputError("no such file", path);
  }
  bytes_ = static_cast<double>(status.st_size);
  file_.reset(gzopen(path.c_str(), "rb"));
  if (!file_) throw InputError("cannot be opened", path);
  gzbuffer(static_cast<gzFile>(file_.get()), 1 << 18);
}

std::optional<LineBlock> LineBlockReader::next() {
  const auto file = static_cast<gzFile>(file_.get());
  LineBlock block{std::move(rest_), line_, 1};
  rest_.clear();
  while (true) {
    const std::size_t had = block.text.size();
    block.text.resize(had + kBlockBytes);
    const int got = gzread(file, block.text.data() + had, kBlockBytes);
    int status = Z_OK;
    gzerror(file, &status);
    block.text.resize(had + std::max(got, 0));
    if (got < 0 || (status != Z_OK && status != Z_STREAM_END)) {
      const auto lines = std::count(block.text.begin(), block.text.end(), '\n');
      throw InputError("damaged or truncated gzip file", path_, line_ + lines, "make it again");
    }
    if (got == 0) break;
    const std::size_t newline = block.text.rfind('\n');
    if (newline == std::string::npos) continue;
    rest_ = block.text.substr(newline + 1);
    block.text.resize(newline + 1);
    break;
  }
  if (block.text.empty()) return std::nullopt;
  block.read = std::min(1.0, std::max(1.0, static_cast<double>(gzoffset(file))) / bytes_);
  line_ += std::count(block.text.begin(), block.text.end(), '\n');
  return block;
}

void check_utf8(const LineBlock& block, const std::string& path) {
  const std::size_t good = valid_utf8_prefix(block.text);
  if (good == block.text.size()) return;
  const auto lines = std::count(block.text.begin(), block.text.begin() + good, '\n');
  const io::BadInput found =
      io::not_utf8(path, static_cast<std::int64_t>(block.first_line) + lines);
  throw InputError(found.what(), path, static_cast<std::size_t>(found.line), found.hint);
}

}  // namespace nlmt::decoder
