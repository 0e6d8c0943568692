// Noise-contrastive estimation with noise shared in a minibatch: classes by the whole minibatch,
// words within a class by the examples of that class. The samples are the same for many examples,
// so that scores, gradients of the hidden vectors and gradients of the rows are dense products, and
// a row that is drawn several times is computed once.
#pragma once

#include "outputs/class_noise.h"
#include "training/objective.h"

namespace nlmt::neural {

// Rows that were drawn as noise, each once; `Real` numbers are padded with zeros.
template <class Real>
class DrawnRows {
 public:
  std::vector<int32_t> rows;  // by falling number of draws

  int64_t size() const { return static_cast<int64_t>(rows.size()); }
  int64_t stride() const { return bias_.stride; }

  // Takes the samples (their order is lost) and copies the rows of weight `w` and bias `b`.
  void take(std::vector<int32_t>& samples, const Matrix<Real>& w, const Real* b,
            const AliasTable& noise) {
    std::sort(samples.begin(), samples.end());
    std::vector<std::pair<int, int32_t>> drawn;  // minus the number of draws, row
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (i == 0 || samples[i] != samples[i - 1]) drawn.emplace_back(0, samples[i]);
      --drawn.back().first;
    }
    std::sort(drawn.begin(), drawn.end());
    const int64_t n = static_cast<int64_t>(drawn.size());
    rows.resize(n);
    weight_ = Matrix<Real>(n, w.columns);
    bias_ = times_ = Matrix<Real>(1, n);
    const double log_k = std::log(static_cast<double>(samples.size()));
    for (int64_t i = 0; i < n; ++i) {
      const int32_t row = rows[i] = drawn[i].second;
      std::copy_n(w.row(row), w.stride, weight_.row(i));
      bias_.row(0)[i] = b[row] - static_cast<Real>(log_k + noise.log_probability(row));
      times_.row(0)[i] = static_cast<Real>(-drawn[i].first);
    }
    transposed_ = transpose<Real>(weight_);
  }

  // Loss of `n` hidden vectors being separated from the noise, p = sigmoid(score - log(k q)), each
  // row as often as it was drawn. The derivatives by the scores go to `deltas` (n x stride()),
  // those by the hidden vectors to `gradient`.
  double contrast(const Real* hidden, int64_t hidden_stride, int64_t n, Real* deltas,
                  Real* gradient, bool add) const {
    affine(transposed_, bias_, hidden, hidden_stride, n, deltas);
    const Real* times = times_.row(0);
    double loss = 0;
    for (int64_t m = 0; m < n; ++m) {
      Real* one = deltas + m * stride();
      double survived = 1;
      for (int64_t begin = 0; begin < stride(); begin += kWidth<Real>) {
        const Vec<Real> p = Real(1) / (Real(1) + exponential(-load(one + begin)));
        store(one + begin, p * load(times + begin));
        const int64_t end = std::min<int64_t>(begin + kWidth<Real>, size());
        for (int64_t i = begin; i < end; ++i) {
          // The logarithm of a product is cheaper than the sum of logarithms.
          survived *= std::max<double>(Real(1) - p[i - begin], 1e-30);
          if (i + 1 == size() || times[i + 1] != times[i] || survived < 1e-150) {
            loss -= static_cast<double>(times[i]) * std::log(survived);
            survived = 1;
          }
        }
      }
    }
    multiply<Real>(n, hidden_stride, size(), deltas, stride(), 1, weight_.row(0), weight_.stride,
                   gradient, hidden_stride, add);
    return loss;
  }

 private:
  Matrix<Real> weight_, bias_, times_;
  Panels<Real> transposed_;
};

template <class Real>
class SharedNce : public NceObjective<Real> {
 public:
  SharedNce(ClassOutput<Real>& output, const StepSettings& steps, const ClassNoise& noise)
      : NceObjective<Real>(output, steps, noise), output_(output) {}

  // Groups examples of one class, which share the noise of the second layer.
  void arrange(Batch<Real>& batch) override { batch.group_by_class(output_.classes, by_class_); }

  void run(Batch<Real>& batch) override {
    using Layer = ClassOutput<Real>;
    const Classes& classes = output_.classes;
    const int64_t stride = output_.stride();
    std::vector<int32_t> samples(this->noise.samples);
    this->noise.draw_shared_classes(batch.key, batch.first, samples.data());
    drawn_.take(samples, output_.values(Layer::kClassWeight),
                output_.values(Layer::kClassBias).row(0), this->noise.classes);
    const int64_t row = drawn_.stride();
    deltas_.resize(batch.size * row);
    Real* deltas = deltas_.data();
    batch.losses.assign(batch.blocks() + classes.count(), 0.0);
    own_.resize(batch.size);
    entries_.resize(batch.size);
    batch.team.each_block(batch.size, [&](int64_t begin, int64_t end, int) {
      double& loss = batch.losses[begin / kBlock];
      loss = drawn_.contrast(batch.hidden->row(begin), stride, end - begin, deltas + begin * row,
                             batch.gradient->row(begin), false);
      for (int64_t m = begin; m < end; ++m) {
        entries_[m] = classes.of[batch.target(m)];
        loss += tell(batch, m, Layer::kClassWeight, entries_[m], this->noise.classes, own_[m]);
      }
    });
    entries_.insert(entries_.end(), drawn_.rows.begin(), drawn_.rows.end());
    touched_.sort(entries_, classes.count());
    sums_ = Matrix<Real>(drawn_.size(), output_.dim);
    const int64_t tiles = dense_tasks(drawn_.size());
    batch.team.each(tiles + classes.count(), [&](int64_t task, int thread) {
      if (task < tiles) {
        const int64_t begin = task * kDenseRows, end = std::min(begin + kDenseRows, drawn_.size());
        multiply<Real>(end - begin, stride, batch.size, deltas + begin, 1, row,
                       batch.hidden->row(0), stride, sums_.row(begin), stride, false);
      } else if (classes.size(task - tiles) > 1) {
        words_of_class(task - tiles, batch, thread);
      }
    });
    std::vector<Real> bias_sums(drawn_.size());
    for (int64_t m = 0; m < batch.size; ++m) {
      for (int64_t i = 0; i < drawn_.size(); ++i) bias_sums[i] += deltas[m * row + i];
    }
    batch.team.each(batch.kShares, [&](int64_t share, int thread) {
      step_rows(batch, Layer::kClassWeight, 0, touched_, touched_.border(share, batch.kShares),
                touched_.border(share + 1, batch.kShares), 0, batch.size, own_.data(), sums_.row(0),
                bias_sums.data(), batch.scratch(thread, stride));
    });
  }

 private:
  // Loss of an example's own row being separated from noise; adds to the hidden vector's gradient.
  double tell(Batch<Real>& batch, int64_t m, int weight, int64_t row, const AliasTable& noise,
              Real& delta) const {
    const int64_t stride = output_.stride();
    const Real* w = output_.values(weight).row(row);
    const double x = dot(stride, batch.hidden->row(m), w) + output_.values(weight + 1).row(0)[row] -
                     std::log(static_cast<double>(this->noise.samples)) -
                     noise.log_probability(row);
    delta = static_cast<Real>(-1 / (1 + std::exp(x)));
    Real* gradient = batch.gradient->row(m);
    for (int64_t d = 0; d < stride; ++d) gradient[d] += delta * w[d];
    return x < 0 ? std::log1p(std::exp(x)) - x : std::log1p(std::exp(-x));
  }

  // Steps rows whose entries are examples from `begin` on, `n` of them, then the drawn rows with
  // their gradients in `sums` and `bias_sums`.
  void step_rows(Batch<Real>& batch, int weight, int64_t at, const Touched& touched, int64_t first,
                 int64_t last, int64_t begin, int64_t n, const Real* own, const Real* sums,
                 const Real* bias_sums, Real* gradient) {
    const int64_t stride = output_.stride();
    step_touched(
        this->optimiser, weight, weight + 1, at, touched, first, last,
        [&](int32_t e) { return e < n ? batch.hidden->row(begin + e) : sums + (e - n) * stride; },
        [&](int32_t e) { return e < n ? own[e] : Real(1); },
        [&](int32_t e) { return e < n ? own[e] : bias_sums[e - n]; }, gradient, stride);
  }

  // Forward, backward and step of the words of one class.
  void words_of_class(int64_t c, Batch<Real>& batch, int thread) {
    using Layer = ClassOutput<Real>;
    const Classes& classes = output_.classes;
    const int64_t begin = by_class_.offset[c], n = by_class_.offset[c + 1] - begin;
    if (n == 0) return;
    std::vector<int32_t> samples(this->noise.samples);
    this->noise.draw_shared_rows(batch.key, batch.first, static_cast<int>(c), samples.data());
    DrawnRows<Real> drawn;
    drawn.take(samples, output_.values(Layer::kWordWeight), output_.values(Layer::kWordBias).row(0),
               this->noise.rows);
    const int64_t stride = output_.stride(), row = drawn.stride();
    Real* deltas = batch.scratch(thread, n * row + (drawn.size() + 1) * stride);
    Real* sums = deltas + n * row;
    Real* gradient = sums + drawn.size() * stride;
    double& loss = batch.losses[batch.blocks() + c];
    loss = drawn.contrast(batch.hidden->row(begin), stride, n, deltas, batch.gradient->row(begin),
                          true);
    std::vector<Real> own(n), bias_sums(drawn.size());
    std::vector<int32_t> entries(n);
    for (int64_t m = 0; m < n; ++m) {
      const int64_t word = classes.row[batch.target(begin + m)];
      loss += tell(batch, begin + m, Layer::kWordWeight, word, this->noise.rows, own[m]);
      entries[m] = static_cast<int32_t>(word - classes.start[c]);
      for (int64_t i = 0; i < drawn.size(); ++i) bias_sums[i] += deltas[m * row + i];
    }
    for (const int32_t one : drawn.rows) {
      entries.push_back(static_cast<int32_t>(one - classes.start[c]));
    }
    Touched touched;
    touched.sort(entries, classes.size(c));
    multiply<Real>(drawn.size(), stride, n, deltas, 1, row, batch.hidden->row(begin), stride, sums,
                   stride, false);
    step_rows(batch, Layer::kWordWeight, classes.start[c], touched, 0, classes.size(c), begin, n,
              own.data(), sums, bias_sums.data(), gradient);
  }

  ClassOutput<Real>& output_;
  Touched by_class_;
  DrawnRows<Real> drawn_;  // classes
  Buffer<Real> deltas_;    // (examples x drawn classes)
  Matrix<Real> sums_;      // gradient of the row of each drawn class
  std::vector<Real> own_;  // derivative by the score of each example's class
  std::vector<int32_t> entries_;
  Touched touched_;
};

}  // namespace nlmt::neural
