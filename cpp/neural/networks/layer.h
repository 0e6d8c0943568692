// Named parameters of the layers of a model.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "networks/affine.h"

namespace nlmt::neural {

template <class Real>
struct Parameter {
  std::string name;
  Matrix<Real> values;
  bool bias;  // one row, an element for each row of the weight before it
  // Place inside of each row outside (of each element of a bias); null where they are the same.
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

}  // namespace nlmt::neural
