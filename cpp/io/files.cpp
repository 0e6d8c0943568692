#include "files.h"

#include <cerrno>
#include <cstring>

namespace nlmt::io {
namespace {

constexpr size_t kChunk = size_t{1} << 20;
// As in nlmt.io.files: the lists are large and read often; level 6 takes four times as long.
constexpr int kLevel = 1;
constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for a gzip header
constexpr int kMemoryLevel = 9;

constexpr std::string_view kMark = "\xef\xbb\xbf";

// How files begin that are no UTF-8 text, and what to do with them, as in nlmt.io.files.
struct Beginning {
  std::string_view bytes;
  const char* kind;
  const char* remedy;
};
constexpr const char* kFromUtf16 = "convert it with iconv -f utf-16 -t utf-8";
constexpr Beginning kNotText[] = {
    {"BZh", "compressed with bzip2", "decompress it with bunzip2"},
    {{"\xfd"
      "7zXZ\0",
      6},
     "compressed with xz",
     "decompress it with unxz"},
    {"\x28\xb5\x2f\xfd", "compressed with zstd", "decompress it with unzstd"},
    {"PK\x03\x04", "a zip archive", "unpack it"},
    {"\xff\xfe", "UTF-16", kFromUtf16},
    {"\xfe\xff", "UTF-16", kFromUtf16},
};

bool ends_with(const std::string& text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

}  // namespace

BadInput not_utf8(const std::string& path, int64_t line) {
  char head[8] = {};
  std::FILE* file = std::fopen(path.c_str(), "rb");
  const size_t read = file ? std::fread(head, 1, sizeof head, file) : 0;
  if (file) std::fclose(file);
  for (const Beginning& known : kNotText) {
    if (std::string_view(head, read).substr(0, known.bytes.size()) == known.bytes) {
      return {std::string("not UTF-8 text, but ") + known.kind, path, 0, known.remedy};
    }
  }
  return {"not UTF-8", path, line, "convert the file, for example with iconv -f latin1 -t utf-8"};
}

LineReader::LineReader(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
  if (!file_) throw SystemError(errno, path_);
  gzbuffer(file_, 1 << 18);
  buffer_.resize(kChunk);
}

LineReader::~LineReader() { gzclose(file_); }

bool LineReader::fill() {
  if (finished_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
  errno = 0;
  const size_t wanted = std::min(buffer_.size() - end_, kChunk);
  const int got = gzread(file_, buffer_.data() + end_, static_cast<unsigned>(wanted));
  if (got < static_cast<int>(wanted)) {
    int status = Z_OK;
    gzerror(file_, &status);
    if (status == Z_ERRNO) throw SystemError(errno, path_);
    if (status != Z_OK && status != Z_STREAM_END) {
      throw BadInput("damaged or truncated gzip file", path_, number_ + 1, "make it again");
    }
    finished_ = true;
  }
  end_ += static_cast<size_t>(got);
  return got > 0;
}

bool LineReader::next() {
  if (number_ == 0) {
    while (end_ < kMark.size() && fill()) {
    }
    if (std::string_view(buffer_.data(), end_).substr(0, kMark.size()) == kMark) {
      begin_ = kMark.size();
    }
  }
  size_t searched = begin_;
  for (;;) {
    const char* start = buffer_.data() + searched;
    const void* newline = std::memchr(start, '\n', end_ - searched);
    if (newline) {
      const size_t at = static_cast<const char*>(newline) - buffer_.data();
      line_ = {buffer_.data() + begin_, at - begin_};
      begin_ = at + 1;
      has_newline_ = true;
      ++number_;
      return true;
    }
    const size_t held = end_ - begin_;
    if (!fill()) break;
    searched = begin_ + held;
  }
  if (begin_ == end_) return false;
  line_ = {buffer_.data() + begin_, end_ - begin_};
  begin_ = end_;
  has_newline_ = false;
  ++number_;
  return true;
}

OutputFile::OutputFile(const std::string& path)
    : path_(path), file_(std::fopen(path.c_str(), "wb")), compressed_(ends_with(path, ".gz")) {
  if (!file_) throw SystemError(errno, path_);
  std::setvbuf(file_, nullptr, _IONBF, 0);
  pending_.reserve(kChunk);
  packed_.resize(kChunk);
  if (compressed_ && deflateInit2(&deflate_, kLevel, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                                  Z_DEFAULT_STRATEGY) != Z_OK) {
    std::fclose(file_);
    throw std::bad_alloc();
  }
}

OutputFile::~OutputFile() {
  if (compressed_) deflateEnd(&deflate_);
  if (file_) std::fclose(file_);
}

void OutputFile::write(std::string_view bytes) {
  if (pending_.size() + bytes.size() > kChunk) {
    compress({pending_.data(), pending_.size()}, Z_NO_FLUSH);
    pending_.clear();
  }
  if (bytes.size() > kChunk) {
    compress(bytes, Z_NO_FLUSH);
  } else {
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
  }
}

void OutputFile::close() {
  compress({pending_.data(), pending_.size()}, Z_FINISH);
  pending_.clear();
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) throw SystemError(errno, path_);
}

void OutputFile::compress(std::string_view bytes, int flush) {
  if (!compressed_) return put(bytes.data(), bytes.size());
  // zlib counts in 32 bits, so a giant line is written in pieces.
  constexpr size_t kMost = size_t{1} << 30;
  do {
    const size_t size = std::min(bytes.size(), kMost);
    const int now = size == bytes.size() ? flush : Z_NO_FLUSH;
    deflate_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    deflate_.avail_in = static_cast<uInt>(size);
    bytes.remove_prefix(size);
    int status;
    do {
      deflate_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      deflate_.avail_out = static_cast<uInt>(packed_.size());
      status = deflate(&deflate_, now);
      put(packed_.data(), packed_.size() - deflate_.avail_out);
    } while (deflate_.avail_out == 0 || (now == Z_FINISH && status != Z_STREAM_END));
  } while (!bytes.empty());
}

void OutputFile::put(const char* bytes, size_t size) {
  if (size > 0 && std::fwrite(bytes, 1, size, file_) != size) throw SystemError(errno, path_);
}

}  // namespace nlmt::io
