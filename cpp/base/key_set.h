// A set of 64-bit keys, by open addressing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hashing.h"

namespace nlmt {

class KeySet {
 public:
  KeySet() { clear(); }

  std::size_t size() const { return size_; }

  void clear() {
    slots_.assign(kFirstSlots, kFree);
    size_ = 0;
  }

  // Adds a key; false if the set has it. Two keys count as one: the largest and the one below it.
  bool insert(std::uint64_t key) {
    key -= key == kFree;
    std::size_t at = place(key);
    if (slots_[at] == key) return false;
    slots_[at] = key;
    if (2 * ++size_ > slots_.size()) grow();
    return true;
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  static constexpr std::size_t kFirstSlots = 1 << 11;

  std::size_t place(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mix(key) & mask;
    while (slots_[at] != kFree && slots_[at] != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<std::uint64_t> old(2 * slots_.size(), kFree);
    old.swap(slots_);
    for (const std::uint64_t key : old) {
      if (key != kFree) slots_[place(key)] = key;
    }
  }

  std::vector<std::uint64_t> slots_;
  std::size_t size_ = 0;
};

}  // namespace nlmt
