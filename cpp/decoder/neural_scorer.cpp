#include "neural_scorer.h"

#include <algorithm>
#include <atomic>

namespace nlmt::decoder {
namespace {

using neural::Classes;
using neural::OwnUnits;
using neural::set_row;

constexpr std::size_t kMaxProductBytes = std::size_t{1} << 30;

// Unit number_of(i) has row i.
template <class Row, class Number>
OwnUnits<Row> make_units(const NeuralArray& weight, const NeuralArray& bias, Number number_of) {
  OwnUnits<Row> units{typename Row::Rows(weight.rows, weight.columns), Buffer<float>(weight.rows)};
  for (std::int64_t i = 0; i < weight.rows; ++i) {
    set_row(units.rows, number_of(i), weight.row(i));
    units.bias[number_of(i)] = bias.data[i];
  }
  return units;
}
template <class Row>
OwnUnits<Row> make_units(const NeuralArray& weight, const NeuralArray& bias) {
  return make_units<Row>(weight, bias, [](std::int64_t i) { return i; });
}

template <class Row>
neural::WordOutput<Row> make_output(const NeuralArrays& arrays, bool normalised) {
  const NeuralArray &weight = arrays.unit_weight, &bias = arrays.unit_bias;
  if (!arrays.path_starts.empty()) {
    neural::WordOutput<Row> output{make_units<Row>(weight, bias)};
    output.paths.emplace(arrays.path_starts, arrays.path_nodes, arrays.path_signs, weight.rows);
    return output;
  }
  if (arrays.class_of.empty()) {
    neural::WordOutput<Row> output{make_units<Row>(weight, bias)};
    if (normalised) output.normaliser.emplace(output.units.view());
    return output;
  }
  Classes classes(arrays.class_of.data(), weight.rows, arrays.class_weight.rows);
  const auto row_of = [&](std::int64_t word) { return classes.row[word]; };
  neural::WordOutput<Row> output{make_units<Row>(weight, bias, row_of)};
  output.class_units = make_units<neural::FloatRow<float>>(arrays.class_weight, arrays.class_bias);
  output.normaliser.emplace(output.class_units.view());
  output.classes = std::move(classes);
  return output;
}

// The words' embeddings, and their average as a further one.
template <class Rows>
Rows embed(const NeuralArray& from) {
  Rows rows(from.rows + 1, from.columns);
  // The vocabulary is in the order of falling counts: Zipf's law gives the average word.
  double total = 0;
  std::vector<double> sums(from.columns);
  for (std::int64_t w = 0; w < from.rows; ++w) {
    set_row(rows, w, from.row(w));
    const double weight = 1.0 / static_cast<double>(w + 1);
    total += weight;
    for (std::int64_t d = 0; d < from.columns; ++d) sums[d] += weight * from.row(w)[d];
  }
  std::vector<float> average(from.columns);
  for (std::int64_t d = 0; d < from.columns; ++d) average[d] = static_cast<float>(sums[d] / total);
  set_row(rows, from.rows, average.data());
  return rows;
}

neural::WindowShape shape_of(const NeuralArrays& arrays) {
  std::vector<std::int64_t> hidden;
  for (const auto& layer : arrays.hidden) hidden.push_back(layer.first.rows);
  return {arrays.context,
          arrays.embeddings.columns,
          0,
          neural::projection_named(arrays.projection),
          activation_named(arrays.activation),
          hidden};
}

// By word: its products with the matrix of each position, made when first needed.
class ProductCache {
 public:
  ProductCache(std::int64_t words, std::int64_t size) : size_(size), products_(words) {}
  ~ProductCache() {
    for (auto& product : products_) free(product.load());
  }

  // `make` writes the products of a word; they are in `buffer` when there is no more room.
  template <class Make>
  const float* get(std::int32_t word, float* buffer, Make make) {
    std::atomic<float*>& shared = products_[word];
    if (const float* made = shared.load(std::memory_order_acquire)) return made;
    const std::size_t bytes = size_ * sizeof(float);
    if (bytes_.fetch_add(bytes) + bytes > kMaxProductBytes) {
      bytes_ -= bytes;
      make(buffer);
      return buffer;
    }
    auto* mine = static_cast<float*>(::operator new(bytes, std::align_val_t(kAlign)));
    make(mine);
    float* expected = nullptr;
    if (shared.compare_exchange_strong(expected, mine, std::memory_order_acq_rel)) return mine;
    free(mine);  // another thread was faster
    bytes_ -= bytes;
    return expected;
  }

 private:
  static void free(float* product) { ::operator delete(product, std::align_val_t(kAlign)); }

  std::size_t size_;
  std::vector<std::atomic<float*>> products_;
  std::atomic<std::size_t> bytes_{0};
};

template <class Row>
class ScorerOf : public NeuralScorer {
 public:
  ScorerOf(const NeuralArrays& arrays, bool normalised, bool keep)
      : NeuralScorer(shape_of(arrays), arrays.embeddings.rows),
        embeddings_(embed<typename Row::Rows>(arrays.embeddings)),
        network_(shape_, embeddings_, {arrays.context_weight, arrays.hidden, {}}),
        output_(make_output<Row>(arrays, normalised)),
        fused_logit_(output_.paths || output_.classes ? nullptr : network_.fused_logit()),
        keep_(keep),
        products_(shape_.sums_products() ? embeddings_.rows : 0, products_size()) {}

  bool normalises() const override { return output_.normaliser.has_value(); }

  Workspace workspace() const override {
    const std::int64_t widest = *std::max_element(shape_.sizes.begin(), shape_.sizes.end());
    Workspace work;
    for (Buffer<float>& layer : work.layers) layer.resize(kBlock * padded<float>(widest));
    work.products.resize(products_size());
    work.scratch.resize(output_.scratch_size());
    return work;
  }

  const float* hidden(const std::int32_t* const* contexts, std::int64_t n,
                      Workspace& work) const override {
    work.out.clear();
    for (std::int64_t l = 0; l <= shape_.layers(); ++l) {
      work.out.push_back(work.layers[l % 2].data());
    }
    if (shape_.sums_products()) {
      const std::int64_t stride = padded<float>(shape_.sizes[shape_.summed()]);
      float* sum = work.out[shape_.summed()];
      for (std::int64_t i = 0; i < n; ++i, sum += stride) {
        std::fill_n(sum, stride, 0.0f);
        for (std::int64_t j = 0; j < shape_.context; ++j) {
          neural::add_row(stride, product(j, contexts[i][j], work), sum);
        }
      }
      network_.forward_sums(n, work.out.data());
    } else {
      network_.forward(n, contexts, nullptr, work.out.data(), nullptr, 0);
    }
    return work.out.back();
  }

  void normalisers(const float* h, std::int64_t n, Workspace& work, float* out) const override {
    if (output_.normaliser) output_.normaliser->run(n, h, work.scratch.data(), out);
  }

  float score(const float* h, std::int32_t word, float normaliser, Workspace& work) const override {
    return output_.score(h, word, normaliser, work.scratch.data());
  }

  float score_after(const std::int32_t* context, std::int32_t word,
                    Workspace& work) const override {
    if (fused_logit_) return (network_.*fused_logit_)(context, output_.units.view(), word);
    return score(hidden(&context, 1, work), word, 0, work);
  }

 private:
  std::int64_t products_size() const {  // of a word
    const bool any = shape_.sums_products();
    return any ? shape_.context * padded<float>(shape_.sizes[shape_.summed()]) : 0;
  }
  // The product of a word with the matrix of position j.
  const float* product(std::int64_t j, std::int32_t word, Workspace& work) const {
    float* buffer = work.products.data();
    if (!keep_) {
      network_.products(j, 1, &word, buffer);
      return buffer;
    }
    const std::int64_t stride = padded<float>(shape_.sizes[shape_.summed()]);
    const float* all = products_.get(word, buffer, [&](float* out) {
      for (std::int64_t k = 0; k < shape_.context; ++k) {
        network_.products(k, 1, &word, out + k * stride);
      }
    });
    return all + j * stride;
  }

  typename Row::Rows embeddings_;
  neural::WindowNetwork<Row> network_;
  neural::WordOutput<Row> output_;
  typename neural::WindowNetwork<Row>::Logit fused_logit_;
  const bool keep_;
  mutable ProductCache products_;
};

}  // namespace

std::unique_ptr<NeuralScorer> make_scorer(const NeuralArrays& arrays, bool normalised, bool bytes,
                                          bool keep) {
  if (bytes) return std::make_unique<ScorerOf<neural::ByteRow>>(arrays, normalised, keep);
  return std::make_unique<ScorerOf<neural::FloatRow<float>>>(arrays, normalised, keep);
}

}  // namespace nlmt::decoder
