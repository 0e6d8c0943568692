#include "equal_rows.h"

#include <string_view>

#include "hashing.h"
#include "interner.h"

namespace nlmt::io {
namespace {

constexpr uint64_t kStart = ~uint64_t{0};  // <s>; no word has such an id
constexpr uint64_t kEnd = ~uint64_t{1};    // </s>

// A set of hashes by open addressing.
class HashSet {
 public:
  HashSet() : slots_(1 << 16, 0) {}

  int64_t size() const { return size_; }

  void insert(uint64_t hash) {
    hash += hash == 0;  // 0 marks an empty slot
    size_t at = hash & (slots_.size() - 1);
    while (slots_[at] != 0) {
      if (slots_[at] == hash) return;
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = hash;
    if (static_cast<size_t>(++size_) * 2 > slots_.size()) grow();
  }

 private:
  void grow() {
    std::vector<uint64_t> old(slots_.size() * 2, 0);
    old.swap(slots_);
    for (uint64_t hash : old) {
      if (hash == 0) continue;
      size_t at = hash & (slots_.size() - 1);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = hash;
    }
  }

  std::vector<uint64_t> slots_;
  int64_t size_ = 0;
};

}  // namespace

Distinct find_distinct(const int32_t* ids, const int64_t* offsets, int64_t rows) {
  const auto bytes_of = [&](int64_t row) {
    return std::string_view(reinterpret_cast<const char*>(ids + offsets[row]),
                            static_cast<size_t>(offsets[row + 1] - offsets[row]) * sizeof(int32_t));
  };
  Interner kinds;
  Distinct result;
  result.inverse.resize(static_cast<size_t>(rows));
  for (int64_t row = 0; row < rows; ++row) {
    const std::string_view bytes = bytes_of(row);
    const uint32_t kind = kinds.intern(
        hash_bytes(bytes), [&](uint32_t other) { return bytes_of(result.first[other]) == bytes; });
    if (kind == result.first.size()) result.first.push_back(row);
    result.inverse[row] = static_cast<int32_t>(kind);
  }
  return result;
}

RowHashes hash_rows(const int32_t* ids, const int64_t* offsets, int64_t rows) {
  RowHashes result;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t length = offsets[row + 1] - offsets[row];
    uint64_t first = static_cast<uint64_t>(length), second = ~first;
    for (const int32_t* id = ids + offsets[row]; id != ids + offsets[row + 1]; ++id) {
      first = combine(first, static_cast<uint64_t>(*id));
      second = combine(second, static_cast<uint64_t>(*id));
    }
    result.first.push_back(first);
    result.second.push_back(second);
  }
  return result;
}

NgramCounts count_ngrams(const int32_t* ids, const int64_t* offsets, int64_t rows, int order) {
  HashSet ngrams, contexts;
  for (int64_t row = 0; row < rows; ++row) {
    const int32_t* words = ids + offsets[row];
    const int64_t length = offsets[row + 1] - offsets[row];
    for (int64_t i = 0; i <= length; ++i) {
      uint64_t hash = 0;
      for (int64_t k = i - order + 1; k < i; ++k) {
        hash = combine(hash, k < 0 ? kStart : static_cast<uint64_t>(words[k]));
      }
      contexts.insert(hash);
      ngrams.insert(combine(hash, i < length ? static_cast<uint64_t>(words[i]) : kEnd));
    }
  }
  return {ngrams.size(), contexts.size()};
}

}  // namespace nlmt::io
