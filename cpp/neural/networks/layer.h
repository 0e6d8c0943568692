// Named parameters of the layers of a model.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "dense.h"
#include "team.h"

namespace nlmt::neural {

template <class Real>
struct Parameter {
  std::string name;
  Matrix<Real> values;
  bool bias;  // one row, an element for each row of the weight before it
  // Place inside of each row outside (of each element of a bias); null where
  // they are the same.
  const std::vector<int>* place = nullptr;

  // C-contiguous (rows x columns) values from outside.
  void copy_in(const Real* from, Matrix<Real>& to) const {
    for (int64_t i = 0; i < to.rows; ++i) {
      const Real* row = from + i * to.columns;
      if (place != nullptr && bias) {
        for (int64_t w = 0; w < to.columns; ++w) to.row(0)[(*place)[w]] = row[w];
      } else {
        std::copy_n(row, to.columns, to.row(place == nullptr ? i : (*place)[i]));
      }
    }
  }
  void copy_out(const Matrix<Real>& from, Real* to) const {
    for (int64_t i = 0; i < from.rows; ++i) {
      Real* row = to + i * from.columns;
      if (place != nullptr && bias) {
        for (int64_t w = 0; w < from.columns; ++w) row[w] = from.row(0)[(*place)[w]];
      } else {
        std::copy_n(from.row(place == nullptr ? i : (*place)[i]), from.columns, row);
      }
    }
  }
};

template <class Real>
struct Layer {
  std::vector<Parameter<Real>> parameters;

  Layer() = default;
  Layer(const Layer&) = delete;  // places point into the layer
  Layer& operator=(const Layer&) = delete;
  virtual ~Layer() = default;

  std::size_t find(const std::string& name) const {
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      if (parameters[p].name == name) return p;
    }
    throw std::invalid_argument("unknown part " + name);
  }

 protected:
  void add(const std::string& name, int64_t rows, int64_t columns,
           const std::vector<int>* place = nullptr) {
    const bool bias = name.size() >= 4 && name.compare(name.size() - 4, 4, "bias") == 0;
    parameters.push_back({name, Matrix<Real>(rows, columns), bias, place});
  }
};

// Fills the columns of a panel (depth x width) with rows of `depth` numbers: column i with
// row_of(i), unless that is null.
template <class Real, class RowOf>
void put_columns(int64_t columns, RowOf row_of, int64_t depth, int64_t width, Real* panel) {
  constexpr int64_t kLine = kAlign / sizeof(Real);
  for (int64_t d = 0; d < depth; d += kLine) {
    const int64_t end = std::min(d + kLine, depth);
    for (int64_t i = 0; i < columns; ++i) {
      const Real* row = row_of(i);
      if (row == nullptr) continue;
      if (end < depth) __builtin_prefetch(row + end);
      for (int64_t e = d; e < end; ++e) panel[e * width + i] = row[e];
    }
  }
}

// The same for all columns of a matrix, for products with rows of activations.
template <class Real, class RowOf>
void put_columns(int64_t columns, RowOf row_of, Panels<Real>& to, Team* team) {
  const auto fill = [&](int64_t p, int) {
    const int64_t first = to.borders.begin(p), width = to.width(p);
    put_columns(
        std::min(width, columns - first), [&](int64_t i) { return row_of(first + i); }, to.depth,
        width, to.panel(p));
  };
  if (team != nullptr) {
    team->each(to.borders.count, fill);
  } else {
    for (int64_t p = 0; p < to.borders.count; ++p) fill(p, 0);
  }
}

// The transpose of rows of a weight (out x in).
template <class Real>
Panels<Real> transpose(const Matrix<Real>& from, int64_t begin, int64_t rows,
                       Team* team = nullptr) {
  Panels<Real> result(from.columns, rows);
  put_columns(rows, [&](int64_t i) { return from.row(begin + i); }, result, team);
  return result;
}
template <class Real>
Panels<Real> transpose(const Matrix<Real>& from, Team* team = nullptr) {
  return transpose(from, 0, from.rows, team);
}

// out = x W^T + b for `rows` padded rows of x; `transposed` is W^T.
template <class Real>
void affine(const Panels<Real>& transposed, const Matrix<Real>& bias, const Real* x,
            int64_t x_stride, int64_t rows, Real* out) {
  const int64_t n = bias.stride;
  for (int64_t i = 0; i < rows; ++i) std::copy_n(bias.row(0), n, out + i * n);
  multiply<Real>(rows, x, x_stride, transposed, out, n, true);
}

}  // namespace nlmt::neural
