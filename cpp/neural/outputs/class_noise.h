// The noise of NCE over a class-factored or full softmax: the unigram of the classes, and of the
// words within the target's class (Baltescu and Blunsom 2015, section 2.3).
#pragma once

#include "outputs/class_output.h"
#include "training/objective.h"
#include "training/random.h"

namespace nlmt::neural {

// The scope of shared noise: one example, or a whole minibatch.
enum class Sharing { kExample, kBatch };

inline Sharing sharing_named(const std::string& name) {
  if (name == "example") return Sharing::kExample;
  if (name == "batch") return Sharing::kBatch;
  throw std::invalid_argument("unknown sharing " + name);
}

struct ClassNoise {
  int samples;  // of either layer
  Sharing sharing;
  AliasTable classes, rows;  // rows: a range for each class

  // `counts`: of each word as a target.
  ClassNoise(const Classes& classes, int samples, Sharing sharing, const double* counts)
      : samples(samples), sharing(sharing), structure_(&classes) {
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

  // The noise of one example of a minibatch that begins with example `first`: so many classes, and
  // as many rows within the target's class.
  void draw(uint64_t key, uint64_t first, uint64_t example, int target_class,
            int32_t* noise_classes, int32_t* noise_rows) const {
    if (sharing == Sharing::kBatch) {
      draw_shared_classes(key, first, noise_classes);
      draw_shared_rows(key, first, target_class, noise_rows);
      return;
    }
    Random random(key, example);
    draw_classes(random, noise_classes);
    draw_rows(random, target_class, noise_rows);
  }

  // The classes that a minibatch shares.
  void draw_shared_classes(uint64_t key, uint64_t first, int32_t* out) const {
    Random random(key, first);
    draw_classes(random, out);
  }
  // The rows that its examples of one class share.
  void draw_shared_rows(uint64_t key, uint64_t first, int target_class, int32_t* out) const {
    Random random(key + 1 + static_cast<uint64_t>(target_class), first);
    draw_rows(random, target_class, out);
  }

 private:
  void draw_classes(Random& random, int32_t* out) const {
    const int count = static_cast<int>(structure_->count());
    for (int i = 0; i < samples; ++i) out[i] = classes.draw(0, count, random);
  }
  void draw_rows(Random& random, int target_class, int32_t* out) const {
    const int64_t begin = structure_->start[target_class];
    const int size = static_cast<int>(structure_->size(target_class));
    for (int i = 0; i < samples; ++i) {
      out[i] = static_cast<int32_t>(begin) + rows.draw(begin, size, random);
    }
  }

  const Classes* structure_;
};

template <class Real>
struct NceObjective : Objective<Real> {
  const ClassNoise noise;

  NceObjective(ClassOutput<Real>& output, const StepSettings& steps, const ClassNoise& noise)
      : Objective<Real>(output, steps), noise(noise), classes_(output.classes) {}

  int noise_samples() const override { return noise.samples; }
  void draw_noise(uint64_t key, uint64_t first, uint64_t example, int32_t target,
                  int32_t* noise_classes, int32_t* noise_words) const override {
    const int target_class = classes_.of[target];
    noise.draw(key, first, example, target_class, noise_classes, noise_words);
    for (int i = 0; i < noise.samples; ++i) {
      const auto row = std::find(classes_.row.begin(), classes_.row.end(), noise_words[i]);
      noise_words[i] = static_cast<int32_t>(row - classes_.row.begin());
    }
  }

 private:
  const Classes& classes_;
};

}  // namespace nlmt::neural
