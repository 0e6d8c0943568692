// A file written in pieces, each compressed by the thread that made it.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace nlmt::decoder {

// The text as a gzip member, or several of a giant one, without name and time.
std::string gzip(const std::string& text);

class Writer {
 public:
  // `path` may be - for standard output. Raises FileError. The caller decides whether to compress
  // pieces.
  Writer(std::string path, bool compressed);

  bool compressed() const { return compressed_; }
  void write(const std::string& piece);
  void close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string path_;
  bool compressed_;
  std::unique_ptr<std::FILE, Close> file_;
};

// Writes a file of a folder under a temporary name, then renames it. Raises FileError.
void write_file(const std::string& folder, const std::string& name, const std::string& content);

}  // namespace nlmt::decoder
