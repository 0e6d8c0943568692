// An output layer that scores word by word, in single precision, as the search does.
#pragma once

#include <optional>

#include "outputs/classes.h"
#include "outputs/tree_paths.h"

namespace nlmt::neural {

// Units with rows of their own.
template <class Row>
struct OwnUnits {
  typename Row::Rows rows;
  Buffer<float> bias;

  Units<Row> view() const { return {&rows, bias.data()}; }
};

// A softmax has one unit a word. With classes, whose words have contiguous units, it is one over
// classes, then one over the words of a class. With paths, the units are the nodes of a tree.
template <class Row>
struct WordOutput {
  OwnUnits<Row> units;
  std::optional<Classes> classes = {};
  OwnUnits<FloatRow<float>> class_units = {};
  std::optional<TreePaths<float>> paths = {};
  std::optional<Normaliser> normaliser = {};  // over classes, or over all words

  // The natural-log probability of a word after a padded hidden vector, or its logit, from which
  // `log_z`, the normaliser of the hidden vector, is subtracted. `scratch` is overwritten.
  float score(const float* h, int32_t word, float log_z, float* scratch) const;
  int64_t scratch_size() const;
};

}  // namespace nlmt::neural
