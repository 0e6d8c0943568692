// Bytes that are written once and read once, in memory while they are few, else in an unnamed
// temporary file, which disappears with the process.
//
//   Spool spool(folder, 64 << 20);
//   spool.append(data, size);
//   spool.rewind();
//   while (spool.read(data, size)) ...
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "files.h"

namespace nlmt {

class Spool {
 public:
  // Keeps up to `memory` bytes before it goes to a file in `folder`. All calls raise
  // SystemError.
  Spool(std::string folder, std::size_t memory) : folder_(std::move(folder)), memory_(memory) {}

  std::uint64_t size() const { return size_; }

  void append(const void* data, std::size_t size) {
    size_ += size;
    if (buffer_.size() + size > memory_) flush();
    if (size > memory_) {
      write(data, size);
    } else {
      const char* from = static_cast<const char*>(data);
      buffer_.insert(buffer_.end(), from, from + size);
    }
  }

  // Returns to the beginning, for reading; nothing can be appended afterwards.
  void rewind() {
    if (file_) {
      if (!buffer_.empty()) flush();
      buffer_.shrink_to_fit();
      if (std::fseek(file_.get(), 0, SEEK_SET) != 0) fail();
    }
    at_ = 0;
  }

  // The next `size` bytes; false at the end.
  bool read(void* data, std::size_t size) {
    if (size > size_ - at_) return false;
    if (file_) {
      if (size > 0 && std::fread(data, size, 1, file_.get()) != 1) fail();
    } else if (size > 0) {
      std::memcpy(data, buffer_.data() + at_, size);
    }
    at_ += size;
    return true;
  }

 private:
  void flush() {
    if (!file_) open();
    write(buffer_.data(), buffer_.size());
    buffer_.clear();
    // From now on the buffer serves to write in large pieces.
    if (buffer_.capacity() > kPiece) buffer_.shrink_to_fit();
    memory_ = std::min(memory_, kPiece);
  }

  void open() {
    std::string name = folder_ + "/.spool.XXXXXX";
    const int descriptor = mkstemp(name.data());
    if (descriptor < 0) fail();
    unlink(name.c_str());
    file_.reset(fdopen(descriptor, "w+b"));
    if (!file_) fail();
  }

  void write(const void* data, std::size_t size) {
    if (!file_) open();
    if (size > 0 && std::fwrite(data, 1, size, file_.get()) != size) fail();
  }

  [[noreturn]] void fail() const { throw SystemError(folder_); }

  static constexpr std::size_t kPiece = 1 << 18;

  std::string folder_;
  std::size_t memory_;
  std::uint64_t size_ = 0, at_ = 0;
  std::vector<char> buffer_;
  File file_;
};

}  // namespace nlmt
