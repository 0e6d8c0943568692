// A set of 64-bit keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "key_table.h"

namespace nlmt {

class KeySet {
 public:
  std::size_t size() const { return keys_.size(); }
  void clear() { keys_.clear(); }
  // Adds a key; false if the set has it. Two keys count as one: the largest and the one below it.
  bool insert(std::uint64_t key) { return keys_.emplace(key - (key == keys_.kNoKey)).second; }

 private:
  struct Nothing {};

  KeyTable<Nothing> keys_;
};

}  // namespace nlmt
