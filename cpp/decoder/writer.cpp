#include "writer.h"

#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <new>

#include "errors.h"

namespace nlmt::decoder {
namespace {

constexpr int kLevel = 1;                              // as in nlmt.io.files
constexpr std::size_t kMember = std::size_t{1} << 30;  // zlib counts in 32 bits
constexpr int kGzipWindow = 15 + 16;                   // largest window, gzip header

}  // namespace

std::string gzip(const std::string& text) {
  if (text.size() > kMember) return gzip(text.substr(0, kMember)) + gzip(text.substr(kMember));
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string compressed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_out = static_cast<uInt>(compressed.size());
  deflate(&stream, Z_FINISH);
  compressed.resize(stream.total_out);
  deflateEnd(&stream);
  return compressed;
}

Writer::Writer(std::string path, bool compressed)
    : path_(std::move(path)),
      compressed_(compressed),
      file_(path_ == "-" ? fdopen(dup(STDOUT_FILENO), "wb") : std::fopen(path_.c_str(), "wb")) {
  if (!file_) throw FileError(errno, path_);
}

void Writer::write(const std::string& piece) {
  if (std::fwrite(piece.data(), 1, piece.size(), file_.get()) != piece.size()) {
    throw FileError(errno, path_);
  }
}

void Writer::close() {
  if (!file_) return;
  if (std::fclose(file_.release()) != 0) throw FileError(errno, path_);
}

void write_file(const std::string& folder, const std::string& name, const std::string& content) {
  const std::string path = folder + "/" + name;
  const std::string temporary = folder + "/." + std::to_string(getpid()) + "." + name;
  try {
    Writer writer(temporary, false);
    writer.write(content);
    writer.close();
    if (std::rename(temporary.c_str(), path.c_str()) != 0) throw FileError(errno, path);
  } catch (...) {
    std::remove(temporary.c_str());
    throw;
  }
}

}  // namespace nlmt::decoder
