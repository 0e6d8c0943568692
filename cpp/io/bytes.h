// The numbers of the format of lattices as bytes: LEB128, or of a fixed size, lowest byte first.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace nlmt::io {

// The bytes are not a lattice, or a file of them; a ValueError in Python.
struct LatticeDamage : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

class ByteWriter {
 public:
  void number(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>(value | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }
  template <class T>
  void fixed(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    for (std::size_t i = 0; i < sizeof value; ++i) bytes_ += static_cast<char>(bits >> 8 * i);
  }
  void append(std::string_view bytes) { bytes_ += bytes; }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Throws LatticeDamage for bytes that no writer writes.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  // A number of at most `most`.
  std::int32_t number(std::int64_t most) {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      if (shift > 28) throw LatticeDamage("a number is broken");
      const auto byte = fixed<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) break;
    }
    if (most < 0 || value > static_cast<std::uint64_t>(most))
      throw LatticeDamage("a number is out of range");
    return static_cast<std::int32_t>(value);
  }
  // The number of following items, of at least one byte each.
  std::int32_t count() { return number(static_cast<std::int64_t>(rest_.size())); }
  template <class T>
  T fixed() {
    const std::string_view taken = bytes(sizeof(T));
    std::uint64_t bits = 0;
    for (std::size_t i = sizeof(T); i-- > 0;) {
      bits = bits << 8 | static_cast<unsigned char>(taken[i]);
    }
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  std::string_view bytes(std::size_t size) {
    if (size > rest_.size()) throw LatticeDamage("it ends too early");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  bool finished() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace nlmt::io
