// nlmt.neural._kernel: the compiled class-factored feed-forward model, in float and in double.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <memory>

#include "distinct.h"
#include "trainer.h"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace nlmt {
namespace {

template <class T, int kDims>
using Input = nb::ndarray<const T, nb::ndim<kDims>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::ndarray<nb::numpy, T> give(std::unique_ptr<T[]> data, std::initializer_list<size_t> shape) {
  T* pointer = data.release();
  nb::capsule owner(pointer, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::ndarray<nb::numpy, T>(pointer, shape, owner);
}

void check_words(const int32_t* words, size_t n, int64_t vocabulary) {
  for (size_t i = 0; i < n; ++i) {
    if (words[i] < 0 || words[i] >= vocabulary) throw std::invalid_argument("word out of range");
  }
}

Part part_named(const std::string& name) {
  const char* names[] = {"embeddings", "context",     "class_weight",
                         "class_bias", "word_weight", "word_bias"};
  for (int p = 0; p < kParts; ++p) {
    if (name == names[p]) return static_cast<Part>(p);
  }
  throw std::invalid_argument("unknown part " + name);
}

// Arrays outside hold one row a word; inside, the rows of a class stand together.
template <class Real>
void copy_in(const Classes& classes, Part part, Matrix<Real>& to, Input<Real, 2> from) {
  if (static_cast<int64_t>(from.shape(0)) != (part == kWordBias ? 1 : to.rows) ||
      static_cast<int64_t>(from.shape(1)) != to.columns) {
    throw std::invalid_argument("shape does not fit");
  }
  for (int64_t i = 0; i < to.rows; ++i) {
    const Real* row = from.data() + i * to.columns;
    if (part == kWordBias) {
      for (int64_t w = 0; w < to.columns; ++w) to.row(0)[classes.row[w]] = row[w];
    } else {
      std::copy_n(row, to.columns, to.row(part == kWordWeight ? classes.row[i] : i));
    }
  }
}

template <class Real>
nb::ndarray<nb::numpy, Real> copy_out(const Classes& classes, Part part, const Matrix<Real>& from) {
  std::unique_ptr<Real[]> data(new Real[std::max<int64_t>(1, from.rows * from.columns)]);
  for (int64_t i = 0; i < from.rows; ++i) {
    Real* row = data.get() + i * from.columns;
    if (part == kWordBias) {
      for (int64_t w = 0; w < from.columns; ++w) row[w] = from.row(0)[classes.row[w]];
    } else {
      std::copy_n(from.row(part == kWordWeight ? classes.row[i] : i), from.columns, row);
    }
  }
  return give(std::move(data), {static_cast<size_t>(from.rows), static_cast<size_t>(from.columns)});
}

template <class Real>
void bind(nb::module_& m, const char* network_name, const char* trainer_name) {
  using Net = Network<Real>;
  using Learner = Trainer<Real>;
  nb::class_<Net>(m, network_name)
      .def(
          "__init__",
          [](Net* self, Input<int32_t, 1> classes, int64_t class_count, int64_t context,
             int64_t dim, const std::string& activation, bool input) {
            new (self) Net(classes.data(), static_cast<int64_t>(classes.shape(0)), class_count,
                           context, dim, activation_named(activation), input);
          },
          "classes"_a, "class_count"_a, "context"_a, "dim"_a, "activation"_a, "input"_a)
      .def(
          "set",
          [](Net& self, const std::string& name, Input<Real, 2> values) {
            const Part part = part_named(name);
            copy_in<Real>(self.classes, part, self.parts[part], values);
          },
          "name"_a, "values"_a)
      .def(
          "get",
          [](const Net& self, const std::string& name) {
            const Part part = part_named(name);
            return copy_out<Real>(self.classes, part, self.parts[part]);
          },
          "name"_a)
      .def(
          "hidden",
          [](const Net& self, Input<int32_t, 2> contexts, int threads) {
            const size_t n = contexts.shape(0), dim = static_cast<size_t>(self.dim);
            if (static_cast<int64_t>(contexts.shape(1)) != self.context) {
              throw std::invalid_argument("contexts of another length");
            }
            check_words(contexts.data(), n * contexts.shape(1), self.parts[kEmbeddings].rows);
            std::unique_ptr<Real[]> out(new Real[std::max<size_t>(1, n * dim)]);
            {
              nb::gil_scoped_release release;
              Team team(threads);
              constexpr size_t kBlock = 256;
              team.each(static_cast<int64_t>((n + kBlock - 1) / kBlock), [&](int64_t block, int) {
                Buffer<Real> h(self.stride());
                const size_t begin = static_cast<size_t>(block) * kBlock;
                for (size_t i = begin; i < std::min(n, begin + kBlock); ++i) {
                  self.hidden(contexts.data() + i * contexts.shape(1), h.data());
                  std::copy_n(h.data(), dim, out.get() + i * dim);
                }
              });
            }
            return give(std::move(out), {n, dim});
          },
          "contexts"_a, "threads"_a)
      .def(
          "score",
          [](const Net& self, Input<Real, 2> hidden, Input<int64_t, 1> starts,
             Input<int32_t, 1> words, int threads) {
            const int64_t n = static_cast<int64_t>(hidden.shape(0));
            const int64_t requests = static_cast<int64_t>(words.shape(0));
            if (static_cast<int64_t>(hidden.shape(1)) != self.dim ||
                static_cast<int64_t>(starts.shape(0)) != n + 1 || starts.data()[0] != 0 ||
                starts.data()[n] != requests ||
                !std::is_sorted(starts.data(), starts.data() + n + 1)) {
              throw std::invalid_argument("shape does not fit");
            }
            check_words(words.data(), words.shape(0), self.classes.words());
            std::unique_ptr<double[]> out(new double[std::max<int64_t>(1, requests)]);
            {
              nb::gil_scoped_release release;
              Matrix<Real> h(n, self.dim);
              for (int64_t i = 0; i < n; ++i) {
                std::copy_n(hidden.data() + i * self.dim, self.dim, h.row(i));
              }
              Team team(threads);
              self.score(h, starts.data(), words.data(), out.get(), team, threads);
            }
            return give(std::move(out), {static_cast<size_t>(requests)});
          },
          "hidden"_a, "starts"_a, "words"_a, "threads"_a);

  nb::class_<Learner>(m, trainer_name)
      .def(
          "__init__",
          [](Learner* self, Net& network, const std::string& objective, int noise,
             Input<double, 1> counts, const std::string& optimiser, double dropout, int threads) {
            if (static_cast<int64_t>(counts.shape(0)) != network.classes.words() || noise < 1 ||
                threads < 1 || dropout < 0 || dropout > 0.9 ||
                network.parts[kEmbeddings].rows == 0) {
              throw std::invalid_argument("shape does not fit");
            }
            if (objective != "nce" && objective != "likelihood") {
              throw std::invalid_argument("unknown objective " + objective);
            }
            if (optimiser != "adagrad" && optimiser != "sgd") {
              throw std::invalid_argument("unknown optimiser " + optimiser);
            }
            new (self)
                Learner(network, objective == "nce" ? Objective::kNce : Objective::kLikelihood,
                        noise, counts.data(), optimiser == "adagrad", dropout, threads);
          },
          "network"_a, "objective"_a, "noise"_a, "counts"_a, "optimiser"_a, "dropout"_a,
          "threads"_a, nb::keep_alive<1, 2>())
      .def(
          "train",
          [](Learner& self, Input<int32_t, 2> windows, uint64_t first, uint64_t key,
             int64_t minibatch, double rate, double decline) {
            const Net& network = self.network();
            if (static_cast<int64_t>(windows.shape(1)) != network.context + 1 || minibatch < 1) {
              throw std::invalid_argument("shape does not fit");
            }
            check_words(windows.data(), windows.size(), network.classes.words());
            nb::gil_scoped_release release;
            return self.train(windows.data(), static_cast<int64_t>(windows.shape(0)), first, key,
                              minibatch, rate, decline);
          },
          "windows"_a, "first"_a, "key"_a, "minibatch"_a, "rate"_a, "decline"_a)
      .def(
          "set",
          [](Learner& self, const std::string& name, Input<Real, 2> values) {
            const Part part = part_named(name);
            copy_in<Real>(self.network().classes, part, self.squares[part], values);
          },
          "name"_a, "values"_a)
      .def(
          "get",
          [](const Learner& self, const std::string& name) {
            const Part part = part_named(name);
            return copy_out<Real>(self.network().classes, part, self.squares[part]);
          },
          "name"_a)
      .def(
          "dropout",
          [](const Learner& self, size_t examples, uint64_t first, uint64_t key) {
            const size_t dim = static_cast<size_t>(self.network().dim);
            std::unique_ptr<Real[]> mask(new Real[examples * dim + 1]);
            for (size_t i = 0; i < examples; ++i) {
              self.draw_mask(key, first + i, mask.get() + i * dim);
            }
            return give(std::move(mask), {examples, dim});
          },
          "examples"_a, "first"_a, "key"_a)
      .def(
          "noise",
          [](const Learner& self, Input<int32_t, 1> targets, uint64_t first, uint64_t key) {
            const Classes& classes = self.network().classes;
            const size_t n = targets.shape(0), k = static_cast<size_t>(self.noise());
            check_words(targets.data(), n, classes.words());
            std::vector<int32_t> word_of(classes.words());
            for (int64_t w = 0; w < classes.words(); ++w) {
              word_of[classes.row[w]] = static_cast<int32_t>(w);
            }
            std::unique_ptr<int32_t[]> noise_classes(new int32_t[n * k + 1]);
            std::unique_ptr<int32_t[]> noise_words(new int32_t[n * k + 1]);
            for (size_t i = 0; i < n; ++i) {
              self.draw(key, first + i, classes.of[targets.data()[i]], noise_classes.get() + i * k,
                        noise_words.get() + i * k);
            }
            for (size_t i = 0; i < n * k; ++i) noise_words[i] = word_of[noise_words[i]];
            return std::pair(give(std::move(noise_classes), {n, k}),
                             give(std::move(noise_words), {n, k}));
          },
          "targets"_a, "first"_a, "key"_a);
}

template <class T>
nb::ndarray<nb::numpy, T> give(const std::vector<T>& from, size_t rows, size_t columns = 0) {
  std::unique_ptr<T[]> data(new T[std::max<size_t>(1, from.size())]);
  std::copy(from.begin(), from.end(), data.get());
  return columns > 0 ? give(std::move(data), {rows, columns}) : give(std::move(data), {rows});
}

nb::tuple give(const Requests& requests, size_t context) {
  return nb::make_tuple(give(requests.contexts, requests.starts.size() - 1, context),
                        give(requests.starts, requests.starts.size()),
                        give(requests.words, requests.words.size()),
                        give(requests.of, requests.of.size()));
}

// The n-grams of sentences: `<s>` repeated to the left, `</s>` as the last word.
nb::tuple gather_sentences(Input<int32_t, 1> ids, Input<int64_t, 1> offsets, int64_t context,
                           int32_t begin, int32_t end) {
  const int64_t sentences = static_cast<int64_t>(offsets.shape(0)) - 1;
  const int64_t* at = offsets.data();
  if (sentences < 0 || at[0] < 0 || !std::is_sorted(at, at + sentences + 1) ||
      at[sentences] > static_cast<int64_t>(ids.shape(0))) {
    throw std::invalid_argument("offsets do not fit");
  }
  std::unique_ptr<Requests> requests;
  {
    nb::gil_scoped_release release;
    std::vector<int32_t> text;
    std::vector<int64_t> windows;
    text.reserve(at[sentences] + sentences * (context + 1));
    for (int64_t s = 0; s < sentences; ++s) {
      const int64_t first = static_cast<int64_t>(text.size());
      text.insert(text.end(), context, begin);
      text.insert(text.end(), ids.data() + at[s], ids.data() + at[s + 1]);
      text.push_back(end);
      for (int64_t i = 0; i <= at[s + 1] - at[s]; ++i) windows.push_back(first + i);
    }
    requests = std::make_unique<Requests>(static_cast<int64_t>(windows.size()), context,
                                          [&](int64_t i) { return text.data() + windows[i]; });
  }
  return give(*requests, static_cast<size_t>(context));
}

// The same for n-grams that are given one a row, the context first and the word last.
nb::tuple gather_ngrams(Input<int32_t, 2> ngrams) {
  const int64_t width = static_cast<int64_t>(ngrams.shape(1));
  if (width < 2) throw std::invalid_argument("an n-gram holds a context and a word");
  std::unique_ptr<Requests> requests;
  {
    nb::gil_scoped_release release;
    requests = std::make_unique<Requests>(static_cast<int64_t>(ngrams.shape(0)), width - 1,
                                          [&](int64_t i) { return ngrams.data() + i * width; });
  }
  return give(*requests, static_cast<size_t>(width - 1));
}

}  // namespace

NB_MODULE(_kernel, m) {
  m.def("gather_sentences", &gather_sentences, "ids"_a, "offsets"_a, "context"_a, "begin"_a,
        "end"_a);
  m.def("gather_ngrams", &gather_ngrams, "ngrams"_a);
  bind<float>(m, "Network32", "Trainer32");
  bind<double>(m, "Network64", "Trainer64");
}

}  // namespace nlmt
