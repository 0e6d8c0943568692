// Recurrent networks over the words of a sentence: stacked layers of cells. With a
// vector s of the source beside each word (Mikolov and Zweig 2012; Auli et al. 2013) the first
// layer sees E(w) + F s, and the output layer [h; s].
#pragma once

#include "networks/cell.h"
#include "networks/layer.h"
#include "team.h"

namespace nlmt::neural {

template <class Real>
struct Recurrent : Layer<Real> {
  static constexpr int kEmbeddings = 0;

  Cell<Real> cell;
  int64_t words, side, layers;

  Recurrent(Kind kind, int64_t words, int64_t dim, int64_t side, int64_t layers)
      : cell{kind, dim}, words(words), side(side), layers(layers) {
    this->add("embeddings", words, dim);
    for (int64_t l = 0; l < layers; ++l) {
      const std::string name = "layers." + std::to_string(l) + ".";
      if (has_input_weight()) this->add(name + "input_weight", cell.gates() * dim, dim);
      this->add(name + "hidden_weight", cell.gates() * dim, dim);
      if (has_input_weight()) this->add(name + "input_bias", 1, cell.gates() * dim);
      this->add(name + (has_input_weight() ? "hidden_bias" : "bias"), 1, cell.gates() * dim);
    }
    if (side > 0) this->add("source_weight", dim, side);
  }
  const Matrix<Real>& values(int part) const { return this->parameters[part].values; }
  int64_t dim() const { return cell.dim; }
  int64_t stride() const { return cell.stride(); }
  int64_t width() const { return cell.width(); }                  // of sums
  int64_t gate_width() const { return cell.gates() * stride(); }  // of the addends
  // An Elman network adds its input unchanged.
  bool has_input_weight() const { return cell.kind != Kind::kElman; }
  int input_weight(int64_t l) const { return static_cast<int>(1 + 4 * l); }
  int hidden_weight(int64_t l) const { return has_input_weight() ? input_weight(l) + 1 : 1; }
  int input_bias(int64_t l) const { return input_weight(l) + 2; }
  int hidden_bias(int64_t l) const { return has_input_weight() ? input_weight(l) + 3 : 2; }
  int source_weight() const { return static_cast<int>(this->parameters.size()) - 1; }

  // The memory of a sentence: c, if there is one, and h of each layer.
  int64_t parts() const { return cell.has_memory() ? 2 : 1; }
  int64_t state_size() const { return layers * parts() * dim(); }

  // Transposed weights for products, with a slot for each gate, and the biases of each slot. Made
  // again when the parameters have changed.
  struct Ready {
    std::vector<Panels<Real>> input, hidden;
    std::vector<Matrix<Real>> bias;
    Panels<Real> source;
  };
  void prepare(Ready& ready, Team& team) const {
    if (ready.bias.empty()) {
      const Panels<Real> weight(dim(), gate_width());
      ready.input.resize(has_input_weight() ? layers : 0, weight);
      ready.hidden.resize(layers, weight);
      ready.bias.resize(layers, Matrix<Real>(1, width()));
    }
    for (int64_t l = 0; l < layers; ++l) {
      if (has_input_weight()) put_gates(values(input_weight(l)), true, ready.input[l], team);
      put_gates(values(hidden_weight(l)), false, ready.hidden[l], team);
      std::fill(ready.bias[l].data.begin(), ready.bias[l].data.end(), Real(0));
      for (int64_t gate = 0; gate < cell.gates(); ++gate) {
        if (has_input_weight()) {
          add_bias(values(input_bias(l)), gate, cell.input_slot(gate), ready.bias[l]);
        }
        add_bias(values(hidden_bias(l)), gate, cell.state_slot(gate), ready.bias[l]);
      }
    }
    if (side > 0) transpose<Real>(values(source_weight()), ready.source, &team);
  }

  // Adds the shares of n inputs to sums of a layer, `to_stride` apart. All rows are padded.
  void add_inputs(const Ready& ready, int64_t l, int64_t n, const Real* x, Real* to,
                  int64_t to_stride) const {
    if (has_input_weight()) {
      multiply<Real>(n, x, stride(), ready.input[l], to, to_stride, true);
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t d = 0; d < stride(); ++d) to[i * to_stride + d] += x[i * stride() + d];
    }
  }

  // Given the sums of n sentences from inputs and biases, adds the shares of the previous states,
  // unless they are `fresh`, and computes the next states. All rows are padded.
  void advance(const Ready& ready, int64_t l, int64_t n, bool fresh, const Real* h_before,
               const Real* c_before, Real* sums, Real* h, Real* c) const {
    if (!fresh) {
      multiply<Real>(n, h_before, stride(), ready.hidden[l],
                     sums + cell.first_state_slot() * stride(), width(), true);
    }
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = i * stride();
      cell.advance(sums + i * width(), h_before + at, c_before + at, h + at, c + at);
    }
  }

  // From derivatives by sums to those by the inputs of a layer (`of_input`), or by the states.
  void pull_back(int64_t l, bool of_input, int64_t n, const Real* sums, int64_t sums_stride,
                 Real* to, bool add) const {
    const Matrix<Real>& weight = values(of_input ? input_weight(l) : hidden_weight(l));
    for (int64_t gate = 0; gate < cell.gates(); ++gate) {
      const int64_t slot = of_input ? cell.input_slot(gate) : cell.state_slot(gate);
      multiply<Real>(n, stride(), dim(), sums + slot * stride(), sums_stride, 1,
                     weight.row(gate * dim()), weight.stride, to, stride(), add || gate > 0);
    }
  }

 private:
  // The weights of all gates as columns; those of the input have the first slots, those of the
  // state the last ones.
  void put_gates(const Matrix<Real>& from, bool of_input, Panels<Real>& to, Team& team) const {
    int64_t begins[4];
    for (int64_t gate = 0; gate < cell.gates(); ++gate) {
      const int64_t first = of_input ? 0 : cell.first_state_slot();
      const int64_t slot = of_input ? cell.input_slot(gate) : cell.state_slot(gate);
      begins[slot - first] = gate * dim();
    }
    const auto row_of = [&](int64_t column) -> const Real* {
      const int64_t unit = column % stride();
      return unit < dim() ? from.row(begins[column / stride()] + unit) : nullptr;
    };
    put_columns(gate_width(), row_of, to, &team);
  }
  void add_bias(const Matrix<Real>& from, int64_t gate, int64_t slot, Matrix<Real>& to) const {
    for (int64_t d = 0; d < dim(); ++d) {
      to.row(0)[slot * stride() + d] += from.row(0)[gate * dim() + d];
    }
  }
};

}  // namespace nlmt::neural
