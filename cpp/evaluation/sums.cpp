#include "sums.h"

#include <algorithm>

namespace nlmt::evaluation {

namespace {

void add(int64_t* sums, const int32_t* row, size_t width) {
  for (size_t w = 0; w < width; ++w) sums[w] += row[w];
}

}  // namespace

std::vector<double> drawn_sums(const RunStatistics& statistics, const int64_t* drawn,
                               size_t draws) {
  const size_t sentences = statistics.sentences, columns = statistics.runs * statistics.width;
  std::vector<double> all(draws * columns);
  std::vector<int64_t> sums(columns);
  for (size_t draw = 0; draw < draws; ++draw) {
    std::fill(sums.begin(), sums.end(), 0);
    for (size_t i = 0; i < sentences; ++i) {
      add(sums.data(), statistics.row(drawn[draw * sentences + i], 0), columns);
    }
    std::copy(sums.begin(), sums.end(), all.begin() + draw * columns);
  }
  return all;
}

std::vector<double> exchanged_sums(const RunStatistics& statistics, const int16_t* exchanges,
                                   size_t trials) {
  const size_t runs = statistics.runs, width = statistics.width;
  std::vector<double> all(trials * runs * width);
  std::vector<int64_t> sums(runs * width);
  for (size_t trial = 0; trial < trials; ++trial) {
    std::fill(sums.begin(), sums.end(), 0);
    for (size_t sentence = 0; sentence < statistics.sentences; ++sentence, exchanges += runs) {
      for (size_t place = 0; place < runs; ++place) {
        add(&sums[place * width], statistics.row(sentence, exchanges[place]), width);
      }
    }
    std::copy(sums.begin(), sums.end(), all.begin() + trial * runs * width);
  }
  return all;
}

}  // namespace nlmt::evaluation
