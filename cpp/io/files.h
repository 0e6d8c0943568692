// Lines from a plain or gzip file, and bytes into one.
//
//   LineReader lines("list.gz");
//   while (lines.next()) use(lines.line(), lines.number());
//
//   OutputFile out("copy.gz");  // compressed, by its suffix
//   out.write("text\n");
//   out.close();
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace nlmt::io {

// A fault in a user's file; becomes nlmt.errors.InputError. Line 0: the file as a whole.
struct BadInput : std::runtime_error {
  BadInput(std::string what, std::string path, int64_t line, std::string hint)
      : std::runtime_error(std::move(what)),
        path(std::move(path)),
        line(line),
        hint(std::move(hint)) {}
  std::string path;
  int64_t line;
  std::string hint;
};

// A system error; becomes OSError with its number and the path.
struct SystemError : std::runtime_error {
  SystemError(int number, std::string path)
      : std::runtime_error("system error"), number(number), path(std::move(path)) {}
  int number;
  std::string path;
};

// The error for a line that is not UTF-8, which says what the file is by its first bytes.
BadInput not_utf8(const std::string& path, int64_t line);

// Reads lines; whether the file is compressed is seen by its first bytes. A byte-order mark at the
// start is dropped.
class LineReader {
 public:
  explicit LineReader(const std::string& path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // Steps to the next line; false at the end. Invalidates the former line.
  bool next();
  // Without its newline.
  std::string_view line() const { return line_; }
  // False only for a last line that lacks its newline.
  bool has_newline() const { return has_newline_; }
  int64_t number() const { return number_; }
  const std::string& path() const { return path_; }

 private:
  // Keeps the bytes from `begin_` on and reads more after them; false at the end of the file.
  bool fill();

  std::string path_;
  gzFile file_;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;
  bool finished_ = false;
  std::string_view line_;
  bool has_newline_ = false;
  int64_t number_ = 0;
};

// Writes bytes, compressed at level 1 where the name ends in .gz. Equal content is equal bytes.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  // Writes the buffered rest; without it the file is incomplete.
  void close();

 private:
  void compress(std::string_view bytes, int flush);
  void put(const char* bytes, size_t size);

  std::string path_;
  std::FILE* file_;
  bool compressed_;
  z_stream deflate_{};
  std::vector<char> pending_;
  std::vector<char> packed_;
};

}  // namespace nlmt::io
