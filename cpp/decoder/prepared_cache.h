// Prepared translations that the threads share, in bounded memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "hashing.h"

namespace nlmt::decoder {

struct PreparedPhrase;

// Phrases by table and source phrase. A full part of the cache is emptied: phrases in use stay with
// their users, and common ones soon return.
class PreparedCache {
 public:
  // `most`: bound on the total size of the kept phrases.
  explicit PreparedCache(std::size_t most) : most_(most / kParts) {}

  // The phrase, or null.
  std::shared_ptr<const PreparedPhrase> find(std::size_t table, std::uint32_t source) {
    const std::uint64_t key = key_of(table, source);
    Part& part = part_of(key);
    const std::lock_guard<std::mutex> lock(part.mutex);
    const auto found = part.phrases.find(key);
    return found == part.phrases.end() ? nullptr : found->second;
  }

  void add(std::size_t table, std::uint32_t source, std::shared_ptr<const PreparedPhrase> phrase,
           std::size_t size) {
    const std::uint64_t key = key_of(table, source);
    Part& part = part_of(key);
    const std::lock_guard<std::mutex> lock(part.mutex);
    if (part.size + size > most_) part.clear();
    if (part.phrases.emplace(key, std::move(phrase)).second) part.size += size;
  }

  void clear() {
    for (Part& part : parts_) {
      const std::lock_guard<std::mutex> lock(part.mutex);
      part.clear();
    }
  }

 private:
  static constexpr std::size_t kParts = 64;  // so that threads seldom meet

  struct Hash {
    std::size_t operator()(std::uint64_t key) const { return mix(key); }
  };
  struct Part {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, std::shared_ptr<const PreparedPhrase>, Hash> phrases;
    std::size_t size = 0;

    void clear() {
      phrases.clear();
      size = 0;
    }
  };

  static std::uint64_t key_of(std::size_t table, std::uint32_t source) {
    return std::uint64_t{table} << 32 | source;
  }
  Part& part_of(std::uint64_t key) { return parts_[mix(key) >> 58]; }

  std::size_t most_;
  std::array<Part, kParts> parts_;
};

}  // namespace nlmt::decoder
