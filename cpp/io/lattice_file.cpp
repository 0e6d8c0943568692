#include "lattice_file.h"

#include <zlib.h>

#include <cmath>

#include "hashing.h"
#include "utf8.h"

namespace nlmt::io {
namespace {

constexpr std::string_view kMagic = "nlmtlat1";  // with the version
constexpr std::string_view kEnd = "nlmtend1";
constexpr std::uint32_t kRecord = 0x5441C001;  // begins a lattice
constexpr std::size_t kRecordHead = 28, kTail = 44;
constexpr std::uint64_t kMostFeatures = 4096;

std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

LatticeWriter::LatticeWriter(const std::string& path, const std::vector<LatticeFeature>& features)
    : file_(path) {
  ByteWriter head, front;
  head.fixed(static_cast<std::uint32_t>(features.size()));
  for (const auto& [label, weights] : features) {
    head.fixed(static_cast<std::uint32_t>(label.size()));
    head.fixed(static_cast<std::uint32_t>(weights.size()));
    head.append(label);
    for (const double weight : weights) head.fixed(weight);
  }
  front.append(kMagic);
  front.fixed(static_cast<std::uint32_t>(head.bytes().size()));
  front.fixed(checksum(head.bytes()));
  put(front.bytes());
  put(head.bytes());
}

void LatticeWriter::add(const LatticeRecord& record,
                        const std::vector<std::string_view>& spelling) {
  offsets_.push_back(size_);
  ByteWriter head, table;
  for (const std::string_view word : spelling) table.fixed(words_.add(word));
  head.fixed(kRecord);
  head.fixed(record.sentence);
  head.fixed(static_cast<std::uint32_t>(spelling.size()));
  head.fixed(record.size);
  head.fixed(static_cast<std::uint32_t>(record.packed.size()));
  head.fixed(checksum(record.packed, checksum(table.bytes(), checksum(head.bytes()))));
  put(head.bytes());
  put(table.bytes());
  put(record.packed);
}

void LatticeWriter::close() {
  const std::uint64_t words_at = size_;
  std::string text;
  for (std::int32_t i = 0; i < words_.size(); ++i) (text += words_.word(i)) += '\n';
  const std::string packed = deflate_bytes(text);
  ByteWriter index, tail;
  for (const std::uint64_t offset : offsets_) index.fixed(offset);
  tail.fixed(words_at);
  tail.fixed(static_cast<std::uint64_t>(offsets_.size()));
  tail.fixed(static_cast<std::uint64_t>(packed.size()));
  tail.fixed(static_cast<std::uint32_t>(text.size()));
  tail.fixed(static_cast<std::uint32_t>(words_.size()));
  tail.fixed(checksum(tail.bytes(), checksum(index.bytes(), checksum(packed))));
  put(packed);
  put(index.bytes());
  put(tail.bytes());
  put(kEnd);
  file_.close();
}

void LatticeWriter::put(std::string_view bytes) {
  file_.write(bytes);
  size_ += bytes.size();
}

LatticeReader::LatticeReader(std::string path)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "rb")) {
  if (!file_) throw SystemError(path_);
  if (std::fseek(file_.get(), 0, SEEK_END) != 0) throw SystemError(path_);
  const long end = std::ftell(file_.get());
  if (end < 0) throw SystemError(path_);
  const auto size = static_cast<std::uint64_t>(end);
  if (size < kMagic.size() || bytes(0, kMagic.size()) != kMagic) {
    throw InputError("no file of lattices, or of another version", path_, 0,
                     "nlmt decode -output-lattice and nlmt lattice convert write them");
  }
  try {
    read_tables(size);
  } catch (const LatticeDamage& error) {
    damaged(error.what());
  }
}

void LatticeReader::read_tables(std::uint64_t size) {
  const std::uint64_t front = kMagic.size() + 8;
  if (size < front + kTail || bytes(size - kEnd.size(), kEnd.size()) != kEnd) {
    throw LatticeDamage("it is cut off, or was never finished");
  }
  const std::string sizes = bytes(kMagic.size(), 8);
  ByteReader lengths(sizes);
  const auto head_size = lengths.fixed<std::uint32_t>();
  const auto head_sum = lengths.fixed<std::uint32_t>();
  if (head_size > size - front - kTail) throw LatticeDamage("its head is broken");
  const std::string head = bytes(front, head_size);
  if (!matches(checksum(head), head_sum)) throw LatticeDamage("its head is broken");
  ByteReader fields(head);
  const auto features = fields.fixed<std::uint32_t>();
  for (std::uint32_t f = 0; f < features; ++f) {
    const auto length = fields.fixed<std::uint32_t>();
    const auto values = fields.fixed<std::uint32_t>();
    LatticeFeature feature{std::string(fields.bytes(length)), {}};
    if (!is_utf8(feature.first)) throw LatticeDamage("its head is broken");
    if (values > kMostFeatures || (width_ += values) > kMostFeatures) {
      throw LatticeDamage("it has too many features");
    }
    for (std::uint32_t v = 0; v < values; ++v) {
      feature.second.push_back(fields.fixed<double>());
      if (!std::isfinite(feature.second.back())) throw LatticeDamage("a weight is not finite");
    }
    features_.push_back(std::move(feature));
  }
  const std::string tail = bytes(size - kTail, kTail);
  ByteReader last(tail);
  const auto words_at = last.fixed<std::uint64_t>();
  const auto lattices = last.fixed<std::uint64_t>();
  const auto packed_size = last.fixed<std::uint64_t>();
  const auto text_size = last.fixed<std::uint32_t>();
  const auto words = last.fixed<std::uint32_t>();
  const auto sum = last.fixed<std::uint32_t>();
  const std::uint64_t room = size - kTail;
  if (words_at < front + head_size || words_at > room || packed_size > room - words_at ||
      lattices != (room - words_at - packed_size) / 8 || (room - words_at - packed_size) % 8 != 0) {
    throw LatticeDamage("its index is broken");
  }
  const std::string packed = bytes(words_at, packed_size);
  const std::string index = bytes(words_at + packed_size, 8 * lattices);
  if (!matches(checksum(std::string_view(tail).substr(0, kTail - kEnd.size() - 4),
                        checksum(index, checksum(packed))),
               sum)) {
    throw LatticeDamage("its index is broken");
  }
  const std::string text = inflate_bytes(packed, text_size);
  if (words > text.size() || !is_utf8(text)) throw LatticeDamage("its words are broken");
  words_.reserve(words);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) throw LatticeDamage("its words are broken");
    words_.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (words_.size() != words) throw LatticeDamage("its words are broken");
  ByteReader places(index);
  for (std::uint64_t i = 0; i < lattices; ++i) offsets_.push_back(places.fixed<std::uint64_t>());
  offsets_.push_back(words_at);
  std::uint64_t before = front + head_size;
  for (const std::uint64_t offset : offsets_) {
    if (offset < before || offset > words_at) throw LatticeDamage("its index is broken");
    before = offset + kRecordHead * (&offset != &offsets_.back());
  }
}

Lattice LatticeReader::read(std::size_t number) const {
  const std::uint64_t at = offsets_[number];
  try {
    const std::string content = bytes(at, offsets_[number + 1] - at);
    ByteReader fields(content);
    if (fields.fixed<std::uint32_t>() != kRecord) throw LatticeDamage("no lattice begins there");
    const auto sentence = fields.fixed<std::int64_t>();
    const auto words = fields.fixed<std::uint32_t>();
    const auto size = fields.fixed<std::uint32_t>();
    const auto packed_size = fields.fixed<std::uint32_t>();
    const auto sum = fields.fixed<std::uint32_t>();
    if (content.size() != kRecordHead + std::uint64_t{words} * 4 + packed_size) {
      throw LatticeDamage("its sizes do not fit");
    }
    const std::string_view all(content);
    if (!matches(checksum(all.substr(kRecordHead), checksum(all.substr(0, kRecordHead - 4))),
                 sum)) {
      throw LatticeDamage("its checksum does not fit");
    }
    std::vector<std::int32_t> ids;
    for (std::uint32_t w = 0; w < words; ++w) {
      ids.push_back(fields.fixed<std::int32_t>());
      if (ids.back() < 0 || static_cast<std::size_t>(ids.back()) >= words_.size()) {
        throw LatticeDamage("a word is out of range");
      }
    }
    return unpack_lattice(fields.bytes(packed_size), size, sentence, width_, ids);
  } catch (const LatticeDamage& error) {
    damaged("lattice " + std::to_string(number) + " at byte " + std::to_string(at) + ": " +
            error.what());
  }
}

std::string LatticeReader::bytes(std::uint64_t offset, std::uint64_t size) const {
  std::string found(size, '\0');
  if (std::fseek(file_.get(), static_cast<long>(offset), SEEK_SET) != 0) {
    throw SystemError(path_);
  }
  if (std::fread(found.data(), 1, size, file_.get()) != size) {
    if (std::ferror(file_.get())) throw SystemError(path_);
    damaged("it is cut off");
  }
  return found;
}

void LatticeReader::damaged(const std::string& what) const {
  throw InputError("damaged file of lattices: " + what, path_, 0, "make the file again");
}

}  // namespace nlmt::io
