// Strict UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace nlmt {

// Size of the longest beginning of `text` that is UTF-8 (RFC 3629: shortest form, no surrogates, at
// most U+10FFFF).
inline size_t utf8_prefix(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    uint64_t eight;
    if (i + sizeof eight <= text.size()) {
      std::memcpy(&eight, text.data() + i, sizeof eight);
      if ((eight & 0x8080808080808080ull) == 0) {  // all of them ASCII
        i += sizeof eight;
        continue;
      }
    }
    const size_t begin = i;
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) continue;
    const int more = lead >= 0xC2 && lead < 0xE0 ? 1 : lead < 0xC2 ? 0 : lead < 0xF0 ? 2 : 3;
    if (more == 0 || lead > 0xF4 || i + more > text.size()) return begin;
    const auto second = static_cast<unsigned char>(text[i]);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
        (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
      return begin;
    }
    for (int k = 0; k < more; ++k) {
      if ((static_cast<unsigned char>(text[i++]) & 0xC0) != 0x80) return begin;
    }
  }
  return text.size();
}

inline bool is_utf8(std::string_view text) { return utf8_prefix(text) == text.size(); }

}  // namespace nlmt
