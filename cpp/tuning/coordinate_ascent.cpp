#include "coordinate_ascent.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "random_directions.h"
#include "team.h"

namespace nlmt::tuning {
namespace {

// A pass that gains less than this is the last.
constexpr double kGain = 1e-5;
constexpr int kMaxPasses = 200;
// Number of optima that are continued, of consecutive passes without gain that end them, and of
// random directions that they try for each coordinate.
constexpr int kFinalists = 2;
constexpr int kPatience = 5;
constexpr int kDirections = 2;

}  // namespace

CoordinateAscent::CoordinateAscent(const Lists& lists, uint64_t seed, const std::atomic<bool>& stop)
    : lists_(lists), seed_(seed), stop_(stop) {
  for (int f = 0; f < lists.width(); ++f) {
    ranges_.emplace_back(lists, lists.column(f));
    const SlopeRange& range = ranges_.back();
    double sum = 0;
    for (int64_t s = 0; s < lists.sentences(); ++s) sum += range.highest[s] - range.lowest[s];
    spreads_.push_back(sum / static_cast<double>(std::max<int64_t>(lists.sentences(), 1)));
  }
}

Optimum CoordinateAscent::run(const double* starts, int count, int threads) const {
  std::vector<std::vector<double>> points;
  for (int i = 0; i < count; ++i) {
    const double* start = starts + static_cast<int64_t>(i) * lists_.width();
    points.emplace_back(start, start + lists_.width());
  }
  const auto better = [](const Optimum& a, const Optimum& b) { return a.value > b.value; };
  std::vector<Optimum> optima = climb_all(points, false, threads);
  std::stable_sort(optima.begin(), optima.end(), better);
  optima.resize(std::min(count, kFinalists));
  points.clear();
  for (const Optimum& optimum : optima) points.push_back(optimum.weights);
  optima = climb_all(points, true, threads);
  // Of equals the first.
  return *std::min_element(optima.begin(), optima.end(), better);
}

std::vector<Optimum> CoordinateAscent::climb_all(const std::vector<std::vector<double>>& starts,
                                                 bool finalists, int threads) const {
  std::vector<Optimum> optima(starts.size());
  for_each(starts.size(), static_cast<unsigned>(std::max(threads, 1)),
           [&](size_t i) { optima[i] = climb(starts[i], finalists, static_cast<int>(i)); });
  return optima;
}

Optimum CoordinateAscent::climb(const std::vector<double>& start, bool finalist, int number) const {
  std::seed_seq seeds{static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32),
                      static_cast<uint32_t>(finalist), static_cast<uint32_t>(number)};
  std::mt19937_64 random(seeds);
  const int width = lists_.width();
  Optimum found{start};
  std::vector<double> scores;
  LineSearch search(lists_);
  RandomDirections drawn(lists_, spreads_);
  std::vector<int> order(width + (finalist ? kDirections * width : 0));
  std::iota(order.begin(), order.end(), 0);
  // Coordinates along which no line search gains anything from the current weights.
  std::vector<char> settled(width, false);

  double before = -std::numeric_limits<double>::infinity();
  int idle = 0;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    // Steps are added to the scores; once per pass these are computed from the weights, to remove
    // rounding errors.
    normalise(found.weights.data(), width);
    lists_.scores(found.weights.data(), &scores);
    const double value = lists_.objective().value(lists_.sums(scores.data()));
    if (value != found.value) std::fill(settled.begin(), settled.end(), false);
    found.value = value;
    idle = found.value > before + kGain ? 0 : idle + 1;
    if (idle >= (finalist ? kPatience : 1)) break;
    before = found.value;
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    drawn.draw(static_cast<int>(order.size()) - width, &random);
    for (int choice : order) {
      if (stop_) return found;
      const bool coordinate = choice < width;
      if (coordinate && settled[choice]) continue;
      if (!coordinate) drawn.advance();
      const double* along = coordinate ? lists_.column(choice) : drawn.slopes();
      const Step step =
          search.find(scores.data(), along, coordinate ? ranges_[choice] : drawn.range());
      const bool gains = step.value > found.value;
      if (gains) {
        found.value = step.value;
        for (int64_t i = 0; i < lists_.rows(); ++i) scores[i] += step.length * along[i];
        std::fill(settled.begin(), settled.end(), false);
        if (coordinate) {
          found.weights[choice] += step.length;
        } else {
          for (int f = 0; f < width; ++f) found.weights[f] += step.length * drawn.direction()[f];
        }
      }
      if (coordinate) settled[choice] = true;
    }
  }
  return found;
}

}  // namespace nlmt::tuning
