// A trained feed-forward language model as the search asks it (Baltescu and Blunsom 2015, section
// 2). Networks and output layers are those of cpp/neural; here each word's products with the
// matrices of a network may be kept. Scores are natural logs. The score of a word depends only on
// its context, never on other requests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "networks/window_network.h"
#include "outputs/word_output.h"

namespace nlmt::decoder {

using NeuralArray = neural::MatrixView<float>;

// Arrays as in nlmt.neural.arrays.NetworkArrays.
struct NeuralArrays {
  std::string projection, activation;
  std::int64_t context = 0;
  NeuralArray embeddings;      // a row a word
  NeuralArray context_weight;  // (context, dim), (context * dim, dim), or empty
  std::vector<std::pair<NeuralArray, NeuralArray>> hidden;  // weight (out, in) and bias (1, out)
  NeuralArray unit_weight, unit_bias;  // a row a word, or a row a node of the tree
  std::vector<std::int32_t> class_of;  // by word; empty: one word a class, or a tree
  NeuralArray class_weight, class_bias;
  std::vector<std::int64_t> path_starts;  // by word and one more; empty: no tree
  std::vector<std::int32_t> path_nodes;
  std::vector<float> path_signs;
};

class NeuralScorer {
 public:
  // Buffers of one thread.
  struct Workspace {
    Buffer<float> layers[2];  // in turn, from one layer to the next
    std::vector<float*> out;
    Buffer<float> products, scratch;
  };

  virtual ~NeuralScorer() = default;

  std::int64_t context() const { return shape_.context; }
  // Represents an unknown word of a context: the average word.
  std::int32_t blank() const { return blank_; }
  // Whether a context costs no more than the sum of a few rows.
  bool shallow() const {
    return shape_.layers() <= (shape_.projection == neural::Projection::kConcatenation ? 1 : 0);
  }
  std::int64_t stride() const { return padded<float>(shape_.sizes.back()); }

  // Whether the normaliser of its hidden vector is to be subtracted from a score.
  virtual bool normalises() const = 0;
  virtual Workspace workspace() const = 0;
  // Hidden vectors of n <= kBlock contexts, the oldest word of each first, stride() apart.
  virtual const float* hidden(const std::int32_t* const* contexts, std::int64_t n,
                              Workspace& work) const = 0;
  // The normalisers of n hidden vectors, where there are any.
  virtual void normalisers(const float* h, std::int64_t n, Workspace& work, float* out) const = 0;
  // The score of a word after a hidden vector; after a context where nothing is normalised.
  virtual float score(const float* h, std::int32_t word, float normaliser,
                      Workspace& work) const = 0;
  virtual float score_after(const std::int32_t* context, std::int32_t word,
                            Workspace& work) const = 0;

 protected:
  NeuralScorer(neural::WindowShape shape, std::int64_t words)
      : shape_(std::move(shape)), blank_(static_cast<std::int32_t>(words)) {}

  const neural::WindowShape shape_;

 private:
  std::int32_t blank_;
};

// `normalised`: scores are log-probabilities, else logits of words, and there are no classes.
// `bytes`: the rows of words, of both input and output, and of a tree's nodes are kept in 8 bits.
// `keep`: products of words with matrices are kept, else computed whenever they are needed.
std::unique_ptr<NeuralScorer> make_scorer(const NeuralArrays& arrays, bool normalised, bool bytes,
                                          bool keep);

}  // namespace nlmt::decoder
