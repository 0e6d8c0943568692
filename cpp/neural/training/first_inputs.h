// Inputs of the first layer of a recurrent network: words, and vectors beside them. A word that
// occurs in many places of a minibatch is multiplied once, and so is the sum of the gradients of
// all its places; likewise a vector.
#pragma once

#include <functional>

#include "networks/recurrent.h"
#include "training/objective.h"

namespace nlmt::neural {

// Vectors (count x side), and the one beside each of n words.
template <class Real>
struct SourceVectors {
  const Real* vectors = nullptr;
  int64_t count = 0;
  std::vector<int32_t> of;
};

template <class Real>
class FirstInputs {
 public:
  // Fills in the factors of a word's embedding, given the first of its places.
  using Mask = std::function<void(int32_t, Real*)>;

  // The different words of n places, then their vectors: a row for each. `mask` may be empty.
  void gather(const Recurrent<Real>& network, const typename Recurrent<Real>::Ready& ready,
              const std::vector<int32_t>& words, const SourceVectors<Real>& beside,
              const Mask& mask, Team& team) {
    arrange(network, words, beside);
    masked_ = static_cast<bool>(mask);
    if (masked_) reserve(mask_, word_count_, network.dim());
    reserve(inputs_, rows(), network.dim());
    reserve(sums_, rows(), network.gate_width());
    team.each_even_block(rows(), [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < std::min(end, word_count_); ++i) {
        Real* x = inputs_.row(i);
        std::copy_n(network.values(network.kEmbeddings).row(by_word_.row(i)), inputs_.stride, x);
        if (!masked_) continue;
        mask(by_word_.entry[by_word_.offset[i]], mask_.row(i));
        for (int64_t d = 0; d < inputs_.stride; ++d) x[d] *= mask_.row(i)[d];
      }
      const int64_t first = std::max(begin, word_count_);
      for (int64_t v = first - word_count_; v < end - word_count_; ++v) {
        std::copy_n(beside.vectors + by_vector_.row(v) * network.side, network.side,
                    vectors_.row(v));
      }
      if (first < end) {
        multiply<Real>(end - first, vectors_.row(first - word_count_), vectors_.stride,
                       ready.source, inputs_.row(first), inputs_.stride, false);
      }
      for (int64_t i = begin; i < end; ++i) {
        if (i < word_count_) {
          std::copy_n(ready.bias[0].row(0), sums_.stride, sums_.row(i));
        } else {
          std::fill_n(sums_.row(i), sums_.stride, Real(0));
        }
      }
      network.add_inputs(ready, 0, end - begin, inputs_.row(begin), sums_.row(begin), sums_.stride);
    });
  }

  // The sums of a place before its state: biases and what its inputs add.
  void begin(const Recurrent<Real>& network, const typename Recurrent<Real>::Ready& ready,
             int64_t place, Real* sums) const {
    std::copy_n(sums_.row(word_row_[place]), sums_.stride, sums);
    std::copy_n(ready.bias[0].row(0) + sums_.stride, network.width() - sums_.stride,
                sums + sums_.stride);
    if (vector_count_ == 0) return;
    const Real* more = sums_.row(word_count_ + vector_row_[place]);
    for (int64_t d = 0; d < sums_.stride; ++d) sums[d] += more[d];
  }

  // From the loss's derivatives by the sums of each place to those by the rows.
  void collect(const Recurrent<Real>& network, const Matrix<Real>& deltas, Team& team) {
    reserve(totals_, rows(), network.gate_width());
    constexpr int64_t kShares = Batch<Real>::kShares;
    const auto sum_up = [&](const Touched& touched, int64_t share, int64_t first) {
      const int64_t last = touched.border(share + 1, kShares);
      for (int64_t i = touched.border(share, kShares); i < last; ++i) {
        const int32_t* places = touched.entry.data() + touched.offset[i];
        weighted_sum<Real>(
            totals_.stride, touched.offset[i + 1] - touched.offset[i],
            [&](int64_t e) { return deltas.row(places[e]); }, [](int64_t) { return Real(1); },
            totals_.row(first + i), false);
      }
    };
    team.each(vector_count_ > 0 ? 2 * kShares : kShares, [&](int64_t task, int) {
      if (task < kShares) {
        sum_up(by_word_, task, 0);
      } else {
        sum_up(by_vector_, task - kShares, word_count_);
      }
    });
    if (!network.has_input_weight()) return;
    reserve(gradients_, rows(), network.dim());
    team.each_even_block(rows(), [&](int64_t begin, int64_t end, int) {
      network.pull_back(0, true, end - begin, totals_.row(begin), totals_.stride,
                        gradients_.row(begin), false);
    });
  }

  // After `collect`: derivatives by the sums of some slots, summed over the places of each row;
  // inputs; tasks of the step of the embeddings, and of the matrix of the vectors.
  MatrixView<Real> totals(int64_t column, int64_t columns) const {
    return {totals_.row(0) + column, rows(), columns, totals_.stride};
  }
  const Matrix<Real>& inputs() const { return inputs_; }
  void step_words(const Recurrent<Real>& network, Optimiser<Real>& optimiser, int64_t share) {
    constexpr int64_t kShares = Batch<Real>::kShares;
    const int64_t last = by_word_.border(share + 1, kShares);
    for (int64_t i = by_word_.border(share, kShares); i < last; ++i) {
      Real* gradient = gradients(network).row(i);
      for (int64_t d = 0; masked_ && d < mask_.stride; ++d) gradient[d] *= mask_.row(i)[d];
      optimiser.step(network.kEmbeddings, by_word_.row(i), gradient);
    }
  }
  void step_vectors(const Recurrent<Real>& network, Optimiser<Real>& optimiser, int64_t task,
                    Batch<Real>& batch, int thread) {
    const Matrix<Real>& from = gradients(network);
    step_dense(optimiser, network.source_weight(), 0, -1, task,
               {from.row(word_count_), vector_count_, network.dim(), from.stride}, vectors_.row(0),
               vectors_.stride, batch, thread);
  }

 private:
  int64_t rows() const { return word_count_ + vector_count_; }
  Matrix<Real>& gradients(const Recurrent<Real>& network) {
    return network.has_input_weight() ? gradients_ : totals_;
  }

  void arrange(const Recurrent<Real>& network, const std::vector<int32_t>& words,
               const SourceVectors<Real>& beside) {
    word_count_ = number(words, network.words, by_word_, word_row_);
    vector_count_ = 0;
    if (network.side == 0) return;
    vector_count_ = number(beside.of, beside.count, by_vector_, vector_row_);
    reserve(vectors_, vector_count_, network.side);
  }
  // Numbers the different ones of the places' words or vectors; returns how many there are.
  static int64_t number(const std::vector<int32_t>& of, int64_t all, Touched& by_row,
                        std::vector<int32_t>& row) {
    by_row.sort(of, all);
    row.resize(of.size());
    for (int64_t i = 0; i < by_row.count(); ++i) {
      for (int64_t e = by_row.offset[i]; e < by_row.offset[i + 1]; ++e) {
        row[by_row.entry[e]] = static_cast<int32_t>(i);
      }
    }
    return by_row.count();
  }

  int64_t word_count_ = 0, vector_count_ = 0;
  Touched by_word_, by_vector_;
  std::vector<int32_t> word_row_, vector_row_;  // rows of each place
  Matrix<Real> vectors_, inputs_, sums_, mask_, totals_, gradients_;
  bool masked_ = false;
};

}  // namespace nlmt::neural
