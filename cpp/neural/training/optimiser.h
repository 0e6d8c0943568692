// Steps along gradients, row by row: plain descent, AdaGrad (Duchi et al. 2011), Adam (Kingma and
// Ba 2015, for the rows that have a gradient).
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "networks/layer.h"
#include "team.h"

namespace nlmt::neural {

enum class Rule { kSgd, kAdaGrad, kAdam };

inline Rule rule_named(const std::string& name) {
  if (name == "sgd") return Rule::kSgd;
  if (name == "adagrad") return Rule::kAdaGrad;
  if (name == "adam") return Rule::kAdam;
  throw std::invalid_argument("unknown optimiser " + name);
}

struct StepSettings {
  Rule rule;
  double clip;      // largest size of an element of the gradient; infinite for none
  double decay;     // L2 of one example: a step shrinks weights by rate * decay * examples
  double examples;  // of an epoch
};

// The rows `begin` to `end`, modulo their number, that a step shrinks, each for `examples`.
struct Turn {
  int64_t begin, end;
  double examples;
};

// Weight decay is cyclic: each example shrinks one row, on behalf of all examples until that row's
// next turn, and every row has its turn at least kTurns times in an epoch. Steps of as many
// examples as rows shrink all of them, as usual. The step has the examples `first` to `first` + n
// of an epoch of `total`.
inline Turn turn_of(int64_t rows, uint64_t first, int64_t n, double total) {
  constexpr double kTurns = 16;
  const double between = total / std::max(kTurns, std::ceil(total / static_cast<double>(rows)));
  const auto place = [&](uint64_t example) {
    return static_cast<int64_t>(static_cast<double>(example) / between * static_cast<double>(rows));
  };
  const Turn turn{place(first), place(first + static_cast<uint64_t>(n)), between};
  if (turn.end - turn.begin < rows) return turn;
  return {0, rows, static_cast<double>(n)};
}

template <class Real>
class Optimiser {
 public:
  Optimiser(std::vector<Parameter<Real>>& parameters, const StepSettings& settings)
      : parameters_(parameters), settings_(settings) {
    for (const auto& parameter : parameters) {
      const int64_t rows = parameter.values.rows, columns = parameter.values.columns;
      const bool adam = settings.rule == Rule::kAdam, any = settings.rule != Rule::kSgd;
      squares.emplace_back(any ? rows : 0, columns);
      moments.emplace_back(adam ? rows : 0, columns);
    }
  }

  // Of each parameter, in its layout: sums (AdaGrad) or means (Adam) of squared gradients, and
  // means of gradients (Adam); without rows where the rule has none.
  std::vector<Matrix<Real>> squares, moments;

  // The minibatch that follows: AdaGrad takes the sum of its examples' gradients, the others the
  // mean.
  void begin(double rate, int64_t examples) {
    rate_ = static_cast<Real>(rate);
    examples_ = examples;
    scale_ = Real(settings_.rule == Rule::kAdaGrad ? 1.0 : 1.0 / static_cast<double>(examples));
    left_ = std::max(0.0, 1 - rate * settings_.decay * static_cast<double>(examples));
  }

  // Weight decay before the step of the examples from `first` on. Biases, which are rows of
  // numbers, do not decay; in a table of single numbers each number is a row.
  void decay(uint64_t first, Team& team) {
    if (settings_.decay == 0) return;
    for (Parameter<Real>& parameter : parameters_) {
      Matrix<Real>& values = parameter.values;
      if (parameter.bias) continue;
      const bool single = values.rows == 1;
      const int64_t rows = single ? values.columns : values.rows;
      const int64_t width = single ? 1 : values.stride;
      const Turn turn = turn_of(rows, first, examples_, settings_.examples);
      const Real shrink =
          static_cast<Real>(std::pow(left_, turn.examples / static_cast<double>(examples_)));
      constexpr int64_t kRows = 64;
      team.each((turn.end - turn.begin + kRows - 1) / kRows, [&](int64_t task, int) {
        const int64_t from = turn.begin + task * kRows, to = std::min(from + kRows, turn.end);
        for (int64_t i = from; i < to; ++i) {
          const int64_t row = i % rows;  // its number outside, as the same in torch has it
          Real* w = values.data.data() +
                    (parameter.place == nullptr ? row : (*parameter.place)[row]) * width;
          for (int64_t d = 0; d < width; ++d) w[d] *= shrink;
        }
      });
    }
  }

  // One step along the gradient of a row.
  void step(int p, int64_t row, const Real* gradient) {
    update(p, row * parameters_[p].values.stride, gradient, parameters_[p].values.stride);
  }
  // The same for a part of a table of single numbers.
  void step_part(int p, int64_t at, const Real* gradient, int64_t n) { update(p, at, gradient, n); }
  // The same for one bias.
  void step_bias(int p, int64_t i, Real gradient) { update(p, i, &gradient, 1); }

 private:
  static constexpr Real kTiny = Real(1e-8);
  static constexpr Real kMean = Real(0.9), kSquare = Real(0.999);  // Adam's decay rates

  void update(int p, int64_t at, const Real* gradient, int64_t n) {
    Real* w = parameters_[p].values.data.data() + at;
    const Real bound = static_cast<Real>(settings_.clip);
    const auto value = [&](int64_t d) {
      const Real g = gradient[d] * scale_;
      return g > bound ? bound : g < -bound ? -bound : g;  // NaN stays NaN
    };
    if (settings_.rule == Rule::kSgd) {
      for (int64_t d = 0; d < n; ++d) w[d] -= rate_ * value(d);
      return;
    }
    Real* s = squares[p].data.data() + at;
    if (settings_.rule == Rule::kAdaGrad) {
      for (int64_t d = 0; d < n; ++d) {
        const Real g = value(d);
        s[d] += g * g;
        w[d] -= rate_ * g / (std::sqrt(s[d]) + kTiny);
      }
      return;
    }
    // A row without a gradient keeps its moments, as do those that no example touched.
    if (std::all_of(gradient, gradient + n, [](Real g) { return g == 0; })) return;
    Real* m = moments[p].data.data() + at;
    for (int64_t d = 0; d < n; ++d) {
      const Real g = value(d);
      m[d] = kMean * m[d] + (1 - kMean) * g;
      s[d] = kSquare * s[d] + (1 - kSquare) * g * g;
      w[d] -= rate_ * m[d] / (std::sqrt(s[d]) + kTiny);
    }
  }

  std::vector<Parameter<Real>>& parameters_;
  StepSettings settings_;
  Real rate_ = 0, scale_ = 1;
  int64_t examples_ = 1;
  double left_ = 1;  // of a weight after the decay of this step's examples
};

// A layer and the optimiser of its parameters.
template <class Real>
using Trained = std::pair<Layer<Real>*, Optimiser<Real>*>;

}  // namespace nlmt::neural
