#include "corpus_objective.h"

#include <cmath>
#include <stdexcept>

#include "evaluation/chrf.h"

namespace nlmt::tuning {
namespace {

// The fourth power of BLEU without the brevity penalty; 0 where an order has no match.
double precision_product(const double* sums) {
  double matches = 1, totals = 1;
  for (int n = 0; n < kBleuOrder; ++n) {
    matches *= sums[2 * n];
    totals *= sums[2 * n + 1];
  }
  return matches > 0 ? matches / totals : 0;
}

double bleu(const double* sums) {
  const double precision = std::sqrt(std::sqrt(precision_product(sums)));
  const double length = sums[1];
  const double reference = sums[2 * kBleuOrder];
  if (length >= reference || length <= 0) return precision;
  return precision * std::exp(1 - reference / length);
}

double ter(const double* sums) {
  if (sums[1] == 0) return sums[0] > 0;
  return sums[0] / sums[1];
}

class BleuObjective : public Objective {
 public:
  int width() const override { return 2 * kBleuOrder + 1; }
  double value(const Sums& sums) const override { return bleu(sums.data()); }
  bool may_exceed(const Sums& sums, double best) const override {
    return best < 0 || precision_product(sums.data()) > best * best * best * best;
  }
  double reference_length(const Sums& sums) const override { return sums[2 * kBleuOrder]; }
};

class TerObjective : public Objective {
 public:
  int width() const override { return 2; }
  double value(const Sums& sums) const override { return -ter(sums.data()); }
  double reference_length(const Sums& sums) const override { return sums[1]; }
};

class TerBleuObjective : public Objective {
 public:
  int width() const override { return 2 * kBleuOrder + 3; }
  double value(const Sums& sums) const override {
    return (bleu(sums.data()) - ter(&sums[2 * kBleuOrder + 1])) / 2;
  }
  double reference_length(const Sums& sums) const override { return sums[2 * kBleuOrder]; }
};

class ChrfObjective : public Objective {
 public:
  int width() const override { return evaluation::ChrfStatistics::kWidth; }
  double value(const Sums& sums) const override { return evaluation::chrf_score(sums.data()); }
  double reference_length(const Sums& sums) const override { return sums[1]; }
};

}  // namespace

std::unique_ptr<const Objective> make_objective(const std::string& name) {
  if (name == "bleu") return std::make_unique<BleuObjective>();
  if (name == "ter") return std::make_unique<TerObjective>();
  if (name == "ter-bleu") return std::make_unique<TerBleuObjective>();
  if (name == "chrf") return std::make_unique<ChrfObjective>();
  throw std::invalid_argument("unknown objective: " + name);
}

}  // namespace nlmt::tuning
