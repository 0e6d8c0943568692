// A Moses n-best list with other features, everything else byte for byte.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nbest_line.h"

namespace nlmt {

struct Rewriting {
  std::vector<std::string> removed;  // labels to leave out
  // Labels to write, with how many columns of `values` each takes: in their place where the list
  // has them, else behind the last feature.
  std::vector<Label> written;
  const double* values;  // (hypotheses, columns)
  int64_t hypotheses;    // of no concern where nothing is written
  // One weight for each value of the new list, to compute the totals anew; empty: they stay.
  std::vector<double> weights;
  // Each sentence's list by its totals, the highest first; equal ones keep their order.
  bool sorted;
  int64_t size;  // lines to keep of each sentence where they are sorted
};

// Copies the list at `input` to `output`; returns the number of hypotheses.
int64_t rewrite_nbest(const std::string& input, const std::string& output,
                      const Rewriting& rewriting, const std::function<void()>& poll);

}  // namespace nlmt
