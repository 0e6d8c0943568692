// Forward and backward through the input side, and the steps of its parameters.
#pragma once

#include <array>

#include "networks/input.h"
#include "training/objective.h"
#include "training/random.h"

namespace nlmt::neural {

// gradient *= f'(z), where h * scale = f(z).
template <class Real>
inline void derive(Activation f, const Real* h, Real scale, Real* gradient, int64_t stride) {
  for (int64_t d = 0; d < stride; d += kWidth<Real>) {
    const Vec<Real> x = load(h + d) * scale, g = load(gradient + d);
    if (f == Activation::kRelu) {
      store(gradient + d, x > Vec<Real>{} ? g : Vec<Real>{});
    } else if (f == Activation::kSigmoid) {
      store(gradient + d, g * x * (Real(1) - x));
    } else {
      store(gradient + d, g * (Real(1) - x * x));
    }
  }
}

// Dropout of the last layer's units for an example, in 256ths.
template <class Real>
class Dropout {
 public:
  explicit Dropout(double share)
      : share_(static_cast<int>(std::lround(256 * share))), kept_(Real(1) - Real(share_) / 256) {}
  bool any() const { return share_ > 0; }
  Real kept() const { return kept_; }

  // Which units of an example stay (1 / share kept) and which are left out (0).
  void draw(uint64_t key, uint64_t example, int64_t units, Real* mask) const {
    constexpr int64_t kBytes = 64;
    Random random(~key, example);
    const Real scale = Real(1) / kept_;
    for (int64_t begin = 0; begin < units; begin += kBytes) {
      uint64_t words[kBytes / 8];
      unsigned char bytes[kBytes];
      for (uint64_t& word : words) word = random.next();
      std::memcpy(bytes, words, kBytes);
      const int64_t n = std::min(kBytes, units - begin);
      for (int64_t i = 0; i < n; ++i) mask[begin + i] = bytes[i] < share_ ? Real(0) : scale;
    }
  }

 private:
  int share_;
  Real kept_;
};

template <class Real>
class InputTrainer {
 public:
  InputTrainer(Input<Real>& input, const StepSettings& steps, double dropout)
      : optimiser(input.parameters, steps),
        dropout(dropout),
        input_(input),
        network_(input.network(nullptr)),
        activations_(input.sizes.size()),
        gradients_(input.sizes.size()) {}

  Optimiser<Real> optimiser;
  const Dropout<Real> dropout;

  // Computes the hidden vectors of all examples; the words are sorted in the round that follows.
  void forward(Batch<Real>& batch) {
    const int64_t top = input_.layers(), context = input_.context;
    for (int64_t l = 0; l <= top; ++l) {
      reserve(activations_[l], batch.size, input_.sizes[l]);
      reserve(gradients_[l], batch.size, input_.sizes[l]);
    }
    if (dropout.any()) reserve(mask_, batch.size, input_.sizes[top]);
    const int64_t side = input_.side;
    if (side > 0) {
      reserve(beside_, batch.size, side);
      for (Matrix<Real>* one : {&seen_, &seen_gradient_}) reserve(*one, batch.size, input_.seen());
    }
    const bool full = input_.projection == Projection::kFull;
    if (input_.projection != Projection::kDiagonal) {
      if (full) reserve(gathered_, batch.size * context, input_.dim);
      reserve(spread_, batch.size * context, input_.dim);
    }
    network_.set(input_.weights(), &batch.team);
    batch.team.each_even_block(batch.size, [&](int64_t begin, int64_t end, int) {
      std::vector<Real*> out;
      std::array<const int32_t*, kBlock> contexts;
      for (int64_t m = begin; m < end; ++m) contexts[m - begin] = batch.window(m);
      for (Matrix<Real>& activations : activations_) out.push_back(activations.row(begin));
      for (int64_t m = begin; side > 0 && m < end; ++m) {
        const int64_t of = batch.vector_of[batch.example[m]];
        std::copy_n(batch.vectors + of * side, side, beside_.row(m));
      }
      network_.forward(end - begin, contexts.data(), side > 0 ? beside_.row(begin) : nullptr,
                       out.data(), full ? gathered_.row(begin) : nullptr,
                       batch.size * gathered_.stride);
      for (int64_t m = begin; dropout.any() && m < end; ++m) {
        Real* mask = mask_.row(m);
        Real* h = activations_[top].row(m);
        dropout.draw(batch.key, batch.number(m), input_.sizes[top], mask);
        for (int64_t d = 0; d < activations_[top].stride; ++d) h[d] *= mask[d];
      }
      for (int64_t m = begin; side > 0 && m < end; ++m) {
        const int64_t units = input_.sizes[top];
        std::copy_n(activations_[top].row(m), units, seen_.row(m));
        std::copy_n(beside_.row(m), side, seen_.row(m) + units);
      }
    });
    batch.hidden = side > 0 ? &seen_ : &activations_[top];
    batch.gradient = side > 0 ? &seen_gradient_ : &gradients_[top];
    batch.team.beside([&] { sort_words(batch); });
  }

  // From the gradients of the hidden vectors to steps of every parameter.
  void backward(Batch<Real>& batch) {
    batch.team.each_even_block(batch.size, [&](int64_t begin, int64_t end, int) {
      backward_block(begin, end, batch.size);
    });
    const int64_t context = input_.context;

    // Tasks: shares of the embeddings, then the full matrices, then the weights of each layer, then
    // that of the vectors beside the words.
    const bool diagonal = input_.projection == Projection::kDiagonal;
    const int64_t shares = batch.shares(context * batch.size);
    std::vector<int64_t> tasks{shares};
    const bool full = input_.projection == Projection::kFull;
    for (int64_t j = 0; full && j < context; ++j) tasks.push_back(dense_tasks(input_.dim));
    for (int64_t l = 0; l < input_.layers(); ++l) tasks.push_back(dense_tasks(input_.sizes[l + 1]));
    if (input_.side > 0) tasks.push_back(dense_tasks(input_.sizes[0]));
    int64_t total = 0;
    for (const int64_t n : tasks) total += n;
    if (diagonal) {
      reserve(context_gradient_, batch.kShares * context, input_.dim);
      summed_.assign(batch.kShares * context, 0);
    }
    batch.team.each(total, [&](int64_t task, int thread) {
      std::size_t group = 0;
      for (; task >= tasks[group]; ++group) task -= tasks[group];
      const int64_t matrices = full ? context : 0;
      if (group == 0) {
        if (diagonal) {
          const int64_t last = batch.kShares * (task + 1) / shares;
          for (int64_t share = batch.kShares * task / shares; share < last; ++share) {
            step_embeddings_diagonal(share, batch, thread);
          }
        } else {
          step_rows(optimiser, Input<Real>::kEmbeddings, words_, spread_, task, shares, batch,
                    thread);
        }
      } else if (const int64_t j = static_cast<int64_t>(group) - 1; j < matrices) {
        step_dense(optimiser, input_.context_part(), j * input_.dim, -1, task, gradients_[0],
                   gathered_.row(j * batch.size), gathered_.stride, batch, thread);
      } else if (const int64_t l = j - matrices; l < input_.layers()) {
        step_dense(optimiser, input_.weight(l), 0, input_.bias(l), task, gradients_[l + 1],
                   activations_[l].row(0), activations_[l].stride, batch, thread);
      } else {
        step_dense(optimiser, input_.side_part(), 0, -1, task, gradients_[0], beside_.row(0),
                   beside_.stride, batch, thread);
      }
    });
    if (diagonal) step_context_diagonal(batch);
  }

 private:
  // Entry j * size + m is word j of example m: a word's entries come sorted by position.
  void sort_words(const Batch<Real>& batch) {
    const int64_t context = input_.context;
    rows_.resize(context * batch.size);
    for (int64_t m = 0; m < batch.size; ++m) {
      for (int64_t j = 0; j < context; ++j) rows_[j * batch.size + m] = batch.window(m)[j];
    }
    words_.sort(rows_, input_.words);
  }

  // From the gradients of the hidden vectors to those of the sums before each activation, and of
  // the embeddings at each position.
  void backward_block(int64_t begin, int64_t end, int64_t size) {
    const int64_t top = input_.layers(), n = end - begin;
    for (int64_t m = begin; input_.side > 0 && m < end; ++m) {
      std::copy_n(seen_gradient_.row(m), input_.sizes[top], gradients_[top].row(m));
    }
    for (int64_t l = top; l >= 0; --l) {
      Matrix<Real>& gradient = gradients_[l];
      const bool masked = l == top && dropout.any();
      for (int64_t m = begin; m < end; ++m) {
        Real* g = gradient.row(m);
        if (masked) {
          const Real* mask = mask_.row(m);
          for (int64_t d = 0; d < gradient.stride; ++d) g[d] *= mask[d];
        }
        if (l == 0 && input_.projection == Projection::kConcatenation) continue;
        // The unit's value before it was scaled up; dropped units have no gradient.
        const Real scale = l == top ? dropout.kept() : Real(1);
        derive(input_.activation, activations_[l].row(m), scale, g, gradient.stride);
      }
      if (l == 0) break;
      const Matrix<Real>& weight = input_.values(input_.weight(l - 1));
      multiply<Real>(n, weight.stride, input_.sizes[l], gradient.row(begin), gradient.stride, 1,
                     weight.data.data(), weight.stride, gradients_[l - 1].row(begin), weight.stride,
                     false);
    }
    if (input_.projection == Projection::kFull) {
      const Matrix<Real>& matrices = input_.values(input_.context_part());
      for (int64_t j = 0; j < input_.context; ++j) {
        multiply<Real>(n, matrices.stride, input_.dim, gradients_[0].row(begin),
                       gradients_[0].stride, 1, matrices.row(j * input_.dim), matrices.stride,
                       spread_.row(j * size + begin), spread_.stride, false);
      }
    } else if (input_.projection == Projection::kConcatenation) {
      for (int64_t m = begin; m < end; ++m) {
        for (int64_t j = 0; j < input_.context; ++j) {
          std::copy_n(gradients_[0].row(m) + j * input_.dim, input_.dim, spread_.row(j * size + m));
        }
      }
    }
  }

  // Steps of a share of the embeddings under diagonal matrices, whose gradient is summed on the
  // way: sums by word and position first, and one product for all of them. There are always kShares
  // shares, as the diagonals' gradients are summed by share.
  void step_embeddings_diagonal(int64_t share, Batch<Real>& batch, int thread) {
    const int64_t stride = gradients_[0].stride, context = input_.context, size = batch.size;
    Real* partial = context_gradient_.row(share * context);
    char* summed = summed_.data() + share * context;
    Real* sum = batch.scratch(thread, 2 * stride);
    Real* gradient = sum + stride;
    const int64_t last = words_.border(share + 1, batch.kShares);
    for (int64_t i = words_.border(share, batch.kShares); i < last; ++i) {
      const int64_t w = words_.row(i), end = words_.offset[i + 1];
      int64_t e = words_.offset[i];
      const Real* q = input_.values(Input<Real>::kEmbeddings).row(w);
      std::fill_n(gradient, stride, Real(0));
      while (e < end) {
        const int64_t j = words_.entry[e] / size, begin = e;
        while (e < end && words_.entry[e] < (j + 1) * size) ++e;
        const int32_t* entries = words_.entry.data() + begin;
        weighted_sum<Real>(
            stride, e - begin, [&](int64_t k) { return gradients_[0].row(entries[k] - j * size); },
            [](int64_t) { return Real(1); }, sum, false);
        const Real* c = input_.values(input_.context_part()).row(j);
        Real* gradient_c = partial + j * stride;
        if (summed[j] == 0) std::fill_n(gradient_c, stride, Real(0));
        summed[j] = 1;
        for (int64_t d = 0; d < stride; ++d) {
          gradient[d] += c[d] * sum[d];
          gradient_c[d] += q[d] * sum[d];
        }
      }
      optimiser.step(Input<Real>::kEmbeddings, w, gradient);
    }
  }

  void step_context_diagonal(Batch<Real>& batch) {
    const int64_t stride = gradients_[0].stride, context = input_.context;
    batch.team.each(context, [&](int64_t j, int thread) {
      Real* total = batch.scratch(thread, stride);
      std::fill_n(total, stride, Real(0));
      for (int64_t i = j; i < batch.kShares * context; i += context) {
        if (summed_[i] != 0) add_row(stride, context_gradient_.row(i), total);
      }
      optimiser.step(input_.context_part(), j, total);
    });
  }

  Input<Real>& input_;
  WindowNetwork<FloatRow<Real>> network_;
  std::vector<Matrix<Real>> activations_, gradients_;  // of each layer, (examples x units)
  Matrix<Real> mask_;
  Matrix<Real> beside_, seen_, seen_gradient_;  // with vectors beside the words
  Matrix<Real> gathered_;          // embeddings by position and example, for the full projection
  Matrix<Real> spread_;            // their gradients
  Matrix<Real> context_gradient_;  // of the diagonals, by share and position
  std::vector<char> summed_;       // which of its rows have been filled
  std::vector<int32_t> rows_;
  Touched words_;
};

}  // namespace nlmt::neural
