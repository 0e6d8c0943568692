// A trained feed-forward language model for scoring (Baltescu and Blunsom 2015, section 2).
//
//   h = f(b + sum_j C_j q(w_j)), then hidden layers; the output is one of
//   full              p(w | h) = softmax over all units
//   class-factored    p(w | h) = softmax over classes, then over the words of the class
//   tree-factored     p(w | h) = product of sigmoids on the word's path through a binary tree
//
// A unit is the row and bias of a word; a class-factored word's unit has those of its class added,
// so that its activation is the unnormalised score. Scores are natural logs. The score of a word
// depends only on its context, never on other requests.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "activation.h"
#include "dense.h"
#include "rows.h"

namespace nlmt::decoder {

// Arrays as in nlmt.neural.arrays.NetworkArrays, row by row.
struct NeuralArray {
  const float* data = nullptr;
  std::int64_t rows = 0, columns = 0, stride = 0;
  const float* row(std::int64_t i) const { return data + i * stride; }
};

struct NeuralArrays {
  std::string activation;  // "none", or one of activation_named
  std::int64_t context = 0;
  NeuralArray embeddings;  // a row a word
  NeuralArray products;    // (context, dim) where diagonal, else (context * out, dim)
  NeuralArray bias;        // (1, out)
  std::vector<std::pair<NeuralArray, NeuralArray>> hidden;  // weight (out, in) and bias (1, out)
  NeuralArray unit_weight, unit_bias;  // a row a word, or a row a node of the tree
  std::vector<std::int32_t> class_of;  // by word; empty: one word a class, or a tree
  NeuralArray class_weight, class_bias;
  std::vector<std::int64_t> path_starts;  // by word and one more; empty: no tree
  std::vector<std::int32_t> path_nodes;
  std::vector<float> path_signs;
};

class NeuralNetwork {
 public:
  enum class Output { kFull, kClasses, kTree };
  static constexpr std::int64_t kBlock = 48;  // contexts that go through the layers together

  // Buffers of one thread.
  struct Workspace {
    Matrix<float> hidden[2];
    Buffer<float> logits;
    Buffer<float> row;
  };

  // `normalised`: normalisers are available beside activations. `bytes`: the rows of words, of both
  // input and output, and of a tree's nodes are kept in 8 bits.
  NeuralNetwork(const NeuralArrays& arrays, bool normalised, bool bytes);
  ~NeuralNetwork();
  NeuralNetwork(const NeuralNetwork&) = delete;
  NeuralNetwork& operator=(const NeuralNetwork&) = delete;

  Output output() const { return output_; }
  std::int64_t context() const { return context_; }
  std::int64_t words() const { return words_; }
  std::int32_t word_class(std::int32_t word) const { return class_of_[word]; }
  // Represents an unknown word of a context: the average word.
  std::int32_t blank() const { return static_cast<std::int32_t>(words_); }
  // Whether a context costs no more than the sum of a few rows.
  bool shallow() const { return layers_.empty(); }

  Workspace workspace() const;
  // Input of the output layer after n <= kBlock contexts, the oldest word of each first; a row of
  // stride() per context.
  const float* hidden(const std::int32_t* const* contexts, std::int64_t n, Workspace& work) const;
  std::int64_t stride() const { return padded<float>(width_); }

  // A word's activation after a context, where shallow().
  float shallow_activation(const std::int32_t* context, std::int32_t word, Workspace& work) const;
  // For one hidden vector: a word's activation, or its log-probability in a tree.
  float activation(const float* h, std::int32_t word) const;
  float tree_score(const float* h, std::int32_t word) const;
  // Logarithm of the sum over all classes, for n hidden vectors.
  void normalisers(const float* h, std::int64_t n, Workspace& work, float* out) const;
  // As above over the words of a class; 0 under the full output.
  float class_normaliser(const float* h, std::int32_t of_class, Workspace& work) const;

 private:
  struct Layer {
    Matrix<float> weight;  // transposed: (in, out)
    Buffer<float> bias;
  };
  // Some adjacent classes, whose weights fit into the cache.
  struct Panel {
    std::int64_t classes;
    Matrix<float> weight;  // transposed: (hidden, classes)
    Buffer<float> bias;
  };

  void set_input(const NeuralArrays& arrays);
  void set_units(const NeuralArrays& arrays);
  void set_members(const NeuralArrays& arrays);
  void set_panels(const NeuralArrays& arrays);
  template <class Row>
  void diagonal_products(const std::int32_t* context, float* out) const;
  template <class Row, int kContext>
  float rectified_activation(const std::int32_t* context, std::int32_t word) const;
  template <class Row>
  float shallow_activation(const std::int32_t* context, std::int32_t word, Workspace& work) const;
  void first_layer(const std::int32_t* context, Workspace& work, float* out) const;
  const float* products(std::int32_t word, Workspace& work) const;
  void multiply_products(std::int32_t word, float* out) const;

  Output output_;
  bool linear_ = false;  // no activation
  Activation activation_ = Activation::kRelu;
  std::int64_t context_, words_, width_ = 0;
  std::int64_t first_width_ = 0;
  bool bytes_;
  Rows embeddings_;                         // and the average word
  Matrix<float> diagonal_;                  // (context, dim), or empty
  std::vector<Matrix<float>> projections_;  // by position: transposed, (dim, out)
  Buffer<float> bias_;
  std::vector<Layer> layers_;

  Rows units_;
  Buffer<float> unit_bias_;
  std::vector<std::int32_t> class_of_;
  // For normalised class-factored models: words are ordered by class, and their units do not
  // include those of their classes.
  std::vector<std::int32_t> unit_of_;       // row of a word; empty: its own number
  std::vector<std::int64_t> class_starts_;  // rows of a class
  Matrix<float> class_rows_;
  Buffer<float> class_bias_;
  std::vector<Panel> panels_;  // what is normalised over: classes, or all units
  std::vector<std::int64_t> path_starts_;
  std::vector<std::int32_t> path_nodes_;
  std::vector<float> path_signs_;

  // By word: its products with the projection of each position, made when first needed.
  mutable std::vector<std::atomic<const float*>> products_;
  mutable std::atomic<std::size_t> product_bytes_{0};
};

}  // namespace nlmt::decoder
