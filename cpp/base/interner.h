// Numbers for distinct things: 0, 1, 2, ... in the order of adding.
//
// The objects themselves are in a list of the caller, who refers to them by number:
//
//   const std::uint32_t number = interner.intern(hash, [&](std::uint32_t n) {
//     return things[n] == wanted;
//   });
//   if (number == things.size()) things.push_back(wanted);
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "errors.h"

namespace nlmt {

class Interner {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Half of the values of a tag; a test has fewer.
  static constexpr std::size_t kMost = std::size_t{1} << 31;

  Interner() : Interner(kMost) {}
  explicit Interner(std::size_t most) : most_(most) { clear(); }

  std::size_t size() const { return size_; }

  void clear() {
    slots_.assign(kFirstSlots, {});
    size_ = 0;
  }

  // The thing with this hash for which `same(number)` holds, or kNone.
  template <class Same>
  std::uint32_t find(std::uint64_t hash, Same same) const {
    return slots_[slot(tag(hash), same)].number;
  }

  // As above; if there is none, the next number, for which the caller has to add a thing.
  template <class Same>
  std::uint32_t intern(std::uint64_t hash, Same same) {
    const std::size_t at = slot(tag(hash), same);
    if (slots_[at].number != kNone) return slots_[at].number;
    if (size_ == most_) {
      throw InputError("more than " + std::to_string(most_) + " distinct things to number", "", 0,
                       "give less text, or fewer hypotheses or options, at once");
    }
    const auto number = static_cast<std::uint32_t>(size_++);
    slots_[at] = {tag(hash), number};
    if (2 * size_ > slots_.size()) grow();
    return number;
  }

 private:
  static constexpr std::size_t kFirstSlots = 1 << 10;

  struct Slot {
    std::uint32_t tag = 0;  // part of the hash: where it belongs, and mostly which it is
    std::uint32_t number = kNone;
  };

  static std::uint32_t tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash); }

  template <class Same>
  std::size_t slot(std::uint32_t tag, Same same) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = tag & mask;
    while (slots_[at].number != kNone && (slots_[at].tag != tag || !same(slots_[at].number))) {
      at = (at + 1) & mask;
    }
    return at;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& filled : old) {
      if (filled.number == kNone) continue;
      slots_[slot(filled.tag, [](std::uint32_t) { return false; })] = filled;
    }
  }

  std::vector<Slot> slots_;
  std::size_t most_, size_ = 0;
};

}  // namespace nlmt
