#include "files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace nlmt {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kBlock = std::size_t{1} << 18;  // of a file, compressed if it is
constexpr int kGzip = 15 + 16;  // the largest window, with gzip's header and trailer
constexpr std::string_view kMark = "\xef\xbb\xbf";

// Beginnings of files that are not UTF-8 text, and remedies, as in nlmt.io.files.
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
    {"PAR1", "parquet", "write its sentences to a text file, one a line, with pandas or duckdb"},
    {"%PDF", "PDF", "write its sentences to a text file, one a line"},
    {"\xff\xfe", "UTF-16", kFromUtf16},
    {"\xfe\xff", "UTF-16", kFromUtf16},
};

}  // namespace

std::uint64_t file_size(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    throw InputError("no such file", path);
  }
  return static_cast<std::uint64_t>(status.st_size);
}

void write_to_disk(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file || fsync(fileno(file.get())) != 0) throw SystemError(path);
}

InputError not_utf8(const std::string& path, std::int64_t line, bool nul) {
  char head[8] = {};
  const File file(std::fopen(path.c_str(), "rb"));
  const std::size_t read = file ? std::fread(head, 1, sizeof head, file.get()) : 0;
  for (const Beginning& known : kNotText) {
    if (std::string_view(head, read).substr(0, known.bytes.size()) == known.bytes) {
      return InputError(std::string("not UTF-8 text, but ") + known.kind, path, 0, known.remedy);
    }
  }
  if (nul) {
    return InputError("not text: a NUL byte", path, line,
                      "UTF-8 is expected; convert UTF-16 with iconv -f utf-16 -t utf-8");
  }
  return InputError("not UTF-8", path, line,
                    "convert the file, for example with iconv -f latin1 -t utf-8");
}

GzipReader::GzipReader(const std::string& path)
    : path_(path), file_(std::fopen(path.c_str(), "rb")), block_(kBlock) {
  if (!file_) throw SystemError(path_);
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  fill();
  constexpr std::string_view kMagic = "\x1f\x8b";
  compressed_ = std::string_view(block_.data(), stream_.avail_in).substr(0, 2) == kMagic;
  if (compressed_ && inflateInit2(&stream_, kGzip) != Z_OK) throw std::bad_alloc();
}

GzipReader::~GzipReader() {
  if (compressed_) inflateEnd(&stream_);
}

bool GzipReader::fill() {
  const std::size_t got = std::fread(block_.data(), 1, block_.size(), file_.get());
  if (std::ferror(file_.get())) throw SystemError(path_);
  read_ += static_cast<std::int64_t>(got);
  stream_.next_in = reinterpret_cast<Bytef*>(block_.data());
  stream_.avail_in = static_cast<uInt>(got);
  return got > 0;
}

std::size_t GzipReader::read(char* out, std::size_t size) {
  std::size_t got = 0;
  while (got < size && !damaged_) {
    if (stream_.avail_in == 0 && !fill()) {
      damaged_ = compressed_ && !between_members_;
      break;
    }
    if (!compressed_) {
      const std::size_t part = std::min<std::size_t>(size - got, stream_.avail_in);
      std::memcpy(out + got, stream_.next_in, part);
      stream_.next_in += part;
      stream_.avail_in -= static_cast<uInt>(part);
      got += part;
      continue;
    }
    if (between_members_) {
      if (*stream_.next_in == 0) {
        ++stream_.next_in;
        --stream_.avail_in;
        continue;
      }
      inflateReset(&stream_);
      between_members_ = false;
    }
    const std::size_t part = std::min(size - got, kChunk);
    stream_.next_out = reinterpret_cast<Bytef*>(out + got);
    stream_.avail_out = static_cast<uInt>(part);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    got += part - stream_.avail_out;
    between_members_ = status == Z_STREAM_END;
    damaged_ = status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR;
  }
  return got;
}

LineReader::LineReader(const std::string& path)
    : path_(path), source_(std::make_unique<GzipReader>(path)), buffer_(kChunk) {}

bool LineReader::fill() {
  if (finished_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
  const std::size_t wanted = std::min(buffer_.size() - end_, kChunk);
  const std::size_t got = source_->read(buffer_.data() + end_, wanted);
  end_ += got;
  if (source_->damaged()) {
    const auto lines = std::count(buffer_.data() + begin_, buffer_.data() + end_, '\n');
    throw InputError("damaged or truncated gzip file", path_, number_ + 1 + lines, "make it again");
  }
  finished_ = got < wanted;
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
  std::size_t searched = begin_;
  for (;;) {
    const char* start = buffer_.data() + searched;
    const void* newline = std::memchr(start, '\n', end_ - searched);
    if (newline) {
      const std::size_t at = static_cast<const char*>(newline) - buffer_.data();
      line_ = {buffer_.data() + begin_, at - begin_};
      begin_ = at + 1;
      has_newline_ = true;
      ++number_;
      return true;
    }
    const std::size_t held = end_ - begin_;
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

OutputFile::OutputFile(std::string path)
    : path_(std::move(path)),
      file_(path_ == "-" ? fdopen(dup(STDOUT_FILENO), "wb") : std::fopen(path_.c_str(), "wb")) {
  if (!file_) throw SystemError(path_);
}

void OutputFile::write(const void* bytes, std::size_t size) {
  if (size > 0 && std::fwrite(bytes, 1, size, file_.get()) != size) throw SystemError(path_);
}

void OutputFile::rewind() {
  if (std::fseek(file_.get(), 0, SEEK_SET) != 0) throw SystemError(path_);
}

void OutputFile::close() {
  if (file_ && std::fclose(file_.release()) != 0) throw SystemError(path_);
}

}  // namespace nlmt
