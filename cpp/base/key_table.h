// Values under keys of 64 bits, by open addressing. Values are small classes and are copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hashing.h"

namespace nlmt {

template <class Value>
class KeyTable {
 public:
  static constexpr std::uint64_t kNoKey = ~std::uint64_t{0};  // must not be used

  KeyTable() { slots_.resize(kFirstSlots); }

  std::size_t size() const { return size_; }

  // Removes all. The memory is kept, to save growing, unless hardly any of it was used.
  void clear() {
    const bool unusual = 16 * size_ < slots_.size() && slots_.size() > kFirstSlots;
    slots_.assign(unusual ? slots_.size() / 2 : slots_.size(), {});
    size_ = 0;
  }

  // The value under a key, and whether it is new. The values before a new one may move.
  std::pair<Value*, bool> emplace(std::uint64_t key) {
    reserve(1);
    Slot& slot = slots_[place(key)];
    const bool made = slot.key == kNoKey;
    slot.key = key;
    size_ += made;
    return {&slot, made};
  }

  // After this, so many more keys move no values.
  void reserve(std::size_t keys) {
    while (2 * (size_ + keys) > slots_.size()) grow();
  }

 private:
  static constexpr std::size_t kFirstSlots = 1 << 8;

  struct Slot : Value {  // as a base, a value without members takes no memory
    std::uint64_t key = kNoKey;
  };

  std::size_t place(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mix(key) & mask;
    while (slots_[at].key != kNoKey && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& filled : old) {
      if (filled.key != kNoKey) slots_[place(filled.key)] = filled;
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace nlmt
