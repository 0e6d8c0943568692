// Feed-forward networks for Python.
#pragma once

#include <array>

#include "bindings.h"
#include "scoring/requests.h"
#include "training/window_trainer.h"

namespace nlmt::neural {

// The sums of products (n padded rows) of contexts: a product for each distinct word at each
// position, summed in the order of positions, so that a sum does not depend on other contexts.
template <class Real>
Matrix<Real> sums_of_products(const WindowNetwork<FloatRow<Real>>& network, const int32_t* contexts,
                              int64_t n, Team& team) {
  const WindowShape& shape = network.shape();
  Matrix<Real> sums(n, shape.sizes[shape.summed()]);
  std::vector<int64_t> of(n);
  for (int64_t j = 0; j < shape.context; ++j) {
    DistinctRows distinct(1);
    for (int64_t i = 0; i < n; ++i) of[i] = distinct.add(contexts + i * shape.context + j);
    Matrix<Real> products(distinct.count(), sums.columns);
    team.each_block(distinct.count(), [&](int64_t begin, int64_t end, int) {
      network.products(j, end - begin, distinct.rows().data() + begin, products.row(begin));
    });
    team.each_block(n, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) add_row(sums.stride, products.row(of[i]), sums.row(i));
    });
  }
  return sums;
}

template <class Real>
nb::ndarray<nb::numpy, Real> hidden(const Input<Real>& self, Array<int32_t, 2> contexts,
                                    Array<Real, 2> beside, int threads) {
  const int64_t n = static_cast<int64_t>(contexts.shape(0));
  const int64_t side = self.side, units = self.sizes.back(), seen = self.seen();
  check(static_cast<int64_t>(contexts.shape(1)) == self.context &&
        static_cast<int64_t>(beside.shape(0)) == n &&
        static_cast<int64_t>(beside.shape(1)) == side && threads >= 1);
  check_words(contexts.data(), contexts.size(), self.words);
  std::unique_ptr<Real[]> result(new Real[std::max<int64_t>(1, n * seen)]);
  {
    nb::gil_scoped_release release;
    Team team(threads);
    const auto network = self.network(&team);
    std::optional<Matrix<Real>> sums;
    if (self.sums_products()) sums = sums_of_products(network, contexts.data(), n, team);
    team.each_block(n, [&](int64_t begin, int64_t end, int) {
      const int64_t rows = end - begin;
      std::vector<Matrix<Real>> activations;
      std::vector<Real*> out;
      for (const int64_t size : self.sizes) activations.emplace_back(rows, size);
      for (Matrix<Real>& one : activations) out.push_back(one.row(0));
      Matrix<Real> gathered(rows, self.dim), vectors(rows, side);
      for (int64_t i = 0; i < rows; ++i) {
        std::copy_n(beside.data() + (begin + i) * side, side, vectors.row(i));
      }
      if (sums) {
        out[self.summed()] = sums->row(begin);
        network.forward_sums(rows, out.data());
      } else {
        std::array<const int32_t*, kBlock> words;
        for (int64_t i = 0; i < rows; ++i) words[i] = contexts.data() + (begin + i) * self.context;
        network.forward(rows, words.data(), vectors.row(0), out.data(), gathered.row(0), 0);
      }
      for (int64_t i = 0; i < rows; ++i) {
        Real* to = result.get() + (begin + i) * seen;
        std::copy_n(out.back() + i * padded<Real>(units), units, to);
        std::copy_n(vectors.row(i), side, to + units);
      }
    });
  }
  return give(std::move(result), {static_cast<size_t>(n), static_cast<size_t>(seen)});
}

template <class Real>
void bind_window_layers(nb::module_& m, const std::string& bits) {
  using In = Input<Real>;
  nb::class_<In> input(m, ("Input" + bits).c_str());
  input
      .def(
          "__init__",
          [](In* self, int64_t words, int64_t context, int64_t dim, int64_t side,
             const std::string& projection, const std::string& activation,
             const std::vector<int64_t>& hidden) {
            bool positive = words > 0 && context > 0 && dim > 0 && side >= 0;
            for (const int64_t size : hidden) positive = positive && size > 0;
            check(positive);
            new (self) In(words, {context, dim, side, projection_named(projection),
                                  activation_named(activation), hidden});
          },
          "words"_a, "context"_a, "dim"_a, "side"_a, "projection"_a, "activation"_a, "hidden"_a)
      .def("hidden", &hidden<Real>, "contexts"_a, "beside"_a, "threads"_a);
  bind_parameters<Real>(input);
}

template <class Real>
void bind_window_trainer(nb::module_& m, const std::string& bits) {
  using Learner = Trainer<Real>;
  nb::class_<Learner> learner(m, ("Trainer" + bits).c_str());
  bind_states<Real>(learner);
  learner
      .def(
          "__init__",
          [](Learner* self, Input<Real>& input, Output<Real>& output, const std::string& objective,
             double alpha, int noise, Array<double, 1> counts, const std::string& optimiser,
             double clip, double decay, double dropout, int threads) {
            check(threads >= 1 && dropout >= 0 && dropout <= 0.9 && input.words >= output.words &&
                  input.seen() == output.dim);
            const StepSettings steps = step_settings(optimiser, clip, decay, counts);
            new (self) Learner(input, output,
                               make_objective(output, steps, objective, alpha, noise, counts),
                               steps, dropout, threads);
          },
          "input"_a, "output"_a, "objective"_a, "alpha"_a, "noise"_a, "counts"_a, "optimiser"_a,
          "clip"_a, "decay"_a, "dropout"_a, "threads"_a, nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>())
      .def(
          "train",
          [](Learner& self, Array<int32_t, 2> windows, Array<Real, 2> vectors,
             Array<int32_t, 1> vector_of, uint64_t first, uint64_t key, double rate) {
            const int64_t n = static_cast<int64_t>(windows.shape(0));
            const int64_t width = self.input().context + 1;
            check(n > 0 && static_cast<int64_t>(windows.shape(1)) == width);
            check_vectors(vectors, vector_of.data(), vector_of.size(), n, self.input().side);
            check_words(windows.data(), windows.size(), self.input().words);
            for (int64_t i = 1; i <= n; ++i) {
              check(self.output().covers(windows.data()[i * width - 1]), "word out of range");
            }
            nb::gil_scoped_release release;
            return self.train(windows.data(), n, vectors.data(), vector_of.data(), first, key,
                              rate);
          },
          "windows"_a, "vectors"_a, "vector_of"_a, "first"_a, "key"_a, "rate"_a)
      .def(
          "dropout",
          [](const Learner& self, size_t examples, uint64_t first, uint64_t key) {
            const int64_t units = self.input().sizes.back();
            std::unique_ptr<Real[]> mask(new Real[examples * units + 1]);
            for (size_t i = 0; i < examples; ++i) {
              self.dropout().draw(key, first + i, units, mask.get() + i * units);
            }
            return give(std::move(mask), {examples, static_cast<size_t>(units)});
          },
          "examples"_a, "first"_a, "key"_a)
      .def(
          "noise",
          [](const Learner& self, Array<int32_t, 1> targets, uint64_t first, uint64_t key) {
            const Objective<Real>& objective = self.objective();
            const size_t n = targets.shape(0);
            const size_t k = static_cast<size_t>(objective.noise_samples());
            std::unique_ptr<int32_t[]> noise_classes(new int32_t[n * k + 1]);
            std::unique_ptr<int32_t[]> noise_words(new int32_t[n * k + 1]);
            for (size_t i = 0; i < n; ++i) {
              check(self.output().covers(targets.data()[i]), "word out of range");
              objective.draw_noise(key, first + i, targets.data()[i], noise_classes.get() + i * k,
                                   noise_words.get() + i * k);
            }
            return std::pair(give(std::move(noise_classes), {n, k}),
                             give(std::move(noise_words), {n, k}));
          },
          "targets"_a, "first"_a, "key"_a);
}

}  // namespace nlmt::neural
