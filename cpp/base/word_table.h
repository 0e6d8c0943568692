// Words and their ids, numbered in the order of adding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hashing.h"
#include "interner.h"

namespace nlmt {

// The words are concatenated in one string.
class WordTable {
 public:
  int32_t size() const { return static_cast<int32_t>(starts_.size() - 1); }
  std::string_view word(int32_t id) const {
    return {text_.data() + starts_[id], static_cast<size_t>(starts_[id + 1] - starts_[id])};
  }

  // Id of `word`; -1 where it is not in the table.
  int32_t find(std::string_view word) const {
    // kNone, which no word has as its number, is -1 as an id.
    return static_cast<int32_t>(numbers_.find(hash_bytes(word), [&](uint32_t other) {
      return this->word(static_cast<int32_t>(other)) == word;
    }));
  }

  // Id of `word`, the next one if it is new.
  int32_t add(std::string_view word) {
    const auto id = static_cast<int32_t>(numbers_.intern(hash_bytes(word), [&](uint32_t other) {
      return this->word(static_cast<int32_t>(other)) == word;
    }));
    if (id == size()) {
      text_.append(word);
      starts_.push_back(static_cast<int64_t>(text_.size()));
    }
    return id;
  }

 private:
  Interner numbers_;
  std::string text_;
  std::vector<int64_t> starts_{0};  // and the end of the last one
};

}  // namespace nlmt
