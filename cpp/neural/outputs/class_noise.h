// The noise of NCE over a class-factored or full softmax: the unigram of the classes, and of the
// words within the target's class (Baltescu and Blunsom 2015, section 2.3).
#pragma once

#include "outputs/class_output.h"
#include "training/objective.h"
#include "training/random.h"

namespace nlmt::neural {

struct ClassNoise {
  int samples;               // of either layer
  AliasTable classes, rows;  // rows: a range for each class

  // `counts`: of each word as a target.
  ClassNoise(const Classes& classes, int samples, const double* counts)
      : samples(samples), structure_(&classes) {
    std::vector<double> by_row(classes.start.back()), by_class(classes.count());
    for (int64_t w = 0; w < classes.words(); ++w) {
      if (classes.of[w] < 0) continue;
      by_row[classes.row[w]] = counts[w];
      by_class[classes.of[w]] += counts[w];
    }
    this->classes.add(by_class.data(), static_cast<int>(classes.count()));
    for (int64_t c = 0; c < classes.count(); ++c) {
      rows.add(by_row.data() + classes.start[c], static_cast<int>(classes.size(c)));
    }
  }

  // The noise of an example: so many classes, and as many rows within the target's class.
  void draw(uint64_t key, uint64_t example, int target_class, int32_t* noise_classes,
            int32_t* noise_rows) const {
    Random random(key, example);
    const int count = static_cast<int>(structure_->count());
    for (int i = 0; i < samples; ++i) noise_classes[i] = classes.draw(0, count, random);
    const int64_t begin = structure_->start[target_class];
    const int size = static_cast<int>(structure_->size(target_class));
    for (int i = 0; i < samples; ++i) {
      noise_rows[i] = static_cast<int32_t>(begin) + rows.draw(begin, size, random);
    }
  }

 private:
  const Classes* structure_;
};

}  // namespace nlmt::neural
