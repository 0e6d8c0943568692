// Words and their ids, numbered as they come.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hashing.h"
#include "interner.h"

namespace nlmt {

// The words lie one after the other in one string.
class WordTable {
 public:
  WordTable() : starts_(1, 0) {}

  int32_t size() const { return static_cast<int32_t>(starts_.size() - 1); }
  std::string_view word(int32_t id) const {
    return {text_.data() + starts_[id], static_cast<size_t>(starts_[id + 1] - starts_[id])};
  }

  // Id of `word`; -1 where it is not in the table.
  int32_t find(std::string_view word) const {
    const uint64_t hash = hash_bytes(word);
    const size_t mask = slots_.size() - 1;
    for (size_t at = hash & mask; slots_[at].id >= 0; at = (at + 1) & mask) {
      if (slots_[at].hash == hash && this->word(slots_[at].id) == word) return slots_[at].id;
    }
    return -1;
  }

  // Id of `word`; `is_new` says whether it was put in just now.
  int32_t insert(std::string_view word, bool& is_new) {
    const auto id = static_cast<int32_t>(numbers_.intern(hash_bytes(word), [&](uint32_t other) {
      return this->word(static_cast<int32_t>(other)) == word;
    }));
    is_new = id == size();
    if (is_new) {
      text_.append(word);
      starts_.push_back(static_cast<int64_t>(text_.size()));
    }
    return id;
  }

 private:
  Interner numbers_;
  std::string text_;
  std::vector<int64_t> starts_;
};

}  // namespace nlmt
