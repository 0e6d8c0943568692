// Noise-contrastive estimation on the class and on the word within its class, the noise of either
// being its unigram; the model's normaliser is held at 1 (Mnih and Teh 2012; Baltescu and Blunsom
// 2015, section 3.3).
#pragma once

#include "class_output.h"
#include "noise.h"
#include "objective.h"

namespace nlmt {

// What draws the same noise: one example, or a whole minibatch.
enum class Sharing { kExample, kBatch };

inline Sharing sharing_named(const std::string& name) {
  if (name == "example") return Sharing::kExample;
  if (name == "batch") return Sharing::kBatch;
  throw std::invalid_argument("unknown sharing " + name);
}

template <class Real>
class ClassNce : public Objective<Real> {
 public:
  // `counts`: of each word as a target; the noise is drawn from them.
  ClassNce(ClassOutput<Real>& output, const StepSettings& steps, int samples, Sharing sharing,
           const double* counts)
      : Objective<Real>(output, steps), output_(output), samples_(samples), sharing_(sharing) {
    const Classes& classes = output.classes;
    std::vector<double> by_row(classes.start.back()), by_class(classes.count());
    for (int64_t w = 0; w < classes.words(); ++w) {
      if (classes.of[w] < 0) continue;
      by_row[classes.row[w]] = counts[w];
      by_class[classes.of[w]] += counts[w];
    }
    class_noise_.add(by_class.data(), static_cast<int>(classes.count()));
    for (int64_t c = 0; c < classes.count(); ++c) {
      word_noise_.add(by_row.data() + classes.start[c], static_cast<int>(classes.size(c)));
    }
  }

  int samples() const { return samples_; }

  // The noise of one example of a minibatch that begins with example `first`: so many classes, and
  // as many rows within the target's class.
  void draw(uint64_t key, uint64_t first, uint64_t example, int target_class, int* noise_classes,
            int* noise_rows) const {
    const Classes& classes = output_.classes;
    const bool shared = sharing_ == Sharing::kBatch;
    Random random(key, shared ? first : example);
    const int count = static_cast<int>(classes.count());
    for (int i = 0; i < samples_; ++i) noise_classes[i] = class_noise_.draw(0, count, random);
    // Examples of one class share their noise words: those of a class have a key of their own.
    if (shared) random = Random(key + 1 + static_cast<uint64_t>(target_class), first);
    const int64_t begin = classes.start[target_class];
    const int size = static_cast<int>(classes.size(target_class));
    for (int i = 0; i < samples_; ++i) {
      noise_rows[i] = static_cast<int>(begin) + word_noise_.draw(begin, size, random);
    }
  }

  void run(Batch<Real>& batch) override {
    using Layer = ClassOutput<Real>;
    const Classes& classes = output_.classes;
    const int64_t choices = samples_ + 1;
    batch.losses.assign(batch.blocks(), 0.0);
    for (Deltas<Real>* deltas : {&classes_, &words_}) deltas->resize(batch.size * choices);
    if (batch.direct) batch.direct->open(batch.blocks());
    batch.each_example([&](int64_t m, int64_t block) {
      const int64_t at = m * choices;
      int32_t* of = classes_.rows.data() + at;
      int32_t* rows = words_.rows.data() + at;
      of[0] = classes.of[batch.target(m)];
      rows[0] = classes.row[batch.target(m)];
      draw(batch.key, batch.first, batch.number(m), of[0], of + 1, rows + 1);
      // A word that is alone in its class needs no telling apart.
      if (classes.size(of[0]) == 1) std::fill_n(rows, choices, -1);
      std::fill_n(classes_.owner.data() + at, choices, static_cast<int32_t>(m));
      std::fill_n(words_.owner.data() + at, choices, static_cast<int32_t>(m));
      std::fill_n(batch.gradient->row(m), output_.stride(), Real(0));
      batch.losses[block] += contrast(batch, m, block, classes_, Layer::kClassWeight, class_noise_);
      if (rows[0] >= 0) {
        batch.losses[block] += contrast(batch, m, block, words_, Layer::kWordWeight, word_noise_);
      }
    });
    batch.team.each(2, [&](int64_t i, int) {
      Deltas<Real>& deltas = i == 0 ? classes_ : words_;
      deltas.touched.sort(deltas.rows, i == 0 ? classes.count() : classes.start.back());
    });
    batch.team.each(2 * batch.kShares, [&](int64_t task, int thread) {
      const int64_t share = task % batch.kShares;
      if (task < batch.kShares) {
        classes_.step(this->optimiser, Layer::kClassWeight, Layer::kClassBias, share, batch,
                      thread);
      } else {
        words_.step(this->optimiser, Layer::kWordWeight, Layer::kWordBias, share, batch, thread);
      }
    });
  }

 private:
  // Loss of one example among its choices, the target first: every choice is told from noise with
  // p = sigmoid(score - log(k q)).
  double contrast(Batch<Real>& batch, int64_t m, int64_t block, Deltas<Real>& deltas, int weight,
                  const AliasTable& noise) {
    const int choices = samples_ + 1;
    const int32_t* rows = deltas.rows.data() + m * choices;
    Real* values = deltas.values.data() + m * choices;
    const int64_t stride = output_.stride();
    const Matrix<Real>& w = output_.values(weight);
    const Real* b = output_.values(weight + 1).row(0);
    const Real log_k = std::log(static_cast<Real>(samples_));
    const int64_t first = weight == ClassOutput<Real>::kClassWeight ? 0 : output_.classes.count();
    double survived = 1, loss = 0;
    for (int begin = 0; begin < choices; begin += kWidth<Real>) {
      const int n = std::min(kWidth<Real>, choices - begin);
      Vec<Real> x{};
      for (int i = 0; i < n; ++i) {
        const int32_t r = rows[begin + i];
        x[i] = dot(stride, batch.hidden->row(m), w.row(r)) + b[r] - log_k -
               static_cast<Real>(noise.log_probability(r));
        if (!batch.direct) continue;
        x[i] += batch.direct->at(batch.example[m], first + r);
        batch.direct->note(block, batch.example[m], first + r, 1, values + begin + i);
      }
      const Vec<Real> p = Real(1) / (Real(1) + exponential(-x));
      for (int i = 0; i < n; ++i) {
        // The logarithm of a product is cheaper than the sum of logarithms.
        survived *= std::max<double>(begin + i == 0 ? p[i] : Real(1) - p[i], 1e-30);
        values[begin + i] = begin + i == 0 ? p[i] - Real(1) : p[i];
      }
      if (survived < 1e-150) {
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
  int samples_;
  Sharing sharing_;
  AliasTable class_noise_, word_noise_;
  Deltas<Real> classes_, words_;
};

}  // namespace nlmt
