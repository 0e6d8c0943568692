// Sums of the statistics of a test set's sentences, over random draws and exchanges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nlmt::evaluation {

// Statistics by sentence, run and column.
struct RunStatistics {
  const int32_t* values;
  size_t sentences;
  size_t runs;
  size_t width;

  const int32_t* row(size_t sentence, size_t run) const {
    return values + (sentence * runs + run) * width;
  }
};

// Sums (draws, runs, width) of the drawn sentences (draws, sentences).
std::vector<double> drawn_sums(const RunStatistics& statistics, const int64_t* drawn, size_t draws);

// Sums (trials, runs, width) after the outputs of each sentence are exchanged between the runs:
// `exchanges` (trials, sentences, runs) has the run whose output replaces each run's.
std::vector<double> exchanged_sums(const RunStatistics& statistics, const int16_t* exchanges,
                                   size_t trials);

}  // namespace nlmt::evaluation
