// Compression at level 1, as nlmt.io.files compresses: results are large and read often, and level
// 6 takes four times as long. There is no name and no time in it, so equal content is equal bytes.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files.h"

namespace nlmt {

// The text as a gzip member, or several of a giant one.
std::string gzip(std::string_view text);

// Bytes written to a file, compressed where its name ends in .gz.
class GzipWriter {
 public:
  explicit GzipWriter(const std::string& path);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  void write(std::string_view bytes);
  // Writes the buffered rest; without it the file is incomplete.
  void close();

 private:
  void compress(std::string_view bytes, int flush);

  OutputFile file_;
  bool compressed_;
  z_stream deflate_{};
  std::string pending_;
  std::vector<char> packed_;
};

// A part of a gzip stream, compressed independently of the others on any thread (after pigz, by
// Mark Adler).
struct GzipBlock {
  std::string data;  // deflated, ends on a byte
  std::uint32_t checksum = 0;
  std::uint64_t size = 0;  // before compression
};

GzipBlock compress_block(std::string_view text);

// Joins blocks to a file with one gzip stream.
class GzipBlockWriter {
 public:
  explicit GzipBlockWriter(const std::string& path);

  void write(const GzipBlock& block);
  void close();

 private:
  OutputFile file_;
  std::uint32_t checksum_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace nlmt
