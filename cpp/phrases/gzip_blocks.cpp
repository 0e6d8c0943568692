#include "gzip_blocks.h"

#include <zlib.h>

#include <cerrno>
#include <new>
#include <system_error>

namespace nlmt::phrases {
namespace {

constexpr int kLevel = 1;   // the tables are large and read often
constexpr int kRaw = -15;   // a window of 32 KiB, no header
constexpr int kMemory = 8;  // zlib's default

// Magic, deflate, no flags, no time, fastest compression, Unix.
constexpr unsigned char kHeader[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3};
constexpr unsigned char kLastBlock[] = {3, 0};  // an empty one

void put_little_endian(uint32_t value, unsigned char* out) {
  for (int i = 0; i < 4; ++i) out[i] = value >> (8 * i) & 0xff;
}

}  // namespace

GzipBlock compress_block(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kRaw, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  GzipBlock block;
  block.size = text.size();
  block.checksum = crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
  block.data.resize(deflateBound(&stream, text.size()) + 16);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = text.size();
  stream.next_out = reinterpret_cast<Bytef*>(block.data.data());
  stream.avail_out = block.data.size();
  deflate(&stream, Z_SYNC_FLUSH);
  block.data.resize(block.data.size() - stream.avail_out);
  deflateEnd(&stream);
  return block;
}

GzipWriter::GzipWriter(const std::string& path)
    : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (file_ == nullptr) fail();
  put(kHeader, sizeof kHeader);
}

GzipWriter::~GzipWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void GzipWriter::write(const GzipBlock& block) {
  put(block.data.data(), block.data.size());
  checksum_ = crc32_combine(checksum_, block.checksum, block.size);
  size_ += block.size;
}

void GzipWriter::close() {
  unsigned char trailer[8];
  put_little_endian(checksum_, trailer);
  put_little_endian(uint32_t(size_), trailer + 4);
  put(kLastBlock, sizeof kLastBlock);
  put(trailer, sizeof trailer);
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail();
}

void GzipWriter::put(const void* data, size_t size) {
  if (std::fwrite(data, 1, size, file_) != size) fail();
}

void GzipWriter::fail() const { throw std::system_error(errno, std::generic_category(), path_); }

}  // namespace nlmt::phrases
