// Objectives of tuning: values that follow from summed statistics and grow with quality.
//
//   bleu      BLEU; 9 statistics: matches and totals of orders 1 to 4 in turn, reference length
//   ter       -TER; 2 statistics: edits, reference length
//   ter-bleu  (BLEU - TER) / 2; BLEU's statistics, then TER's
//   chrf      chrF; 18 statistics: for each order n-grams of hypothesis and reference, matches
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace nlmt::tuning {

constexpr int kBleuOrder = 4;

// The widest objective has 18 statistics. Sums of counts are exact in doubles.
constexpr int kMostStatistics = 24;
using Sums = std::array<double, kMostStatistics>;

class Objective {
 public:
  virtual ~Objective() = default;
  virtual int width() const = 0;
  virtual double value(const Sums& sums) const = 0;
  // The length of the references that were counted, in words; in characters for chrf.
  virtual double reference_length(const Sums& sums) const = 0;
  // False only if the value is certainly not above the given one; much cheaper than the value.
  virtual bool may_exceed(const Sums&, double) const { return true; }
};

struct Optimum {
  std::vector<double> weights;
  double value = -std::numeric_limits<double>::infinity();  // of the objective
};

// Throws std::invalid_argument for an unknown name.
std::unique_ptr<const Objective> make_objective(const std::string& name);

}  // namespace nlmt::tuning
