// Bytes as a file with a path, which readers take.
//
//   const MemoryFile file(data, size);
//   NbestReader reader(file.path(), false);
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace nlmt::fuzz {

class MemoryFile {
 public:
  MemoryFile(const void* data, std::size_t size) : file_(memfd_create("input", MFD_CLOEXEC)) {
    if (file_ < 0 || write(file_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  explicit MemoryFile(std::string_view text) : MemoryFile(text.data(), text.size()) {}
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

// The first byte, which chooses a variant, and the rest. Of nothing: 0 and nothing.
struct Choice {
  Choice(const std::uint8_t* data, std::size_t size)
      : number(size ? data[0] : 0),
        rest(reinterpret_cast<const char*>(data) + (size ? 1 : 0), size ? size - 1 : 0) {}
  unsigned number;
  std::string_view rest;

  // Cuts `rest` up to the next zero byte off its front.
  std::string_view part() {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    const std::string_view cut = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return cut;
  }
};

}  // namespace nlmt::fuzz
