// Sufficient statistics of TER (Snover et al. 2006): the fewest edits to any reference, and the
// length of the references; of R references R times the edits and the sum of the lengths, so that
// both are integers and their quotient is edits by average length.
//
// The edits are those of Tercom as sacreBLEU computes them: shifts are taken greedily, the one
// that lowers the edit distance most, until none does; which shifts are tried, how far words move
// and how far the edit distance strays from the diagonal is bounded as there, for equal scores.
//
// A shift is worth a look only if it lowers the distance by what the best one so far does. So its
// distance is computed within a band that is as narrow as that allows, from the first word that it
// moves, and given up once a whole row of it is too high.
#pragma once

#include <cstdint>
#include <vector>

#include "ngrams.h"

namespace nlmt::evaluation {

class TerStatistics {
 public:
  static constexpr int kWidth = 2;

  void set_references(const References& references) { references_ = references; }
  void count(Words words, int32_t* out);

 private:
  enum Edit : uint8_t { kMatch, kSubstitute, kInsert, kDelete };
  // A run of words of the hypothesis and the place where it goes.
  struct Shift {
    int64_t start, length, target;
    int32_t gain;
  };
  struct Band {
    int64_t low, high;  // columns low ... high - 1
  };

  int32_t edits(Words words, Words reference);
  void align();
  void trace();
  Shift find_shift(int* tried);
  void try_shifts(int64_t start, int64_t reference, int64_t length, Shift* best, int* tried);
  int32_t distance_after(const Shift& shift, int32_t limit);
  Band band(int64_t row) const;
  void restore_row(int64_t row);
  void clear_row(int64_t low, int64_t end);
  int64_t size() const { return reference_.size; }

  References references_;
  Words reference_{nullptr, 0};   // the current one
  std::vector<int32_t> words_;    // of the hypothesis, shifted so far
  std::vector<int32_t> shifted_;  // the same after the shift that is tried
  // Edit distances of prefixes in the band of each row, and the last edit of each: beyond it none
  // is reached. Of a whole matrix two long lines would fill the memory.
  int64_t width_ = 0;  // of the widest row
  std::vector<int64_t> lows_;
  std::vector<int32_t> costs_;  // (words + 1, width)
  std::vector<Edit> edits_;
  int32_t distance_ = 0;        // of the whole
  std::vector<int32_t> place_;  // word of the reference -> word aligned with it, or before it
  // Number of wrong words before each place, in the hypothesis and in the reference.
  std::vector<int32_t> wrong_, wrong_reference_;
  std::vector<int32_t> above_, current_;  // rows that are being computed, valid around their bands
};

}  // namespace nlmt::evaluation
