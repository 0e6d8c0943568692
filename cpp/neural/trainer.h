// Training: minibatches of examples, gradients of likelihood or of noise-contrastive estimation,
// AdaGrad or plain gradient descent on the rows that an example touched.
//
// Every row of every parameter is summed and updated by one task, over the examples in their order:
// the result is the same for any number of threads, and no gradient buffers need be reduced.
#pragma once

#include "network.h"
#include "noise.h"
#include "touched.h"

namespace nlmt {

enum class Objective { kLikelihood, kNce };

template <class Real>
class Trainer {
 public:
  // `counts`: of each word as a target; the noise is drawn from them.
  Trainer(Network<Real>& network, Objective objective, int noise, const double* counts,
          bool adagrad, double dropout, int threads)
      : net_(network),
        objective_(objective),
        noise_(noise),
        adagrad_(adagrad),
        dropout_(static_cast<int>(std::lround(256 * dropout))),
        keep_(Real(1) - Real(dropout_) / 256),
        team_(threads),
        scratch_(threads) {
    for (int p = 0; p < kParts; ++p) {
      squares[p] = Matrix<Real>(net_.parts[p].rows, net_.parts[p].columns);
    }
    const Classes& classes = net_.classes;
    std::vector<double> by_row(classes.words()), by_class(classes.count());
    for (int64_t w = 0; w < classes.words(); ++w) {
      by_row[classes.row[w]] = counts[w];
      by_class[classes.of[w]] += counts[w];
    }
    class_noise_.add(by_class.data(), static_cast<int>(classes.count()));
    for (int64_t c = 0; c < classes.count(); ++c) {
      word_noise_.add(by_row.data() + classes.start[c], static_cast<int>(classes.size(c)));
    }
  }

  const Network<Real>& network() const { return net_; }
  int noise() const { return noise_; }

  // Sums of squared gradients of each part (AdaGrad).
  Matrix<Real> squares[kParts];

  // The noise of one example: `noise` classes, and as many rows within the target's class.
  void draw(uint64_t key, uint64_t example, int target_class, int* noise_classes,
            int* noise_rows) const {
    const Classes& classes = net_.classes;
    Random random(key, example);
    const int count = static_cast<int>(classes.count());
    for (int i = 0; i < noise_; ++i) noise_classes[i] = class_noise_.draw(0, count, random);
    const int64_t begin = classes.start[target_class];
    const int size = static_cast<int>(classes.size(target_class));
    for (int i = 0; i < noise_; ++i) {
      noise_rows[i] = static_cast<int>(begin) + word_noise_.draw(begin, size, random);
    }
  }

  // Which units of an example stay (1 / share kept) and which are left out (0).
  void draw_mask(uint64_t key, uint64_t example, Real* mask) const {
    constexpr int64_t kBytes = 64;
    Random random(~key, example);
    const Real scale = Real(1) / keep_;
    for (int64_t begin = 0; begin < net_.dim; begin += kBytes) {
      uint64_t words[kBytes / 8];
      unsigned char bytes[kBytes];
      for (uint64_t& word : words) word = random.next();
      std::memcpy(bytes, words, kBytes);
      const int64_t n = std::min(kBytes, net_.dim - begin);
      for (int64_t i = 0; i < n; ++i) mask[begin + i] = bytes[i] < dropout_ ? Real(0) : scale;
    }
  }

  // Goes once over n windows (context, then target) in minibatches. The i-th window is example
  // first + i: it draws the random numbers of that number, and the step of a minibatch is
  // rate - decline * (number of its first example). Returns the sum of the objective's loss.
  double train(const int32_t* windows, int64_t n, uint64_t first, uint64_t key, int64_t minibatch,
               double rate, double decline) {
    double loss = 0;
    for (int64_t at = 0; at < n; at += minibatch) {
      const int64_t size = std::min(minibatch, n - at);
      key_ = key;
      first_ = first + static_cast<uint64_t>(at);
      start(windows + at * width(), size, rate - decline * static_cast<double>(first_));
      if (objective_ == Objective::kNce) {
        nce();
      } else {
        likelihood();
      }
      update_input();
      for (const double one : losses_) loss += one;
    }
    return loss;
  }

 private:
  static constexpr int64_t kBlock = Network<Real>::kBlock;
  static constexpr int64_t kShares = 64;     // tasks that the rows of a part are dealt to
  static constexpr int64_t kClassRows = 12;  // rows of the class layer in a task
  static constexpr int64_t kDepth = 240;     // examples whose hidden vectors stay in the cache

  int64_t width() const { return net_.context + 1; }
  int64_t blocks() const { return (size_ + kBlock - 1) / kBlock; }
  const int32_t* window(int64_t m) const { return windows_ + example_[m] * width(); }
  int target(int64_t m) const { return window(m)[net_.context]; }

  void start(const int32_t* windows, int64_t size, double rate) {
    windows_ = windows;
    size_ = size;
    rate_ = Real(adagrad_ ? rate : rate / static_cast<double>(size));
    if (hidden_.rows < size) {
      hidden_ = Matrix<Real>(size, net_.dim);
      gradient_ = Matrix<Real>(size, net_.dim);
      mask_ = Matrix<Real>(dropout_ > 0 ? size : 0, net_.dim);
    }
    losses_.assign(blocks() + net_.classes.count(), 0.0);
    example_.resize(size);
    for (int64_t m = 0; m < size; ++m) example_[m] = static_cast<int32_t>(m);
  }

  // One step along the gradient of n elements (padded) of a part.
  void step(Part part, int64_t row, const Real* gradient) {
    Real* w = net_.parts[part].row(row);
    Real* s = squares[part].row(row);
    const int64_t n = net_.parts[part].stride;
    if (!adagrad_) {
      for (int64_t d = 0; d < n; ++d) w[d] -= rate_ * gradient[d];
      return;
    }
    for (int64_t d = 0; d < n; ++d) {
      s[d] += gradient[d] * gradient[d];
      w[d] -= rate_ * gradient[d] / (std::sqrt(s[d]) + kTiny);
    }
  }
  void step_bias(Part part, int64_t i, Real gradient) {
    Real& w = net_.parts[part].row(0)[i];
    Real& s = squares[part].row(0)[i];
    if (adagrad_) {
      s += gradient * gradient;
      w -= rate_ * gradient / (std::sqrt(s) + kTiny);
    } else {
      w -= rate_ * gradient;
    }
  }

  Real* scratch(int thread, int64_t n) {
    if (static_cast<int64_t>(scratch_[thread].size()) < n) scratch_[thread].resize(n);
    return scratch_[thread].data();
  }

  // The hidden vector of example m, some of its units left out.
  void forward(int64_t m) {
    net_.hidden(window(m), hidden_.row(m));
    if (dropout_ == 0) return;
    Real* mask = mask_.row(m);
    draw_mask(key_, first_ + static_cast<uint64_t>(example_[m]), mask);
    Real* h = hidden_.row(m);
    for (int64_t d = 0; d < net_.stride(); ++d) h[d] *= mask[d];
  }

  // From the gradient of the hidden vector to that of the sum before the activation.
  void backward(int64_t m) {
    Real* gradient = gradient_.row(m);
    if (dropout_ > 0) {
      const Real* mask = mask_.row(m);
      for (int64_t d = 0; d < net_.stride(); ++d) gradient[d] *= mask[d];
    }
    // What a unit was before it was scaled up; units left out have no gradient to be derived.
    derive(net_.activation, hidden_.row(m), keep_, gradient, net_.stride());
  }

  // ---- likelihood -------------------------------------------------------------------------

  void likelihood() {
    const Classes& classes = net_.classes;
    const int64_t n = net_.class_stride(), stride = net_.stride();
    // Examples of one class stand together: their words form one small dense product.
    std::vector<int32_t> of(size_);
    for (int64_t m = 0; m < size_; ++m) of[m] = classes.of[target(m)];
    by_class_.sort(of, classes.count());
    example_ = by_class_.entry;
    if (probability_.rows < size_) probability_ = Matrix<Real>(size_, classes.count());
    const Matrix<Real> transposed = net_.transposed_classes();

    team_.each(blocks(), [&](int64_t block, int) {
      const int64_t begin = block * kBlock, end = std::min(begin + kBlock, size_);
      for (int64_t m = begin; m < end; ++m) forward(m);
      Real* p = probability_.row(begin);
      net_.class_logits(transposed, hidden_.row(begin), end - begin, p);
      for (int64_t m = begin; m < end; ++m, p += n) {
        const int c = classes.of[target(m)];
        const double logit = p[c];
        losses_[block] += softmax(p, classes.count(), n) - logit;
        p[c] -= Real(1);
      }
      multiply<Real>(end - begin, stride, classes.count(), probability_.row(begin), n, 1,
                     net_.parts[kClassWeight].data.data(), stride, gradient_.row(begin), stride,
                     false);
    });

    const int64_t tiles = (classes.count() + kClassRows - 1) / kClassRows;
    team_.each(tiles + classes.count(), [&](int64_t task, int thread) {
      if (task < tiles) {
        update_classes(task * kClassRows, std::min((task + 1) * kClassRows, classes.count()),
                       thread);
      } else if (classes.size(task - tiles) > 1) {
        words_of_class(task - tiles, thread);
      }
    });
    team_.each(blocks(), [&](int64_t block, int) {
      for (int64_t m = block * kBlock; m < std::min((block + 1) * kBlock, size_); ++m) {
        backward(m);
      }
    });
  }

  // Gradient of some rows of the class layer: (rows x examples) (examples x dim).
  void update_classes(int64_t begin, int64_t end, int thread) {
    const int64_t n = net_.class_stride(), stride = net_.stride();
    Real* gradient = scratch(thread, kClassRows * stride);
    for (int64_t m = 0; m < size_; m += kDepth) {
      multiply<Real>(end - begin, stride, std::min(kDepth, size_ - m), probability_.row(m) + begin,
                     1, n, hidden_.row(m), stride, gradient, stride, m > 0);
    }
    for (int64_t c = begin; c < end; ++c) {
      Real bias = 0;
      for (int64_t m = 0; m < size_; ++m) bias += probability_.row(m)[c];
      step(kClassWeight, c, gradient + (c - begin) * stride);
      step_bias(kClassBias, c, bias);
    }
  }

  // Forward, backward and update of the words of one class.
  void words_of_class(int64_t c, int thread) {
    const Classes& classes = net_.classes;
    const int64_t begin = by_class_.offset[c], end = by_class_.offset[c + 1];
    if (begin == end) return;
    const int64_t n = classes.size(c), row = padded<Real>(n), stride = net_.stride();
    Real* p = scratch(thread, (end - begin) * row + stride);
    Real* gradient = p + (end - begin) * row;
    double loss = 0;
    for (int64_t m = begin; m < end; ++m) {
      Real* one = p + (m - begin) * row;
      net_.word_logits(c, hidden_.row(m), one);
      const int64_t j = classes.row[target(m)] - classes.start[c];
      const double logit = one[j];
      loss += softmax(one, n, row) - logit;
      one[j] -= Real(1);
    }
    losses_[blocks() + c] = loss;
    multiply<Real>(end - begin, stride, n, p, row, 1, net_.parts[kWordWeight].row(classes.start[c]),
                   stride, gradient_.row(begin), stride, true);
    for (int64_t j = 0; j < n; ++j) {
      multiply<Real>(1, stride, end - begin, p + j, 1, row, hidden_.row(begin), stride, gradient,
                     stride, false);
      Real bias = 0;
      for (int64_t i = 0; i < end - begin; ++i) bias += p[i * row + j];
      step(kWordWeight, classes.start[c] + j, gradient);
      step_bias(kWordBias, classes.start[c] + j, bias);
    }
  }

  // ---- noise-contrastive estimation ---------------------------------------------------------

  void nce() {
    const int64_t choices = noise_ + 1, stride = net_.stride();
    class_deltas_.resize(size_ * choices);
    word_deltas_.resize(size_ * choices);
    team_.each(blocks(), [&](int64_t block, int) {
      for (int64_t m = block * kBlock; m < std::min((block + 1) * kBlock, size_); ++m) {
        int32_t* classes = class_deltas_.rows.data() + m * choices;
        int32_t* words = word_deltas_.rows.data() + m * choices;
        classes[0] = net_.classes.of[target(m)];
        words[0] = net_.classes.row[target(m)];
        draw(key_, first_ + static_cast<uint64_t>(m), classes[0], classes + 1, words + 1);
        if (net_.classes.size(classes[0]) == 1) std::fill_n(words, choices, -1);
      }
      for (int64_t m = block * kBlock; m < std::min((block + 1) * kBlock, size_); ++m) {
        forward(m);
        std::fill_n(gradient_.row(m), stride, Real(0));
        losses_[block] += contrast(m, class_deltas_, kClassWeight, kClassBias, class_noise_);
        if (word_deltas_.rows[m * choices] >= 0) {
          losses_[block] += contrast(m, word_deltas_, kWordWeight, kWordBias, word_noise_);
        }
        backward(m);
      }
    });
    Deltas<Real>* deltas[] = {&class_deltas_, &word_deltas_};
    const Part weights[] = {kClassWeight, kWordWeight};
    const Part biases[] = {kClassBias, kWordBias};
    team_.each(2, [&](int64_t i, int) {
      deltas[i]->touched.sort(deltas[i]->rows, net_.parts[weights[i]].rows);
    });
    team_.each(2 * kShares, [&](int64_t task, int thread) {
      const int64_t i = task / kShares, share = task % kShares;
      const Touched& touched = deltas[i]->touched;
      for (int64_t r = touched.border(share, kShares); r < touched.border(share + 1, kShares);
           ++r) {
        update_row(*deltas[i], r, weights[i], biases[i], thread);
      }
    });
  }

  // Loss of one example among its choices, the target first: every choice is told from noise with
  // p = sigmoid(score - log(k q)), the model's normaliser held at 1 (Mnih and Teh 2012).
  double contrast(int64_t m, Deltas<Real>& deltas, Part weight, Part bias,
                  const AliasTable& noise) {
    const int choices = noise_ + 1;
    const int32_t* rows = deltas.rows.data() + m * choices;
    Real* values = deltas.values.data() + m * choices;
    const int64_t stride = net_.stride();
    const Matrix<Real>& w = net_.parts[weight];
    const Real* b = net_.parts[bias].row(0);
    const Real log_k = std::log(static_cast<Real>(noise_));
    double survived = 1, loss = 0;
    for (int begin = 0; begin < choices; begin += kWidth<Real>) {
      const int n = std::min(kWidth<Real>, choices - begin);
      Vec<Real> x{};
      for (int i = 0; i < n; ++i) {
        const int32_t r = rows[begin + i];
        x[i] = dot(stride, hidden_.row(m), w.row(r)) + b[r] - log_k -
               static_cast<Real>(noise.log_probability(r));
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
        [&](int64_t e) { return values[e]; }, gradient_.row(m), true);
    return loss - std::log(survived);
  }

  void update_row(const Deltas<Real>& deltas, int64_t r, Part weight, Part bias, int thread) {
    const int64_t begin = deltas.touched.offset[r], end = deltas.touched.offset[r + 1];
    if (begin == end) return;
    const int32_t* entries = deltas.touched.entry.data() + begin;
    const int32_t choices = noise_ + 1;
    Real* gradient = scratch(thread, net_.stride());
    weighted_sum<Real>(
        net_.stride(), end - begin, [&](int64_t e) { return hidden_.row(entries[e] / choices); },
        [&](int64_t e) { return deltas.values[entries[e]]; }, gradient, false);
    Real total = 0;
    for (int64_t e = 0; e < end - begin; ++e) total += deltas.values[entries[e]];
    step(weight, r, gradient);
    step_bias(bias, r, total);
  }

  // ---- input --------------------------------------------------------------------------------

  // Embeddings and context matrices, from the gradients of the sums before the activation.
  void update_input() {
    const int64_t stride = net_.stride(), context = net_.context;
    // Entry j * size + m is word j of example m: a word's entries come sorted by position.
    input_rows_.resize(context * size_);
    for (int64_t m = 0; m < size_; ++m) {
      for (int64_t j = 0; j < context; ++j) input_rows_[j * size_ + m] = window(m)[j];
    }
    input_.sort(input_rows_, net_.classes.words());
    if (context_gradient_.rows == 0) {
      context_gradient_ = Matrix<Real>(kShares * context, net_.dim);
    }
    team_.each(kShares, [&](int64_t share, int thread) {
      Real* partial = context_gradient_.row(share * context);
      std::fill_n(partial, context * stride, Real(0));
      Real* sum = scratch(thread, 2 * stride);
      Real* gradient = sum + stride;
      for (int64_t w = input_.border(share, kShares); w < input_.border(share + 1, kShares); ++w) {
        int64_t e = input_.offset[w];
        const int64_t end = input_.offset[w + 1];
        if (e == end) continue;
        const Real* q = net_.parts[kEmbeddings].row(w);
        std::fill_n(gradient, stride, Real(0));
        while (e < end) {
          const int64_t j = input_.entry[e] / size_, begin = e;
          while (e < end && input_.entry[e] < (j + 1) * size_) ++e;
          const int32_t* entries = input_.entry.data() + begin;
          weighted_sum<Real>(
              stride, e - begin, [&](int64_t i) { return gradient_.row(entries[i] - j * size_); },
              [](int64_t) { return Real(1); }, sum, false);
          const Real* c = net_.parts[kContext].row(j);
          Real* gradient_c = partial + j * stride;
          for (int64_t d = 0; d < stride; ++d) {
            gradient[d] += c[d] * sum[d];
            gradient_c[d] += q[d] * sum[d];
          }
        }
        step(kEmbeddings, w, gradient);
      }
    });
    for (int64_t j = 0; j < context; ++j) {
      Real* total = context_gradient_.row(j);
      for (int64_t share = 1; share < kShares; ++share) {
        const Real* partial = context_gradient_.row(share * context + j);
        for (int64_t d = 0; d < stride; ++d) total[d] += partial[d];
      }
      step(kContext, j, total);
    }
  }

  static constexpr Real kTiny = Real(1e-8);

  Network<Real>& net_;
  Objective objective_;
  int noise_;
  bool adagrad_;
  int dropout_;  // units of 256 that are left out
  Real keep_;
  Team team_;
  AliasTable class_noise_, word_noise_;

  // The minibatch at hand.
  const int32_t* windows_ = nullptr;
  int64_t size_ = 0;
  Real rate_ = 0;
  uint64_t key_ = 0, first_ = 0;  // of the random numbers of its examples
  std::vector<int32_t> example_;  // the order in which the examples are taken
  std::vector<double> losses_;    // of each task, so that they are added in one order
  Matrix<Real> hidden_, gradient_, mask_, probability_, context_gradient_;
  std::vector<int32_t> input_rows_;
  Touched input_, by_class_;
  Deltas<Real> class_deltas_, word_deltas_;
  std::vector<Buffer<Real>> scratch_;
};

}  // namespace nlmt
