// A large binary file that is mapped, not read: a page is read from the disk, and its checksum
// verified, on first access.
//
//   CheckedWriter writer(path, format);           CheckedFile file(path, format);
//   writer.begin_section();                       const float* row =
//   writer.put(row, sizeof row);                      file.view<float>(0, first, count);
//   writer.finish({...});
//
// Layout, little-endian: a page with the header, the sections, each from a new page on, and 8 bytes
// of checksum for each page of the sections. Nothing read is trusted: data outside its section or
// with a wrong checksum is an InputError.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "files.h"
#include "zeroed.h"

namespace nlmt::decoder {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kMostSections = 16;
inline constexpr std::size_t kMostSettings = 16;

// The first page of a file.
struct CheckedHeader {
  char magic[16];
  std::uint32_t version, byte_order;
  std::uint64_t file_size, checksums;  // where those of the pages begin
  std::uint64_t sections, begin[kMostSections], size[kMostSections];  // in bytes
  std::uint64_t settings[kMostSettings];                              // the format's own
};

// The bytes with which a file must begin.
struct CheckedFormat {
  char magic[16];
  std::uint32_t version;
};

class CheckedFile {
 public:
  static bool recognises(const std::string& path, const CheckedFormat& format);

  // Raises InputError for a file of another format or version, or a damaged or truncated one.
  CheckedFile(const std::string& path, const CheckedFormat& format);
  ~CheckedFile();
  CheckedFile(const CheckedFile&) = delete;
  CheckedFile& operator=(const CheckedFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t setting(std::size_t number) const { return header_.settings[number]; }
  template <class T>
  std::uint64_t count(std::size_t section) const {
    return header_.size[section] / sizeof(T);
  }
  // The beginning of a section, of which only what was viewed may be read.
  template <class T>
  const T* data(std::size_t section) const {
    return reinterpret_cast<const T*>(bytes_ + header_.begin[section]);
  }
  // `count` values from number `first` on. Raises InputError.
  template <class T>
  const T* view(std::size_t section, std::uint64_t first, std::uint64_t count) const {
    const std::uint64_t all = this->count<T>(section);
    if (first > all || count > all - first) damaged(header_.begin[section]);
    const T* values = data<T>(section) + first;
    check_pages(header_.begin[section] + first * sizeof(T), count * sizeof(T));
    return values;
  }
  // Reads the whole file. Raises InputError if any byte is wrong. Calls `poll`, which may throw,
  // now and then.
  void check_all(const std::function<void()>& poll) const;
  [[noreturn]] void damaged(std::uint64_t at) const;

 private:
  void check_pages(std::uint64_t begin, std::uint64_t size) const {
    if (!size) return;
    for (std::uint64_t page = begin / kPage; page <= (begin + size - 1) / kPage; ++page) {
      if (!checked_[page].load(std::memory_order_relaxed)) check_page(page);
    }
  }
  void check_page(std::uint64_t page) const;

  std::string path_;
  const std::byte* bytes_ = nullptr;
  std::uint64_t size_;
  CheckedHeader header_;
  Zeroed<std::atomic<bool>> checked_;  // by page
};

// Writes such a file from its beginning to its end; the header last. Raises SystemError.
class CheckedWriter {
 public:
  CheckedWriter(const std::string& path, const CheckedFormat& format);

  void begin_section();
  void put(const void* data, std::size_t size);
  void finish(const std::vector<std::uint64_t>& settings);

 private:
  void pad();

  OutputFile file_;
  CheckedHeader header_{};
  std::uint64_t at_ = kPage;
  std::vector<char> page_;                // the last, incomplete one
  std::vector<std::uint64_t> checksums_;  // 8 bytes for 4 KiB of the file
};

}  // namespace nlmt::decoder
