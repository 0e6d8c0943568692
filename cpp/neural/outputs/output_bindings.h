// The base of all output layers for Python, and direct features.
#pragma once

#include "bindings.h"

namespace nlmt::neural {

template <class Real>
nb::ndarray<nb::numpy, double> score(const Output<Real>& self, Array<Real, 2> hidden,
                                     Array<int64_t, 1> starts, Array<int32_t, 1> words,
                                     bool normalised, int threads, const Direct<Real>* direct,
                                     std::optional<Array<int32_t, 2>> histories) {
  const int64_t n = static_cast<int64_t>(hidden.shape(0));
  const int64_t requests = static_cast<int64_t>(words.shape(0));
  check(static_cast<int64_t>(hidden.shape(1)) == self.dim &&
        static_cast<int64_t>(starts.shape(0)) == n + 1 && starts.data()[0] == 0 &&
        starts.data()[n] == requests && std::is_sorted(starts.data(), starts.data() + n + 1) &&
        threads >= 1);
  for (int64_t r = 0; r < requests; ++r) check(self.covers(words.data()[r]), "word out of range");
  if (direct != nullptr) {
    check(histories && static_cast<int64_t>(histories->shape(0)) == n &&
          static_cast<int64_t>(histories->shape(1)) == direct->longest &&
          direct->rows == self.rows());
  }
  std::unique_ptr<double[]> out(new double[std::max<int64_t>(1, requests)]);
  {
    nb::gil_scoped_release release;
    std::optional<Features<Real>> features;
    if (direct != nullptr) {
      features.emplace(*direct);
      features->resize(n);
      for (int64_t i = 0; i < n; ++i) features->find(i, histories->data() + i * direct->longest);
    }
    Matrix<Real> h(n, self.dim);
    for (int64_t i = 0; i < n; ++i) std::copy_n(hidden.data() + i * self.dim, self.dim, h.row(i));
    Team team(threads);
    self.score(h, starts.data(), words.data(), normalised, features ? &*features : nullptr,
               out.get(), team);
  }
  return give(std::move(out), {static_cast<size_t>(requests)});
}

template <class Real>
void bind_output(nb::module_& m, const std::string& bits) {
  using Table = Direct<Real>;
  nb::class_<Table> direct(m, ("Direct" + bits).c_str());
  direct.def(
      "__init__",
      [](Table* self, int64_t size, int64_t rows, int64_t longest) {
        check(size > 0 && rows > 0 && longest > 0);
        new (self) Table(size, rows, longest);
      },
      "size"_a, "rows"_a, "longest"_a);
  bind_parameters<Real>(direct);

  nb::class_<Output<Real>> output(m, ("Output" + bits).c_str());
  output.def("score", &score<Real>, "hidden"_a, "starts"_a, "words"_a, "normalised"_a, "threads"_a,
             "direct"_a.none() = nb::none(), "histories"_a.none() = nb::none());
  bind_parameters<Real>(output);
}

}  // namespace nlmt::neural
