// Moses n-best lists with other features or in another order, everything else byte for byte.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nbest_line.h"

namespace nlmt::io {

struct Rewriting {
  // Labels to write, with their numbers of columns of `values`: in place if the list has them, else
  // after the last feature.
  std::vector<Label> written;
  const double* values;  // (hypotheses, columns)
  int64_t hypotheses;    // ignored where nothing is written
  // One weight for each value of the new list, to recompute the totals; empty: they stay.
  std::vector<double> weights;
  // The lines of each sentence to take, the first ones; `values` has rows for these only.
  int64_t first;
  // Each sentence's list by its totals, the highest first; equal ones keep their order.
  bool sorted;
  // If sorted: the number of lines to keep of each sentence, and whether to keep only the best of
  // those with the same words.
  int64_t size;
  bool distinct;
};

// Copies the lists at `inputs`, as one, to `output`; returns the number of lines taken.
int64_t rewrite_nbest(const std::vector<std::string>& inputs, const std::string& output,
                      const Rewriting& rewriting, const std::function<void()>& poll);

}  // namespace nlmt::io
