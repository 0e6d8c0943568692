// One gzip stream from blocks that are compressed independently, in any order, on any thread
// (after pigz, by Mark Adler). Equal blocks give equal bytes.

#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace nlmt::phrases {

struct GzipBlock {
  std::string data;  // deflated, ends on a byte
  uint32_t checksum;
  uint64_t size;  // before compression
};

GzipBlock compress_block(const std::string& text);

// Writes a file; throws std::system_error naming the path when the system refuses.
class GzipWriter {
 public:
  explicit GzipWriter(const std::string& path);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  void write(const GzipBlock& block);
  // Ends the stream and makes sure that it is on the disk.
  void close();

 private:
  void put(const void* data, size_t size);
  [[noreturn]] void fail() const;

  std::string path_;
  std::FILE* file_;
  uint32_t checksum_ = 0;
  uint64_t size_ = 0;
};

}  // namespace nlmt::phrases
