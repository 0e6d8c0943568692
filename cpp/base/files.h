// Lines from a plain or gzip file, and bytes into a file.
//
//   LineReader lines("list.gz");
//   while (lines.next()) use(lines.line(), lines.number());
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "errors.h"

namespace nlmt {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Size of a regular file; throws InputError if there is none.
std::uint64_t file_size(const std::string& path);

// Waits until the disk has the content of a file. Throws SystemError.
void write_to_disk(const std::string& path);

// The error for a line that is not UTF-8, or has a NUL byte (`nul`), which says what the file is by
// its first bytes.
InputError not_utf8(const std::string& path, std::int64_t line, bool nul = false);

// The bytes of a file, decompressed if it begins as gzip does: its members one after the other,
// with zeros between them at most. gzread would take for the end what begins no member. Throws
// SystemError.
class GzipReader {
 public:
  explicit GzipReader(const std::string& path);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;  // zlib keeps the address of its stream
  GzipReader& operator=(const GzipReader&) = delete;

  // The number of bytes read, up to `size`: fewer only at the end, and where the file is damaged.
  std::size_t read(char* out, std::size_t size);
  bool damaged() const { return damaged_; }
  // Bytes of the file that have been read, compressed if it is.
  std::int64_t position() const { return read_ - static_cast<std::int64_t>(stream_.avail_in); }

 private:
  // Reads a block of the file; false at its end.
  bool fill();

  std::string path_;
  File file_;
  std::vector<char> block_;
  std::int64_t read_ = 0;
  z_stream stream_{};
  bool compressed_ = false, between_members_ = true, damaged_ = false;
};

// Reads lines; whether the file is compressed is seen by its first bytes. A byte-order mark at the
// start is dropped. Throws InputError where gzip is damaged, and SystemError.
class LineReader {
 public:
  explicit LineReader(const std::string& path);

  // Steps to the next line; false at the end. Invalidates the former line.
  bool next();
  // Without its newline.
  std::string_view line() const { return line_; }
  // False only for a last line that lacks its newline.
  bool has_newline() const { return has_newline_; }
  std::int64_t number() const { return number_; }
  const std::string& path() const { return path_; }
  // Bytes of the file that have been read, compressed if it is.
  std::int64_t position() const { return source_->position(); }

 private:
  // Keeps the bytes from `begin_` on and reads more after them; false at the end of the file.
  bool fill();

  std::string path_;
  std::unique_ptr<GzipReader> source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  bool finished_ = false;
  std::string_view line_;
  bool has_newline_ = false;
  std::int64_t number_ = 0;
};

// A file written from its beginning to its end. Throws SystemError.
class OutputFile {
 public:
  // `path` may be - for standard output.
  explicit OutputFile(std::string path);

  void write(const void* bytes, std::size_t size);
  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }
  // Returns to the beginning, to write over it.
  void rewind();
  // Hands the last bytes to the system; without it the file may be incomplete.
  void close();

 private:
  std::string path_;
  File file_;
};

}  // namespace nlmt
