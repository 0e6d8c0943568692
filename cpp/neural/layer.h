// Named parameters, as the layers of a model hold them.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "dense.h"
#include "team.h"

namespace nlmt {

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

// The transpose of rows of a weight (out x in), for products with rows of activations.
template <class Real>
Panels<Real> transpose(const Matrix<Real>& from, int64_t begin, int64_t rows,
                       Team* team = nullptr) {
  constexpr int64_t kLine = kAlign / sizeof(Real);
  Panels<Real> result(from.columns, rows);
  const auto fill = [&](int64_t p, int) {
    const int64_t first = result.borders.begin(p) * kWidth<Real>, width = result.width(p);
    const int64_t n = std::min(width, rows - first);
    for (int64_t d = 0; d < from.columns; d += kLine) {
      for (int64_t i = 0; i < n; ++i) {
        const Real* row = from.row(begin + first + i);
        Real* column = result.panel(p) + i;
        for (int64_t e = d; e < std::min(d + kLine, from.columns); ++e) column[e * width] = row[e];
      }
    }
  };
  if (team != nullptr) {
    team->each(result.borders.count, fill);
  } else {
    for (int64_t p = 0; p < result.borders.count; ++p) fill(p, 0);
  }
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

}  // namespace nlmt
