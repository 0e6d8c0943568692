// Noise-contrastive estimation on the class and on the word within its class, with noise of its own
// for each example; the model's normaliser is fixed at 1 (Mnih and Teh 2012; Baltescu and Blunsom
// 2015, section 2.3).
#pragma once

#include "outputs/class_output.h"
#include "training/objective.h"
#include "training/random.h"

namespace nlmt::neural {

// The noise: the unigram of the classes, and of the words within the target's class.
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

template <class Real>
class ClassNce : public Objective<Real> {
 public:
  ClassNce(ClassOutput<Real>& output, const StepSettings& steps, const ClassNoise& noise)
      : Objective<Real>(output, steps), output_(output), noise_(noise) {}

  int noise_samples() const override { return noise_.samples; }
  void draw_noise(uint64_t key, uint64_t example, int32_t target, int32_t* noise_classes,
                  int32_t* noise_words) const override {
    const std::vector<int>& row = output_.classes.row;
    noise_.draw(key, example, output_.classes.of[target], noise_classes, noise_words);
    for (int i = 0; i < noise_.samples; ++i) {
      noise_words[i] =
          static_cast<int32_t>(std::find(row.begin(), row.end(), noise_words[i]) - row.begin());
    }
  }

  void arrange(Batch<Real>& batch) override {
    const int64_t choices = noise_.samples + 1;
    for (Deltas<Real>* deltas : {&classes_, &words_}) deltas->resize(batch.size * choices);
    batch.each_slot([&](int64_t begin, int64_t end, int64_t, int) {
      for (int64_t m = begin; m < end; ++m) choose(m, batch);
    });
  }

  void run(Batch<Real>& batch) override {
    using Layer = ClassOutput<Real>;
    const int64_t choices = noise_.samples + 1;
    batch.losses.assign(batch.slots(), 0.0);
    if (batch.direct) batch.direct->open(batch.slots());
    words_.sort(output_.classes.start.back(), batch.team);
    classes_.sort(output_.classes.count(), batch.team);
    batch.each_slot([&](int64_t begin, int64_t end, int64_t slot, int) {
      for (int64_t m = begin; m < end; ++m) {
        if (m + 1 < end) fetch(m + 1);
        const bool many = words_.rows[m * choices] >= 0;
        std::fill_n(batch.gradient->row(m), output_.stride(), Real(0));
        batch.losses[slot] +=
            contrast(batch, m, slot, classes_, Layer::kClassWeight, noise_.classes);
        if (many) {
          batch.losses[slot] += contrast(batch, m, slot, words_, Layer::kWordWeight, noise_.rows);
        }
      }
    });
    const int64_t shares = classes_.shares();
    batch.team.each(2 * shares, [&](int64_t task, int thread) {
      if (task < shares) {
        classes_.step(this->optimiser, Layer::kClassWeight, Layer::kClassBias, task, batch, thread);
      } else {
        words_.step(this->optimiser, Layer::kWordWeight, Layer::kWordBias, task - shares, batch,
                    thread);
      }
    });
  }

 private:
  // The target's class and word, and their noise.
  void choose(int64_t m, const Batch<Real>& batch) {
    const Classes& classes = output_.classes;
    const int64_t choices = noise_.samples + 1, at = m * choices;
    int32_t* of = classes_.rows.data() + at;
    int32_t* rows = words_.rows.data() + at;
    of[0] = classes.of[batch.target(m)];
    rows[0] = classes.row[batch.target(m)];
    noise_.draw(batch.key, batch.number(m), of[0], of + 1, rows + 1);
    // The only word of a class has nothing to be distinguished from.
    if (classes.size(of[0]) == 1) std::fill_n(rows, choices, -1);
    std::fill_n(classes_.owner.data() + at, choices, static_cast<int32_t>(m));
    std::fill_n(words_.owner.data() + at, choices, static_cast<int32_t>(m));
  }

  // Brings the weights of an example's words into the cache while the one before is computed.
  void fetch(int64_t m) const {
    const int choices = noise_.samples + 1;
    for (int e = 0; e < choices; ++e) {
      const int32_t r = words_.rows[m * choices + e];
      if (r < 0) continue;
      const Real* row = output_.values(ClassOutput<Real>::kWordWeight).row(r);
      for (int64_t d = 0; d < output_.stride(); d += kAlign / sizeof(Real)) {
        __builtin_prefetch(row + d);
      }
    }
  }

  // Loss of one example among its choices, the target first: every choice is separated from noise
  // with p = sigmoid(score - log(k q)).
  double contrast(Batch<Real>& batch, int64_t m, int64_t slot, Deltas<Real>& deltas, int weight,
                  const AliasTable& noise) {
    const int choices = noise_.samples + 1;
    const int32_t* rows = deltas.rows.data() + m * choices;
    Real* values = deltas.values.data() + m * choices;
    const int64_t stride = output_.stride();
    const Matrix<Real>& w = output_.values(weight);
    const Real* b = output_.values(weight + 1).row(0);
    const auto log_k = static_cast<Real>(std::log(noise_.samples));
    const int64_t first = weight == ClassOutput<Real>::kClassWeight ? 0 : output_.classes.count();
    double survived = 1, loss = 0;
    for (int begin = 0; begin < choices; begin += kWidth<Real>) {
      const int n = std::min(kWidth<Real>, choices - begin);
      Real products[kWidth<Real>];
      dots<Real>(
          n, stride, batch.hidden->row(m),
          [&](int64_t i, int64_t d) { return load(w.row(rows[begin + i]) + d); }, products);
      Vec<Real> x{};
      for (int i = 0; i < n; ++i) {
        const int32_t r = rows[begin + i];
        x[i] = products[i] + b[r] - log_k - static_cast<Real>(noise.log_probability(r));
        if (!batch.direct) continue;
        x[i] += batch.direct->at(batch.example[m], first + r);
        batch.direct->note(slot, batch.example[m], first + r, 1, values + begin + i);
      }
      const Vec<Real> p = Real(1) / (Real(1) + exponential(-x));
      for (int i = 0; i < n; ++i) {
        // The logarithm of a product is cheaper than the sum of logarithms.
        survived *= std::max<double>(begin + i == 0 ? p[i] : Real(1) - p[i], 1e-30);
        values[begin + i] = begin + i == 0 ? p[i] - Real(1) : p[i];
      }
      if (survived < 1e-60) {  // the next ones leave it above 0
        loss -= std::log(survived);
        survived = 1;
      }
    }
    weighted_sum<Real>(
        stride, choices, [&](int64_t e) { return w.row(rows[e]); },
        [&](int64_t e) { return values[e]; }, batch.gradient->row(m), true);
    return loss - std::log(survived);
  }

  ClassOutput<Real>& output_;
  const ClassNoise noise_;
  Deltas<Real> classes_, words_;
};

}  // namespace nlmt::neural
