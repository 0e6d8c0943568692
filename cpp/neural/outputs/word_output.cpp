#include "outputs/word_output.h"

namespace nlmt::neural {

template <class Row>
float WordOutput<Row>::score(const float* h, int32_t word, float log_z, float* scratch) const {
  if (paths) {
    paths->logits(units.view(), h, word, scratch);
    return static_cast<float>(log_sigmoids(scratch, paths->length(word)));
  }
  if (!classes) return units.view().logit(h, word) - log_z;
  const int c = classes->of[word];
  const float logit = units.view().logit(h, classes->row[word]) +
                      dot(class_units.rows.stride, h, FloatRow<float>::of(class_units.rows, c)) +
                      class_units.bias[c];
  units.view().logits(h, classes->start[c], classes->size(c), scratch);
  return logit - log_z - static_cast<float>(log_sum(scratch, classes->size(c)));
}

template <class Row>
int64_t WordOutput<Row>::scratch_size() const {
  const int64_t logits = std::max(classes ? classes->largest() : 0, paths ? paths->longest : 0);
  return std::max(Normaliser::kLogits, padded<float>(logits) + kWidth<float>);
}

template struct WordOutput<FloatRow<float>>;
template struct WordOutput<ByteRow>;

}  // namespace nlmt::neural
