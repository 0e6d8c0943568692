#include "checked_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "hashing.h"

namespace nlmt::decoder {
namespace {

constexpr std::uint32_t kByteOrder = 0x01020304;
constexpr std::uint64_t kPolledPages = 1 << 12;

static_assert(sizeof(CheckedHeader) + sizeof(std::uint64_t) <= kPage);

// The checksum of a page; four parallel sums, as a single one would wait for its multiplications.
std::uint64_t checksum(const void* page) {
  std::uint64_t sums[4] = {1, 2, 3, 4};
  const char* at = static_cast<const char*>(page);
  for (std::size_t i = 0; i < kPage; i += sizeof sums) {
    std::uint64_t parts[4];
    std::memcpy(parts, at + i, sizeof parts);
    for (int lane = 0; lane < 4; ++lane) {
      sums[lane] = (sums[lane] ^ parts[lane]) * 0xd6e8feb86659fd93ULL;
      sums[lane] ^= sums[lane] >> 32;
    }
  }
  return combine(combine(sums[0], sums[1]), combine(sums[2], sums[3]));
}

}  // namespace

bool CheckedFile::recognises(const std::string& path, const CheckedFormat& format) {
  const File file(std::fopen(path.c_str(), "rb"));
  char magic[sizeof format.magic];
  return file && std::fread(magic, sizeof magic, 1, file.get()) == 1 &&
         std::memcmp(magic, format.magic, sizeof magic) == 0;
}

CheckedFile::CheckedFile(const std::string& path, const CheckedFormat& format)
    : path_(path), size_(file_size(path)) {
  if (size_ < kPage) throw InputError("the file is cut off", path, 0, "make it again");
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw SystemError(path);
  void* mapped = mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
  const int number = errno;  // before another call
  close(file);
  if (mapped == MAP_FAILED) throw SystemError(path, number);
  bytes_ = static_cast<const std::byte*>(mapped);
  madvise(mapped, size_, MADV_RANDOM);

  // No destructor runs when the constructor throws.
  try {
    std::memcpy(&header_, bytes_, sizeof header_);
    std::uint64_t sum;
    std::memcpy(&sum, bytes_ + kPage - sizeof sum, sizeof sum);
    char first[kPage];
    std::memcpy(first, bytes_, kPage);
    std::memset(first + kPage - sizeof sum, 0, sizeof sum);
    if (std::memcmp(header_.magic, format.magic, sizeof format.magic) != 0 ||
        header_.byte_order != kByteOrder) {
      throw InputError("this is no binary table of this kind of machine", path);
    }
    if (!matches(checksum(first), sum)) damaged(0);
    if (header_.version != format.version) {
      throw InputError("version " + std::to_string(header_.version) + ", but this program reads " +
                           std::to_string(format.version),
                       path, 0, "make it again");
    }
    if (header_.file_size != size_) {
      throw InputError("the file has " + std::to_string(size_) + " bytes instead of " +
                           std::to_string(header_.file_size),
                       path, 0, "make it again");
    }
    bool good = header_.sections <= kMostSections && header_.checksums <= size_ &&
                header_.checksums % kPage == 0 && header_.checksums >= kPage &&
                size_ - header_.checksums == (header_.checksums / kPage - 1) * sizeof sum;
    for (std::size_t s = 0; good && s < kMostSections; ++s) {
      // No section is in the first page, which is the header.
      good = header_.begin[s] % kPage == 0 && header_.begin[s] <= header_.checksums &&
             header_.size[s] <= header_.checksums - header_.begin[s] &&
             (header_.begin[s] >= kPage || header_.size[s] == 0);
    }
    if (!good) damaged(0);
    checked_ = zeroed<std::atomic<bool>>(header_.checksums / kPage);
  } catch (...) {
    munmap(mapped, size_);
    throw;
  }
}

CheckedFile::~CheckedFile() { munmap(const_cast<void*>(static_cast<const void*>(bytes_)), size_); }

void CheckedFile::check_page(std::uint64_t page) const {
  std::uint64_t sum;
  std::memcpy(&sum, bytes_ + header_.checksums + (page - 1) * sizeof sum, sizeof sum);
  if (!matches(checksum(bytes_ + page * kPage), sum)) damaged(page * kPage);
  checked_[page].store(true, std::memory_order_relaxed);
}

void CheckedFile::check_all(const std::function<void()>& poll) const {
  for (std::uint64_t page = 1; page < header_.checksums / kPage; ++page) {
    if (page % kPolledPages == 0) poll();
    check_page(page);
  }
}

void CheckedFile::damaged(std::uint64_t at) const {
  throw InputError("the file is damaged near byte " + std::to_string(at), path_, 0,
                   "make it again");
}

CheckedWriter::CheckedWriter(const std::string& path, const CheckedFormat& format) : file_(path) {
  std::memcpy(header_.magic, format.magic, sizeof format.magic);
  header_.version = format.version;
  header_.byte_order = kByteOrder;
  const std::vector<char> empty(kPage);
  file_.write(empty.data(), kPage);
}

void CheckedWriter::begin_section() {
  pad();
  header_.begin[header_.sections++] = at_;
}

void CheckedWriter::put(const void* data, std::size_t size) {
  header_.size[header_.sections - 1] += size;
  at_ += size;
  const char* from = static_cast<const char*>(data);
  while (size > 0) {
    const std::size_t part = std::min(size, kPage - page_.size());
    page_.insert(page_.end(), from, from + part);
    from += part;
    size -= part;
    if (page_.size() < kPage) break;
    checksums_.push_back(checksum(page_.data()));
    file_.write(page_.data(), kPage);
    page_.clear();
  }
}

void CheckedWriter::pad() {
  if (page_.empty()) return;
  at_ += kPage - page_.size();
  page_.resize(kPage);
  checksums_.push_back(checksum(page_.data()));
  file_.write(page_.data(), kPage);
  page_.clear();
}

void CheckedWriter::finish(const std::vector<std::uint64_t>& settings) {
  pad();
  header_.checksums = at_;
  header_.file_size = at_ + checksums_.size() * sizeof(std::uint64_t);
  std::copy(settings.begin(), settings.end(), header_.settings);
  file_.write(checksums_.data(), checksums_.size() * sizeof(std::uint64_t));
  std::vector<char> first(kPage);
  std::memcpy(first.data(), &header_, sizeof header_);
  const std::uint64_t sum = checksum(first.data());
  std::memcpy(first.data() + kPage - sizeof sum, &sum, sizeof sum);
  file_.rewind();
  file_.write(first.data(), kPage);
  file_.close();
}

}  // namespace nlmt::decoder
