// The upper envelope of a sentence's hypotheses along a line (Och 2003; Macherey et al. 2008).
//
// Along point + x * direction a hypothesis scores intercept + x * slope; the envelope is the
// sequence of hypotheses that win, for x from minus to plus infinity. It is found from both ends:
// where two neighbours cross, the best hypothesis of all either is one of them, or belongs between
// them. All open crossings are processed in one pass over contiguous memory, and few passes are
// needed, as few hypotheses ever win.
#pragma once

#include <cstdint>
#include <vector>

#include "vector.h"

namespace nlmt::tuning {

// Thresholds are kept within this bound; weights are of the order of 1.
constexpr double kFar = 1e12;

struct Piece {
  double from;   // where the hypothesis begins to win; -kFar for the first
  int32_t line;  // place of the hypothesis within its sentence
};

class Envelope {
 public:
  // intercepts, slopes: `padded` values, a multiple of kLane; padding has intercept minus infinity.
  // lowest, highest: the smallest and the largest slope without padding.
  // Of hypotheses on one line the first is taken. The pieces stay valid until the next call.
  const std::vector<Piece>& find(const double* intercepts, const double* slopes, int64_t padded,
                                 double lowest, double highest);

 private:
  struct Winner {
    int32_t line;
    bool open;     // whether others may win between this one and the next
    double until;  // where the next one begins to win, once that is known
  };
  void find_highest(const double* intercepts, const double* slopes, int64_t padded);

  std::vector<Winner> winners_, next_;  // by rising slopes
  std::vector<double> at_;              // crossings that are open
  std::vector<Maximum> highest_;        // and the best hypotheses there
  std::vector<Piece> pieces_;
};

}  // namespace nlmt::tuning
