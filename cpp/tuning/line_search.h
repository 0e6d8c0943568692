// The best step along a line through the space of weights, exactly (Och 2003).
#pragma once

#include <cstdint>
#include <vector>

#include "envelope.h"
#include "lists.h"

namespace nlmt::tuning {

struct Step {
  double length;  // how far to go along the direction; 0: stay
  double value;   // of the objective there
};

// Smallest and largest slope of each sentence along one direction; 0 in empty lists.
struct SlopeRange {
  std::vector<double> lowest, highest;
  SlopeRange(const Lists& lists, const double* slopes);
};

class LineSearch {
 public:
  explicit LineSearch(const Lists& lists) : lists_(lists) {}

  // The middle of the interval with the highest value, the leftmost of equals; intervals narrower
  // than `kNarrow` are ignored. `scores` and `slopes` come from `Lists`.
  Step find(const double* scores, const double* slopes, const SlopeRange& range);

 private:
  // Where another hypothesis of a sentence begins to win.
  struct Winner {
    double from;
    bool first;  // of its sentence, from minus infinity on
    int64_t row;
  };
  struct Change {
    double at;
    int32_t from, to;  // numbers of statistics
  };
  void find_winners(const double* scores, const double* slopes, const SlopeRange& range);
  Sums find_changes();
  void sort_changes();
  Step find_best(Sums sums) const;

  const Lists& lists_;
  Envelope envelope_;
  std::vector<Winner> winners_;
  std::vector<Change> changes_, sorted_;
};

// Weights sum to 1 in magnitude and are printed with some six digits, which would lose a narrower
// optimum.
constexpr double kNarrow = 1e-6;

}  // namespace nlmt::tuning
