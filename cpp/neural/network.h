// A class-factored feed-forward language model (Baltescu and Blunsom 2015, section 2):
//
//   h = f(sum_j c_j * q(w_j)),   p(w | h) = softmax_class(S h + t) softmax_word_in_class(R h + b)
//
// with diagonal context matrices c_j. The full softmax is the case of one word a class: the class
// layer is then the whole output, and no word rows exist.
#pragma once

#include <stdexcept>

#include "activation.h"
#include "dense.h"
#include "team.h"

namespace nlmt {

// gradient *= f'(z), where h * scale = f(z).
template <class Real>
inline void derive(Activation f, const Real* h, Real scale, Real* gradient, int64_t stride) {
  for (int64_t d = 0; d < stride; d += kWidth<Real>) {
    const Vec<Real> x = load(h + d) * scale, g = load(gradient + d);
    if (f == Activation::kRectifier) {
      store(gradient + d, x > Vec<Real>{} ? g : Vec<Real>{});
    } else if (f == Activation::kSigmoid) {
      store(gradient + d, g * x * (Real(1) - x));
    } else {
      store(gradient + d, g * (Real(1) - x * x));
    }
  }
}

// Word classes: the rows of the words of a class stand one after the other.
struct Classes {
  std::vector<int> of;         // class of a word
  std::vector<int> row;        // row of a word in the word layer
  std::vector<int64_t> start;  // rows of class c: start[c] to start[c + 1]

  Classes(const int32_t* classes, int64_t words, int64_t count)
      : of(classes, classes + words), row(words), start(count + 1) {
    for (const int c : of) {
      if (c < 0 || c >= count) throw std::invalid_argument("class out of range");
      ++start[c + 1];
    }
    for (int64_t c = 0; c < count; ++c) start[c + 1] += start[c];
    std::vector<int64_t> next(start.begin(), start.end() - 1);
    for (int64_t w = 0; w < words; ++w) row[w] = static_cast<int>(next[of[w]]++);
  }
  int64_t count() const { return static_cast<int64_t>(start.size()) - 1; }
  int64_t words() const { return static_cast<int64_t>(of.size()); }
  int64_t size(int64_t c) const { return start[c + 1] - start[c]; }
};

enum Part { kEmbeddings, kContext, kClassWeight, kClassBias, kWordWeight, kWordBias, kParts };

template <class Real>
struct Network {
  static constexpr int64_t kBlock = 48;  // examples that go through the class layer together

  Classes classes;
  int64_t context, dim;
  Activation activation;
  Matrix<Real> parts[kParts];

  // Without `input` the network is an output layer for hidden vectors that come from elsewhere.
  Network(const int32_t* class_of, int64_t words, int64_t class_count, int64_t context, int64_t dim,
          Activation activation, bool input)
      : classes(class_of, words, class_count), context(context), dim(dim), activation(activation) {
    const int64_t rows = class_count == words ? 0 : words;
    parts[kEmbeddings] = Matrix<Real>(input ? words : 0, dim);
    parts[kContext] = Matrix<Real>(input ? context : 0, dim);
    parts[kClassWeight] = Matrix<Real>(class_count, dim);
    parts[kClassBias] = Matrix<Real>(1, class_count);
    parts[kWordWeight] = Matrix<Real>(rows, dim);
    parts[kWordBias] = Matrix<Real>(1, rows);
  }

  int64_t stride() const { return parts[kClassWeight].stride; }
  int64_t class_stride() const { return parts[kClassBias].stride; }

  // out = h for the `context` words at `words`, the oldest first.
  void hidden(const int32_t* words, Real* out) const {
    const int64_t n = stride();
    for (int64_t d = 0; d < n; d += kWidth<Real>) {
      Vec<Real> z{};
      for (int64_t j = 0; j < context; ++j) {
        z += load(parts[kEmbeddings].row(words[j]) + d) * load(parts[kContext].row(j) + d);
      }
      store(out + d, z);
    }
    activate(activation, out, dim, n);
  }

  // The class layer's weights, transposed: (dim x classes).
  Matrix<Real> transposed_classes() const {
    Matrix<Real> result(dim, classes.count());
    for (int64_t c = 0; c < classes.count(); ++c) {
      const Real* from = parts[kClassWeight].row(c);
      for (int64_t d = 0; d < dim; ++d) result.row(d)[c] = from[d];
    }
    return result;
  }

  // Logits of all classes for `rows` hidden vectors.
  void class_logits(const Matrix<Real>& transposed, const Real* h, int64_t rows,
                    Real* logits) const {
    const int64_t n = class_stride();
    for (int64_t i = 0; i < rows; ++i) {
      std::copy_n(parts[kClassBias].row(0), n, logits + i * n);
    }
    multiply<Real>(rows, n, dim, h, stride(), 1, transposed.data.data(), n, logits, n, true);
  }

  // Logits of the words of a class, in the order of their rows.
  void word_logits(int64_t c, const Real* h, Real* logits) const {
    const int64_t begin = classes.start[c], n = classes.size(c);
    dots(stride(), h, parts[kWordWeight].row(begin), n, logits);
    const Real* bias = parts[kWordBias].row(0) + begin;
    for (int64_t j = 0; j < n; ++j) logits[j] += bias[j];
  }

  // Natural-log probabilities of words[starts[i]:starts[i + 1]] after the i-th hidden vector.
  void score(const Matrix<Real>& h, const int64_t* starts, const int32_t* words, double* out,
             Team& team, int threads) const {
    const Matrix<Real> transposed = transposed_classes();
    const int64_t n = class_stride();
    int64_t largest = 1;
    for (int64_t c = 0; c < classes.count(); ++c) largest = std::max(largest, classes.size(c));
    std::vector<Buffer<Real>> scratch(threads, Buffer<Real>(kBlock * n + padded<Real>(largest)));
    team.each((h.rows + kBlock - 1) / kBlock, [&](int64_t block, int thread) {
      const int64_t begin = block * kBlock, end = std::min(begin + kBlock, h.rows);
      Real* logits = scratch[thread].data();
      Real* word = logits + kBlock * n;
      std::vector<int64_t> requests;
      class_logits(transposed, h.row(begin), end - begin, logits);
      for (int64_t i = begin; i < end; ++i) {
        Real* row = logits + (i - begin) * n;
        requests.resize(starts[i + 1] - starts[i]);
        for (std::size_t r = 0; r < requests.size(); ++r) {
          requests[r] = starts[i] + static_cast<int64_t>(r);
          out[requests[r]] = row[classes.of[words[requests[r]]]];
        }
        // Requests of one class stand together, so that its words are normalised once.
        std::sort(requests.begin(), requests.end(), [&](int64_t a, int64_t b) {
          return classes.row[words[a]] < classes.row[words[b]];
        });
        const double normaliser = softmax(row, classes.count(), n);
        for (std::size_t r = 0; r < requests.size();) {
          const int c = classes.of[words[requests[r]]];
          std::size_t same = r;
          double within = 0;
          const bool many = classes.size(c) > 1;
          if (many) word_logits(c, h.row(i), word);
          for (; same < requests.size() && classes.of[words[requests[same]]] == c; ++same) {
            const int64_t at = requests[same];
            if (many) out[at] += word[classes.row[words[at]] - classes.start[c]];
          }
          if (many) within = softmax(word, classes.size(c), padded<Real>(classes.size(c)));
          for (; r < same; ++r) out[requests[r]] -= normaliser + within;
        }
      }
    });
  }
};

}  // namespace nlmt
