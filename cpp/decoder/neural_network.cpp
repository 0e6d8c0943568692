#include "neural_network.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace nlmt::decoder {
namespace {

constexpr std::size_t kMaxProductBytes = std::size_t{1} << 30;
constexpr std::int64_t kPanel = 512;  // classes whose logits are in memory together

Matrix<float> copy(const NeuralArray& array) {
  Matrix<float> result(array.rows, array.columns);
  for (std::int64_t i = 0; i < array.rows; ++i) {
    std::copy_n(array.row(i), array.columns, result.row(i));
  }
  return result;
}

Rows copy_rows(const NeuralArray& array, bool bytes) {
  Rows result(array.rows, array.columns, bytes);
  for (std::int64_t i = 0; i < array.rows; ++i) result.set(i, array.row(i));
  return result;
}

Matrix<float> transpose(const NeuralArray& array, std::int64_t first, std::int64_t rows) {
  Matrix<float> result(array.columns, rows);
  for (std::int64_t i = 0; i < rows; ++i) {
    const float* from = array.row(first + i);
    for (std::int64_t j = 0; j < array.columns; ++j) result.row(j)[i] = from[j];
  }
  return result;
}

Buffer<float> pad(const float* values, std::int64_t n, float filler) {
  Buffer<float> result(padded<float>(n), filler);
  std::copy_n(values, n, result.begin());
  return result;
}

// log(1 / (1 + exp(-x))) without overflow.
float log_sigmoid(float x) { return std::min(x, 0.0f) - std::log1p(std::exp(-std::fabs(x))); }

// log sum exp of logits that come in parts.
class LogSum {
 public:
  // `stride` logits; those after the last are very small.
  void add(const float* logits, std::int64_t stride) {
    constexpr int W = kWidth<float>;
    Vec<float> top = load(logits);
    for (std::int64_t i = W; i < stride; i += W) top = maximum<float>(top, load(logits + i));
    float highest = top[0];
    for (int i = 1; i < W; ++i) highest = std::max(highest, top[i]);
    Vec<float> total{};
    const Vec<float> shift = broadcast(highest);
    for (std::int64_t i = 0; i < stride; i += W) total += exponential(load(logits + i) - shift);
    const double part = sum<float>(total);
    if (highest > highest_) {
      sum_ = sum_ * std::exp(static_cast<double>(highest_) - highest) + part;
      highest_ = highest;
    } else {
      sum_ += part * std::exp(static_cast<double>(highest) - highest_);
    }
  }
  float value() const { return static_cast<float>(highest_ + std::log(sum_)); }

 private:
  float highest_ = -std::numeric_limits<float>::max();
  double sum_ = 0;
};

constexpr float kNothing = -1e30f;  // logit of what is no class and no word

}  // namespace

NeuralNetwork::NeuralNetwork(const NeuralArrays& arrays, bool normalised, bool bytes)
    : output_(!arrays.path_starts.empty() ? Output::kTree
              : arrays.class_of.empty()   ? Output::kFull
                                          : Output::kClasses),
      context_(arrays.context),
      words_(arrays.embeddings.rows),
      bytes_(bytes),
      class_of_(arrays.class_of),
      path_starts_(arrays.path_starts),
      path_nodes_(arrays.path_nodes),
      path_signs_(arrays.path_signs) {
  linear_ = arrays.activation == "none";
  if (!linear_) activation_ = activation_named(arrays.activation);
  set_input(arrays);
  if (output_ == Output::kClasses && normalised) {
    set_members(arrays);
  } else {
    set_units(arrays);
  }
  if (output_ != Output::kTree && normalised) set_panels(arrays);
}

NeuralNetwork::~NeuralNetwork() {
  for (auto& product : products_) {
    if (const float* made = product.load()) {
      ::operator delete(const_cast<float*>(made), std::align_val_t(kAlign));
    }
  }
}

void NeuralNetwork::set_input(const NeuralArrays& arrays) {
  const NeuralArray& q = arrays.embeddings;
  embeddings_ = Rows(words_ + 1, q.columns, bytes_);
  // The vocabulary is in the order of falling counts: Zipf's law gives the average word.
  double total = 0;
  std::vector<double> average(q.columns);
  for (std::int64_t w = 0; w < words_; ++w) {
    const float* row = q.row(w);
    embeddings_.set(w, row);
    const double weight = 1.0 / static_cast<double>(w + 1);
    total += weight;
    for (std::int64_t d = 0; d < q.columns; ++d) average[d] += weight * row[d];
  }
  std::vector<float> blank(q.columns);
  for (std::int64_t d = 0; d < q.columns; ++d) blank[d] = static_cast<float>(average[d] / total);
  embeddings_.set(words_, blank.data());
  first_width_ = arrays.bias.columns;
  bias_ = pad(arrays.bias.data, first_width_, 0);
  if (arrays.products.rows == context_ && first_width_ == q.columns) {
    diagonal_ = copy(arrays.products);
  } else {
    for (std::int64_t j = 0; j < context_; ++j) {
      projections_.push_back(transpose(arrays.products, j * first_width_, first_width_));
    }
    products_ = std::vector<std::atomic<const float*>>(words_ + 1);
  }
  width_ = first_width_;
  for (const auto& [weight, bias] : arrays.hidden) {
    width_ = weight.rows;
    layers_.push_back({transpose(weight, 0, width_), pad(bias.data, width_, 0)});
  }
}

void NeuralNetwork::set_units(const NeuralArrays& arrays) {
  unit_bias_ = pad(arrays.unit_bias.data, arrays.unit_weight.rows, 0);
  if (output_ != Output::kClasses) {
    units_ = copy_rows(arrays.unit_weight, bytes_);
    return;
  }
  const std::int64_t columns = arrays.unit_weight.columns;
  units_ = Rows(words_, columns, bytes_);
  std::vector<float> unit(columns);
  for (std::int64_t w = 0; w < words_; ++w) {
    const float* own = arrays.unit_weight.row(w);
    const float* of_class = arrays.class_weight.row(class_of_[w]);
    for (std::int64_t d = 0; d < columns; ++d) unit[d] = own[d] + of_class[d];
    units_.set(w, unit.data());
    unit_bias_[w] += arrays.class_bias.data[class_of_[w]];
  }
}

void NeuralNetwork::set_members(const NeuralArrays& arrays) {
  class_starts_.assign(arrays.class_weight.rows + 1, 0);
  for (const std::int32_t c : class_of_) ++class_starts_[c + 1];
  std::partial_sum(class_starts_.begin(), class_starts_.end(), class_starts_.begin());
  units_ = Rows(words_, arrays.unit_weight.columns, bytes_);
  unit_bias_.assign(words_, 0);
  unit_of_.resize(words_);
  std::vector<std::int64_t> next(class_starts_.begin(), class_starts_.end() - 1);
  for (std::int64_t w = 0; w < words_; ++w) {
    const std::int64_t at = next[class_of_[w]]++;
    units_.set(at, arrays.unit_weight.row(w));
    unit_bias_[at] = arrays.unit_bias.data[w];
    unit_of_[w] = static_cast<std::int32_t>(at);
  }
  class_rows_ = copy(arrays.class_weight);
  class_bias_ = pad(arrays.class_bias.data, arrays.class_weight.rows, 0);
}

void NeuralNetwork::set_panels(const NeuralArrays& arrays) {
  const bool full = output_ == Output::kFull;
  NeuralArray weight = full ? arrays.unit_weight : arrays.class_weight;
  // All units, rounded to 8 bits, so that normalisation and scoring agree.
  Matrix<float> rounded(full && bytes_ ? weight.rows : 0, weight.columns);
  if (rounded.rows) {
    for (std::int64_t i = 0; i < weight.rows; ++i) units_.copy(i, rounded.row(i));
    weight = {rounded.data.data(), rounded.rows, weight.columns, rounded.stride};
  }
  const float* bias = full ? arrays.unit_bias.data : arrays.class_bias.data;
  for (std::int64_t first = 0; first < weight.rows; first += kPanel) {
    const std::int64_t n = std::min(kPanel, weight.rows - first);
    panels_.push_back({n, transpose(weight, first, n), pad(bias + first, n, kNothing)});
  }
}

NeuralNetwork::Workspace NeuralNetwork::workspace() const {
  std::int64_t widest = first_width_, largest = 1;
  for (const Layer& layer : layers_) widest = std::max(widest, layer.weight.columns);
  for (std::size_t c = 1; c < class_starts_.size(); ++c) {
    largest = std::max(largest, class_starts_[c] - class_starts_[c - 1]);
  }
  Workspace work;
  for (Matrix<float>& hidden : work.hidden) hidden = Matrix<float>(kBlock, widest);
  work.logits.resize(std::max(kBlock * kPanel, padded<float>(largest)));
  work.row.resize(context_ * padded<float>(first_width_));
  return work;
}

void NeuralNetwork::multiply_products(std::int32_t word, float* out) const {
  const std::int64_t stride = padded<float>(first_width_);
  Buffer<float> embedding(embeddings_.stride());
  embeddings_.copy(word, embedding.data());
  for (std::int64_t j = 0; j < context_; ++j) {
    multiply<float>(1, stride, embeddings_.columns(), embedding.data(), embeddings_.stride(), 1,
                    projections_[j].data.data(), projections_[j].stride, out + j * stride, stride,
                    false);
  }
}

const float* NeuralNetwork::products(std::int32_t word, Workspace& work) const {
  std::atomic<const float*>& shared = products_[word];
  if (const float* made = shared.load(std::memory_order_acquire)) return made;
  const std::size_t bytes = work.row.size() * sizeof(float);
  if (product_bytes_.fetch_add(bytes) + bytes > kMaxProductBytes) {
    product_bytes_ -= bytes;
    multiply_products(word, work.row.data());
    return work.row.data();
  }
  auto* mine = static_cast<float*>(::operator new(bytes, std::align_val_t(kAlign)));
  multiply_products(word, mine);
  const float* expected = nullptr;
  if (shared.compare_exchange_strong(expected, mine, std::memory_order_acq_rel)) return mine;
  ::operator delete(mine, std::align_val_t(kAlign));  // another thread was faster
  product_bytes_ -= bytes;
  return expected;
}

template <class Row>
void NeuralNetwork::diagonal_products(const std::int32_t* context, float* out) const {
  constexpr int W = kWidth<float>;
  for (std::int64_t d = 0; d < diagonal_.stride; d += W) {
    Vec<float> z = load(bias_.data() + d);
    for (std::int64_t j = 0; j < context_; ++j) {
      z += embeddings_.row<Row>(context[j]).at(d) * load(diagonal_.row(j) + d);
    }
    store(out + d, z);
  }
}

void NeuralNetwork::first_layer(const std::int32_t* context, Workspace& work, float* out) const {
  constexpr int W = kWidth<float>;
  const std::int64_t stride = padded<float>(first_width_);
  if (diagonal_.rows) {
    bytes_ ? diagonal_products<ByteRow>(context, out) : diagonal_products<FloatRow>(context, out);
  } else {
    std::copy_n(bias_.data(), stride, out);
    for (std::int64_t j = 0; j < context_; ++j) {
      const float* product = products(context[j], work) + j * stride;
      for (std::int64_t d = 0; d < stride; d += W)
        store(out + d, load(out + d) + load(product + d));
    }
  }
  if (!linear_) activate(activation_, out, first_width_, stride);
}

const float* NeuralNetwork::hidden(const std::int32_t* const* contexts, std::int64_t n,
                                   Workspace& work) const {
  float* now = work.hidden[0].data.data();
  float* next = work.hidden[1].data.data();
  std::int64_t stride = padded<float>(first_width_);
  for (std::int64_t i = 0; i < n; ++i) first_layer(contexts[i], work, now + i * stride);
  for (const Layer& layer : layers_) {
    const std::int64_t out = layer.weight.stride;
    for (std::int64_t i = 0; i < n; ++i) std::copy_n(layer.bias.data(), out, next + i * out);
    multiply<float>(n, out, layer.weight.rows, now, stride, 1, layer.weight.data.data(), out, next,
                    out, true);
    for (std::int64_t i = 0; i < n && !linear_; ++i) {
      activate(activation_, next + i * out, layer.weight.columns, out);
    }
    std::swap(now, next);
    stride = out;
  }
  return now;
}

// The most common case, diagonal and rectified, without intermediate storage.
template <class Row, int kContext>
float NeuralNetwork::rectified_activation(const std::int32_t* context, std::int32_t word) const {
  constexpr int W = kWidth<float>;
  Row rows[kContext];
  for (int j = 0; j < kContext; ++j) rows[j] = embeddings_.row<Row>(context[j]);
  const Row unit = units_.row<Row>(word);
  const float* diagonal = diagonal_.data.data();
  const std::int64_t stride = diagonal_.stride;
  Vec<float> total{};
  for (std::int64_t d = 0; d < stride; d += W) {
    Vec<float> z = load(bias_.data() + d);
    for (int j = 0; j < kContext; ++j) z += rows[j].at(d) * load(diagonal + j * stride + d);
    total += maximum<float>(z, Vec<float>{}) * unit.at(d);
  }
  return sum<float>(total) + unit_bias_[word];
}

template <class Row>
float NeuralNetwork::shallow_activation(const std::int32_t* context, std::int32_t word,
                                        Workspace& work) const {
  if (diagonal_.rows && !linear_ && activation_ == Activation::kRelu) {
    switch (context_) {
      case 2:
        return rectified_activation<Row, 2>(context, word);
      case 3:
        return rectified_activation<Row, 3>(context, word);
      case 4:
        return rectified_activation<Row, 4>(context, word);
      case 5:
        return rectified_activation<Row, 5>(context, word);
    }
  }
  return activation(hidden(&context, 1, work), word);
}

float NeuralNetwork::shallow_activation(const std::int32_t* context, std::int32_t word,
                                        Workspace& work) const {
  return bytes_ ? shallow_activation<ByteRow>(context, word, work)
                : shallow_activation<FloatRow>(context, word, work);
}

float NeuralNetwork::activation(const float* h, std::int32_t word) const {
  if (unit_of_.empty()) return units_.dot(h, word) + unit_bias_[word];
  const std::int32_t unit = unit_of_[word], c = class_of_[word];
  return units_.dot(h, unit) + unit_bias_[unit] + dot(stride(), h, class_rows_.row(c)) +
         class_bias_[c];
}

float NeuralNetwork::tree_score(const float* h, std::int32_t word) const {
  float score = 0;
  for (std::int64_t i = path_starts_[word]; i < path_starts_[word + 1]; ++i) {
    score += log_sigmoid(path_signs_[i] * activation(h, path_nodes_[i]));
  }
  return score;
}

void NeuralNetwork::normalisers(const float* h, std::int64_t n, Workspace& work, float* out) const {
  LogSum sums[kBlock];
  for (const Panel& panel : panels_) {
    const std::int64_t columns = panel.weight.stride;
    float* logits = work.logits.data();
    for (std::int64_t i = 0; i < n; ++i) {
      std::copy_n(panel.bias.data(), columns, logits + i * columns);
    }
    multiply<float>(n, columns, panel.weight.rows, h, stride(), 1, panel.weight.data.data(),
                    columns, logits, columns, true);
    for (std::int64_t i = 0; i < n; ++i) sums[i].add(logits + i * columns, columns);
  }
  for (std::int64_t i = 0; i < n; ++i) out[i] = sums[i].value();
}

float NeuralNetwork::class_normaliser(const float* h, std::int32_t of_class,
                                      Workspace& work) const {
  if (output_ == Output::kFull) return 0;
  const std::int64_t first = class_starts_[of_class], n = class_starts_[of_class + 1] - first;
  float* logits = work.logits.data();
  for (std::int64_t i = 0; i < n; ++i) {
    logits[i] = units_.dot(h, first + i) + unit_bias_[first + i];
  }
  std::fill(logits + n, logits + padded<float>(n), kNothing);
  LogSum total;
  total.add(logits, padded<float>(n));
  return total.value();
}

}  // namespace nlmt::decoder
