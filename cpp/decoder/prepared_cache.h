// Prepared translations that the threads share, in bounded memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "hashing.h"

namespace nlmt::decoder {

// Values by table and source phrase. A full part of the cache is emptied: values in use stay with
// their users, and common ones soon return.
template <class Value>
class PreparedCache {
 public:
  // `most`: bound on the total size of the kept values.
  explicit PreparedCache(std::size_t most) : most_(most / kParts) {}

  // The value, or null.
  std::shared_ptr<const Value> find(std::size_t table, std::uint32_t source) {
    const std::uint64_t key = key_of(table, source);
    Part& part = part_of(key);
    const std::lock_guard<std::mutex> lock(part.mutex);
    const auto found = part.values.find(key);
    return found == part.values.end() ? nullptr : found->second;
  }

  void add(std::size_t table, std::uint32_t source, std::shared_ptr<const Value> value,
           std::size_t size) {
    const std::uint64_t key = key_of(table, source);
    Part& part = part_of(key);
    const std::lock_guard<std::mutex> lock(part.mutex);
    if (part.size + size > most_) part.clear();
    if (part.values.emplace(key, std::move(value)).second) part.size += size;
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
    std::unordered_map<std::uint64_t, std::shared_ptr<const Value>, Hash> values;
    std::size_t size = 0;

    void clear() {
      values.clear();
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
