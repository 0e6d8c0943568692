// Recurrent networks for Python.
#pragma once

#include "bindings.h"
#include "scoring/recurrent_reader.h"
#include "training/recurrent_trainer.h"

namespace nlmt::neural {

// The next states (n, state_size) after states and words (n,) with vectors (r, side) beside them.
template <class Real>
nb::ndarray<nb::numpy, Real> read(RecurrentReader<Real>& self, Array<Real, 2> states,
                                  Array<int32_t, 1> words, Array<Real, 2> vectors,
                                  Array<int32_t, 1> vector_of) {
  const Recurrent<Real>& network = self.network();
  const int64_t n = static_cast<int64_t>(words.shape(0)), size = network.state_size();
  check(static_cast<int64_t>(states.shape(0)) == n &&
        static_cast<int64_t>(states.shape(1)) == size);
  check_vectors(vectors, vector_of.data(), vector_of.size(), n, network.side);
  check_words(words.data(), words.size(), network.words);
  std::unique_ptr<Real[]> result(new Real[std::max<int64_t>(1, n * size)]);
  {
    nb::gil_scoped_release release;
    self.read(n, states.data(), words.data(), vectors.data(),
              static_cast<int64_t>(vectors.shape(0)), vector_of.data(), result.get());
  }
  return give(std::move(result), {static_cast<size_t>(n), static_cast<size_t>(size)});
}

template <class Real>
void bind_recurrent_layers(nb::module_& m, const std::string& bits) {
  using Network = Recurrent<Real>;
  nb::class_<Network> network(m, ("Recurrent" + bits).c_str());
  network.def(
      "__init__",
      [](Network* self, const std::string& cell, int64_t words, int64_t dim, int64_t side,
         int64_t layers) {
        const Kind kind = kind_named(cell);
        check(words > 0 && dim > 0 && side >= 0 && layers > 0 &&
              (layers == 1 || kind != Kind::kElman));
        new (self) Network(kind, words, dim, side, layers);
      },
      "cell"_a, "words"_a, "dim"_a, "side"_a, "layers"_a);
  bind_parameters<Real>(network);

  using Reader = RecurrentReader<Real>;
  nb::class_<Reader>(m, ("RecurrentReader" + bits).c_str())
      .def(
          "__init__",
          [](Reader* self, const Network& network, int threads) {
            check(threads >= 1);
            new (self) Reader(network, threads);
          },
          "network"_a, "threads"_a, nb::keep_alive<1, 2>())
      .def_prop_ro("state_size", [](const Reader& self) { return self.network().state_size(); })
      .def("read", &read<Real>, "states"_a, "words"_a, "vectors"_a, "vector_of"_a);
}

template <class Real>
double train(RecurrentTrainer<Real>& self, Array<int32_t, 2> words, Array<Real, 2> vectors,
             Array<int32_t, 2> vector_of, uint64_t first, uint64_t key, double rate) {
  const Recurrent<Real>& network = self.network();
  const int64_t n = static_cast<int64_t>(words.shape(0)), side = network.side;
  const int64_t width = static_cast<int64_t>(words.shape(1));
  check(n > 0 && width > 1);
  for (int64_t i = 0; i < n; ++i) {
    const int32_t* row = words.data() + i * width;
    int64_t length = 0;
    for (; length < width && row[length] >= 0; ++length) {
      check(row[length] < network.words, "word out of range");
    }
    check(length > 1, "a sentence holds <s> and </s>");
  }
  check(side == 0 || static_cast<int64_t>(vector_of.shape(1)) == width - 1);
  check_vectors(vectors, vector_of.data(), vector_of.size(), n * (width - 1), side);
  nb::gil_scoped_release release;
  return self.train({words.data(), n, width, vectors.data(), static_cast<int64_t>(vectors.shape(0)),
                     vector_of.data()},
                    first, key, rate);
}

template <class Real>
void bind_recurrent_trainer(nb::module_& m, const std::string& bits) {
  using Bound = RecurrentTrainer<Real>;
  nb::class_<Bound> learner(m, ("RecurrentTrainer" + bits).c_str());
  bind_states<Real>(learner);
  learner
      .def(
          "__init__",
          [](Bound* self, Recurrent<Real>& network, Output<Real>& output, Direct<Real>* direct,
             const std::string& objective, double alpha, int noise, Array<double, 1> counts,
             const std::string& optimiser, double clip, double decay, double dropout,
             int64_t unroll, int threads) {
            check(threads >= 1 && dropout >= 0 && dropout <= 0.9 && unroll >= 1 &&
                  network.words == output.words && network.dim() + network.side == output.dim &&
                  (direct == nullptr || direct->rows == output.rows()));
            const StepSettings steps = step_settings(optimiser, clip, decay, counts);
            new (self) Bound(network, output,
                             make_objective(output, steps, objective, alpha, noise, counts), direct,
                             steps, dropout, unroll, threads);
          },
          "network"_a, "output"_a, "direct"_a.none(), "objective"_a, "alpha"_a, "noise"_a,
          "counts"_a, "optimiser"_a, "clip"_a, "decay"_a, "dropout"_a, "unroll"_a, "threads"_a,
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def("train", &train<Real>, "words"_a, "vectors"_a, "vector_of"_a, "first"_a, "key"_a,
           "rate"_a);
}

}  // namespace nlmt::neural
