#include "equal_rows.h"

#include <string_view>

#include "hashing.h"
#include "interner.h"
#include "key_set.h"

namespace nlmt::io {
namespace {

constexpr uint64_t kStart = ~uint64_t{0};  // <s>; no word has such an id
constexpr uint64_t kEnd = ~uint64_t{1};    // </s>

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
  KeySet ngrams, contexts;
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
  return {static_cast<int64_t>(ngrams.size()), static_cast<int64_t>(contexts.size())};
}

}  // namespace nlmt::io
