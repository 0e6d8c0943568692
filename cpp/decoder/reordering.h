// Lexicalised reordering: the order of a phrase relative to the one translated before it.
//
// Tillmann (2004), Koehn et al. (2005). A model scores each phrase pair by orientation, once
// looking back (where this phrase came from) and once looking forward (where the next one goes).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "phrase_table.h"

namespace nlmt::decoder {

// The current source span against the previous one; every model's orientations are unions of these.
enum Relation : std::uint8_t { kMonotone, kSwap, kAhead, kBehind };
inline constexpr int kRelations = 4;

// The meaning of a type such as wbe-msd-bidirectional-fe-allff.
struct ReorderingType {
  // Raises InputError for an unknown type.
  explicit ReorderingType(const std::string& name);

  std::size_t width() const { return collapse ? directions() : directions() * orientations; }
  std::size_t table_width() const { return directions() * orientations; }
  std::size_t directions() const { return (backward ? 1 : 0) + (forward ? 1 : 0); }
  // Which of the table's scores looks back (or forward) in a relation.
  std::size_t backward_score(Relation relation) const { return orientation[relation]; }
  std::size_t forward_score(Relation relation) const {
    return (backward ? orientations : 0) + orientation[relation];
  }
  // Which of the feature's values that score goes to.
  std::size_t value(std::size_t score) const { return collapse ? score / orientations : score; }

  std::array<std::uint8_t, kRelations> orientation{};
  std::size_t orientations = 0;
  bool backward = true;
  bool forward = false;
  bool by_target = true;  // fe: keyed by both phrases; f: by the source phrase
  bool collapse = false;  // one value a direction instead of one an orientation
};

class ReorderingTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Adds to `warnings` what is left out of a text table.
  ReorderingTable(const std::string& path, const std::string& label, const ReorderingType& type,
                  const std::vector<const PhraseTable*>& tables, Vocabulary& vocabulary,
                  int threads, std::vector<std::string>& warnings);

  const ReorderingType& type() const { return type_; }
  // The scores of a translation; null if the table has none, which costs nothing.
  const float* scores(std::size_t table, std::size_t entry) const {
    if (mapped_) {
      const float* row = mapped_ + entry * type_.table_width();
      return std::isnan(*row) ? nullptr : row;
    }
    const std::uint32_t row = rows_[table][entry];
    return row == kNone ? nullptr : scores_.data() + row * type_.table_width();
  }

 private:
  void map(const std::string& path, const std::string& label,
           const std::vector<const PhraseTable*>& tables);
  void append(TableBlock&& block, const std::string& path,
              const std::vector<const PhraseTable*>& tables, Vocabulary& vocabulary);
  void share(const PhraseTable& table, std::vector<std::uint32_t>& rows) const;

  ReorderingType type_;
  std::vector<std::vector<std::uint32_t>> rows_;  // by phrase table and entry
  std::vector<std::size_t> cursor_;               // while loading: where the last match was
  std::vector<float> scores_;
  const float* mapped_ = nullptr;  // those of a binary table, by entry
};

}  // namespace nlmt::decoder
