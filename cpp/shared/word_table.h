// Words and their ids, numbered as they come.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace nlmt {

// Adds 64 bits to a hash: a multiplication spreads them upwards, a shift brings them down again.
inline uint64_t mix(uint64_t hash, uint64_t bits) {
  hash = (hash ^ bits) * 0xFF51AFD7ED558CCDull;
  return hash ^ (hash >> 32);
}

inline uint64_t hash_bytes(std::string_view text) {
  uint64_t hash = text.size() * 0x9E3779B97F4A7C15ull;
  while (!text.empty()) {
    uint64_t bits = 0;
    const size_t size = text.size() < sizeof(bits) ? text.size() : sizeof(bits);
    std::memcpy(&bits, text.data(), size);
    hash = mix(hash, bits);
    text.remove_prefix(size);
  }
  return hash;
}

// Open addressing; the words lie one after the other in one string.
class WordTable {
 public:
  WordTable() : slots_(kFirstSlots, Slot{0, -1}), starts_(1, 0) {}

  int32_t size() const { return static_cast<int32_t>(starts_.size() - 1); }
  std::string_view word(int32_t id) const {
    return {text_.data() + starts_[id], static_cast<size_t>(starts_[id + 1] - starts_[id])};
  }

  // Id of `word`; `is_new` says whether it was put in just now.
  int32_t insert(std::string_view word, bool& is_new) {
    const uint64_t hash = hash_bytes(word);
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    while (slots_[at].id >= 0) {
      if (slots_[at].hash == hash && this->word(slots_[at].id) == word) {
        is_new = false;
        return slots_[at].id;
      }
      at = (at + 1) & mask;
    }
    is_new = true;
    const int32_t id = size();
    text_.append(word);
    starts_.push_back(static_cast<int64_t>(text_.size()));
    slots_[at] = {hash, id};
    if (starts_.size() * 2 > slots_.size()) grow();
    return id;
  }

 private:
  struct Slot {
    uint64_t hash;
    int32_t id;
  };
  static constexpr size_t kFirstSlots = 1024;

  void grow() {
    std::vector<Slot> old(slots_.size() * 2, Slot{0, -1});
    old.swap(slots_);
    const size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.id < 0) continue;
      size_t at = slot.hash & mask;
      while (slots_[at].id >= 0) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::string text_;
  std::vector<int64_t> starts_;
};

}  // namespace nlmt
