// Elman networks and direct features for Python, as part of nlmt.neural._kernel.

#include "bindings.h"
#include "elman_trainer.h"

namespace nlmt {
namespace {

// The next states (n, dim) after states (n, dim), words (n,) and side vectors (n, side).
template <class Real>
nb::ndarray<nb::numpy, Real> read(const Elman<Real>& self, Array<Real, 2> states,
                                  Array<int32_t, 1> words, Array<Real, 2> beside, int threads) {
  const int64_t n = static_cast<int64_t>(words.shape(0)), dim = self.dim, side = self.side;
  check(static_cast<int64_t>(states.shape(0)) == n &&
        static_cast<int64_t>(states.shape(1)) == dim &&
        static_cast<int64_t>(beside.shape(0)) == n &&
        static_cast<int64_t>(beside.shape(1)) == side && threads >= 1);
  check_words(words.data(), words.size(), self.words);
  std::unique_ptr<Real[]> result(new Real[std::max<int64_t>(1, n * dim)]);
  {
    nb::gil_scoped_release release;
    Team team(threads);
    const auto ready = self.transposed();
    const int64_t block = Elman<Real>::kLanes;
    team.each((n + block - 1) / block, [&](int64_t task, int) {
      const int64_t begin = task * block, rows = std::min(block, n - begin);
      Matrix<Real> before(rows, dim), h(rows, dim), by(rows, side);
      for (int64_t i = 0; i < rows; ++i) {
        const int32_t word = words.data()[begin + i];
        std::copy_n(states.data() + (begin + i) * dim, dim, before.row(i));
        std::copy_n(self.values(Elman<Real>::kEmbeddings).row(word), dim, h.row(i));
        std::copy_n(beside.data() + (begin + i) * side, side, by.row(i));
      }
      self.read(ready, rows, before.row(0), by.row(0), h.row(0));
      for (int64_t i = 0; i < rows; ++i) {
        std::copy_n(h.row(i), dim, result.get() + (begin + i) * dim);
      }
    });
  }
  return give(std::move(result), {static_cast<size_t>(n), static_cast<size_t>(dim)});
}

template <class Real>
void bind_layers(nb::module_& m, const std::string& bits) {
  using Network = Elman<Real>;
  nb::class_<Network> elman(m, ("Elman" + bits).c_str());
  elman
      .def(
          "__init__",
          [](Network* self, int64_t words, int64_t dim, int64_t side) {
            check(words > 0 && dim > 0 && side >= 0);
            new (self) Network(words, dim, side);
          },
          "words"_a, "dim"_a, "side"_a)
      .def("read", &read<Real>, "states"_a, "words"_a, "beside"_a, "threads"_a);
  bind_parameters<Real>(elman);

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
}

// The trainer that Python holds: with the layers that it was made of.
template <class Real>
struct Learner : ElmanTrainer<Real> {
  Learner(Elman<Real>& elman, Output<Real>& output, Direct<Real>* direct,
          std::unique_ptr<Objective<Real>> objective, const StepSettings& steps, double dropout,
          int64_t unroll, int threads)
      : ElmanTrainer<Real>(elman, std::move(objective), direct, steps, dropout, unroll, threads),
        elman(elman),
        output(output),
        direct(direct) {}
  std::vector<Trained<Real>> trained() {
    std::vector<Trained<Real>> result{{&elman, &this->optimiser},
                                      {&output, &this->objective->optimiser}};
    if (direct != nullptr) result.push_back({direct, &this->direct_trainer->optimiser});
    return result;
  }
  Elman<Real>& elman;
  Output<Real>& output;
  Direct<Real>* direct;
};

template <class Real>
double train(Learner<Real>& self, Array<int32_t, 2> words, Array<Real, 2> vectors,
             Array<int32_t, 2> vector_of, uint64_t first, uint64_t key, double rate) {
  const int64_t n = static_cast<int64_t>(words.shape(0)), side = self.elman.side;
  const int64_t width = static_cast<int64_t>(words.shape(1));
  check(n > 0 && width > 1);
  for (int64_t i = 0; i < n; ++i) {
    const int32_t* row = words.data() + i * width;
    int64_t length = 0;
    for (; length < width && row[length] >= 0; ++length) {
      check(row[length] < self.elman.words, "word out of range");
      check(length == 0 || self.output.covers(row[length]), "word out of range");
    }
    check(length > 1, "a sentence holds <s> and </s>");
  }
  check(side == 0 || static_cast<int64_t>(vector_of.shape(1)) == width - 1);
  check_vectors(vectors, vector_of.data(), vector_of.size(), n * (width - 1), side);
  nb::gil_scoped_release release;
  return self.train({words.data(), n, width, vectors.data(), vector_of.data()}, first, key, rate);
}

template <class Real>
void bind_trainer(nb::module_& m, const std::string& bits) {
  using Bound = Learner<Real>;
  nb::class_<Bound> learner(m, ("ElmanTrainer" + bits).c_str());
  bind_states<Real>(learner);
  learner
      .def(
          "__init__",
          [](Bound* self, Elman<Real>& elman, Output<Real>& output, Direct<Real>* direct,
             const std::string& objective, double alpha, int noise,
             const std::string& noise_sharing, Array<double, 1> counts,
             const std::string& optimiser, double clip, double decay, double dropout,
             int64_t unroll, int threads) {
            check(threads >= 1 && dropout >= 0 && dropout <= 0.9 && unroll >= 1 &&
                  elman.words == output.words && elman.dim + elman.side == output.dim &&
                  (direct == nullptr || direct->rows == output.rows()));
            const StepSettings steps = step_settings(optimiser, clip, decay, counts);
            new (self) Bound(elman, output, direct,
                             make_objective(output, objective, steps, alpha, noise, noise_sharing,
                                            counts, direct != nullptr),
                             steps, dropout, unroll, threads);
          },
          "elman"_a, "output"_a, "direct"_a.none(), "objective"_a, "alpha"_a, "noise"_a,
          "noise_sharing"_a, "counts"_a, "optimiser"_a, "clip"_a, "decay"_a, "dropout"_a,
          "unroll"_a, "threads"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 4>())
      .def("train", &train<Real>, "words"_a, "vectors"_a, "vector_of"_a, "first"_a, "key"_a,
           "rate"_a);
}

}  // namespace

void bind_elman_layers(nb::module_& m) {
  bind_layers<float>(m, "32");
  bind_layers<double>(m, "64");
}

void bind_elman_trainer(nb::module_& m) {
  bind_trainer<float>(m, "32");
  bind_trainer<double>(m, "64");
}

}  // namespace nlmt
