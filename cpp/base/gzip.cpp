#include "gzip.h"

#include <new>

namespace nlmt {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in 32 bits
constexpr int kLevel = 1;
// The largest window, as raw deflate or with gzip's header and trailer.
constexpr int kRaw = -15, kGzip = 15 + 16;
constexpr int kMemory = 8, kMostMemory = 9;

void start(z_stream& stream, int window, int memory) {
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

void give(std::string_view bytes, z_stream& stream) {
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
}

std::string deflate_all(std::string_view text, int window, int flush) {
  constexpr std::size_t kFlushed = 16;  // more than a flush adds to the bound
  z_stream stream{};
  start(stream, window, kMemory);
  std::string compressed(deflateBound(&stream, text.size()) + kFlushed, '\0');
  give(text, stream);
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_out = static_cast<uInt>(compressed.size());
  deflate(&stream, flush);
  compressed.resize(stream.total_out);
  deflateEnd(&stream);
  return compressed;
}

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

}  // namespace

std::string gzip(std::string_view text) {
  if (text.size() > kMost) return gzip(text.substr(0, kMost)) + gzip(text.substr(kMost));
  return deflate_all(text, kGzip, Z_FINISH);
}

GzipWriter::GzipWriter(const std::string& path) : file_(path), compressed_(ends_with(path, ".gz")) {
  pending_.reserve(kChunk);
  packed_.resize(kChunk);
  if (compressed_) start(deflate_, kGzip, kMostMemory);
}

GzipWriter::~GzipWriter() {
  if (compressed_) deflateEnd(&deflate_);
}

void GzipWriter::write(std::string_view bytes) {
  if (pending_.size() + bytes.size() > kChunk) {
    compress(pending_, Z_NO_FLUSH);
    pending_.clear();
  }
  if (bytes.size() > kChunk) {
    compress(bytes, Z_NO_FLUSH);
  } else {
    pending_.append(bytes);
  }
}

void GzipWriter::close() {
  compress(pending_, Z_FINISH);
  file_.close();
}

void GzipWriter::compress(std::string_view bytes, int flush) {
  if (!compressed_) return file_.write(bytes);
  do {
    const std::string_view part = bytes.substr(0, kMost);
    bytes.remove_prefix(part.size());
    const int now = bytes.empty() ? flush : Z_NO_FLUSH;
    give(part, deflate_);
    int status;
    do {
      deflate_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      deflate_.avail_out = static_cast<uInt>(packed_.size());
      status = deflate(&deflate_, now);
      file_.write(packed_.data(), packed_.size() - deflate_.avail_out);
    } while (deflate_.avail_out == 0 || (now == Z_FINISH && status != Z_STREAM_END));
  } while (!bytes.empty());
}

GzipBlock compress_block(std::string_view text) {
  const auto checksum = crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
  GzipBlock block{{}, static_cast<std::uint32_t>(checksum), text.size()};
  do {
    block.data += deflate_all(text.substr(0, kMost), kRaw, Z_SYNC_FLUSH);
    text.remove_prefix(std::min(kMost, text.size()));
  } while (!text.empty());
  return block;
}

GzipBlockWriter::GzipBlockWriter(const std::string& path) : file_(path) {
  // Magic, deflate, no flags, no time, fastest compression, Unix.
  constexpr unsigned char kHeader[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3};
  file_.write(kHeader, sizeof kHeader);
}

void GzipBlockWriter::write(const GzipBlock& block) {
  file_.write(block.data);
  checksum_ = static_cast<std::uint32_t>(
      crc32_combine(checksum_, block.checksum, static_cast<z_off_t>(block.size)));
  size_ += block.size;
}

void GzipBlockWriter::close() {
  unsigned char end[10] = {3, 0};  // an empty last block, then checksum and size, lowest byte first
  for (int i = 0; i < 4; ++i) {
    end[2 + i] = static_cast<unsigned char>(checksum_ >> (8 * i));
    end[6 + i] = static_cast<unsigned char>(size_ >> (8 * i));
  }
  file_.write(end, sizeof end);
  file_.close();
}

}  // namespace nlmt
