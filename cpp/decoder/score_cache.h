// A table of computed scores that all threads share, of fixed size: new ones replace old ones.
//
// There are no locks. A slot is two words, one of them mixed with the other, so that a half-written
// one fits no key (Hyatt's scheme for transposition tables); 96 bits of hash name what was scored.
// A score does not depend on the thread that computed it, so results do not depend on the table's
// content.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "hashing.h"
#include "zeroed.h"

namespace nlmt::decoder {

struct ScoreKey {
  std::uint64_t high = 0x6a09e667f3bcc908ULL, low = 0xbb67ae8584caa73bULL;

  void add(std::uint64_t value) {
    high = combine(high, value);
    low = (low ^ mix(value + 1)) * 0x9ddfea08eb382d69ULL;
  }
  bool operator==(const ScoreKey& other) const { return high == other.high && low == other.low; }
  bool operator<(const ScoreKey& other) const {
    return high != other.high ? high < other.high : low < other.low;
  }
};

class ScoreCache {
 public:
  // `bits`: 2 to this power is the number of slots.
  explicit ScoreCache(int bits)
      : mask_((std::size_t{1} << bits) - kWays),
        memory_(zeroed<Slot>((std::size_t{1} << bits) + kWays)) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
    constexpr std::uintptr_t bucket = kWays * sizeof(Slot);
    slots_ = reinterpret_cast<Slot*>((address + bucket - 1) / bucket * bucket);
  }

  bool find(const ScoreKey& key, float& score) const {
    const Slot* bucket = slots_ + (key.high & mask_);
    for (std::size_t i = 0; i < kWays; ++i) {
      const std::uint64_t value = bucket[i].value.load(std::memory_order_relaxed);
      if ((bucket[i].key.load(std::memory_order_relaxed) ^ value) != key.high) continue;
      if ((value >> 32) != check(key)) continue;
      const auto bits = static_cast<std::uint32_t>(value);
      std::memcpy(&score, &bits, sizeof(score));
      return true;
    }
    return false;
  }

  void put(const ScoreKey& key, float score) {
    Slot* bucket = slots_ + (key.high & mask_);
    std::size_t at = (key.low >> 20) % kWays;
    for (std::size_t i = 0; i < kWays; ++i) {
      if (bucket[i].value.load(std::memory_order_relaxed) == 0) at = i;
    }
    std::uint32_t bits;
    std::memcpy(&bits, &score, sizeof(bits));
    const std::uint64_t value = (check(key) << 32) | bits;
    bucket[at].value.store(value, std::memory_order_relaxed);
    bucket[at].key.store(key.high ^ value, std::memory_order_relaxed);
  }

  // Appends the kept scores, kKeptBytes each, or reads back as many as fit. No search may run
  // meanwhile.
  static constexpr std::size_t kKeptBytes = 16;

  void append_kept(std::string& bytes) const {
    for (const Slot* slot = slots_; slot != slots_ + mask_ + kWays; ++slot) {
      const std::uint64_t words[] = {slot->key.load(), slot->value.load()};
      if (words[1] != 0) bytes.append(reinterpret_cast<const char*>(words), sizeof words);
    }
  }

  void take(std::string_view bytes) {
    for (; bytes.size() >= kKeptBytes; bytes.remove_prefix(kKeptBytes)) {
      std::uint64_t words[2];
      std::memcpy(words, bytes.data(), sizeof words);
      Slot* bucket = slots_ + ((words[0] ^ words[1]) & mask_);
      for (Slot* slot = bucket; slot != bucket + kWays; ++slot) {
        if (slot->value.load() != 0) continue;
        slot->value.store(words[1]);
        slot->key.store(words[0]);
        break;
      }
    }
  }

  void fetch(const ScoreKey& key) const { __builtin_prefetch(slots_ + (key.high & mask_)); }

 private:
  static constexpr std::size_t kWays = 4;  // a cache line

  struct Slot {
    std::atomic<std::uint64_t> key, value;
  };

  static std::uint64_t check(const ScoreKey& key) { return (key.low >> 32) | 1; }

  std::size_t mask_;
  Zeroed<Slot> memory_;
  Slot* slots_;
};

}  // namespace nlmt::decoder
