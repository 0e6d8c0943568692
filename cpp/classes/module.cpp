// nlmt.classes._brown: word clustering for Python.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "brown.h"
#include "python.h"

namespace nlmt::classes {
namespace {

Bigrams read_bigrams(const Array1<int64_t>& unigram, const Array1<int32_t>& first,
                     const Array1<int32_t>& second, const Array1<int64_t>& count) {
  const size_t size = unigram.shape(0);
  if (size < 2) throw std::invalid_argument("there are no words");
  if (second.shape(0) != first.shape(0) || count.shape(0) != first.shape(0)) {
    throw std::invalid_argument("first, second and count differ in length");
  }
  Bigrams bigrams;
  bigrams.unigram.assign(unigram.data(), unigram.data() + size);
  bigrams.right.resize(size);
  bigrams.left.resize(size);
  bigrams.self.resize(size);
  std::vector<size_t> followers(size), leaders(size);
  for (size_t i = 0; i < first.shape(0); ++i) {
    const int32_t a = first(i), b = second(i);
    if (a < 0 || b < 0 || a >= static_cast<int64_t>(size) || b >= static_cast<int64_t>(size)) {
      throw std::invalid_argument("a bigram has an id that is none of a word");
    }
    ++followers[a];
    ++leaders[b];
  }
  for (size_t word = 0; word < size; ++word) {
    bigrams.right[word].reserve(followers[word]);
    bigrams.left[word].reserve(leaders[word]);
  }
  for (size_t i = 0; i < first.shape(0); ++i) {
    const int32_t a = first(i), b = second(i);
    if (count(i) < 1) throw std::invalid_argument("a bigram count is not positive");
    // Sums of counts are held in 32 bits.
    if (count(i) > std::numeric_limits<uint32_t>::max() - bigrams.total) {
      throw std::overflow_error("more than 2^32 - 1 bigrams");
    }
    bigrams.total += count(i);
    const uint32_t n = static_cast<uint32_t>(count(i));
    if (a == b) {
      bigrams.self[a] += n;
    } else {
      bigrams.right[a].push_back({b, n});
      bigrams.left[b].push_back({a, n});
    }
  }
  return bigrams;
}

Options check_options(bool refine, double penalty, bool word_tree) {
  if (!(penalty >= 0) || !std::isfinite(penalty)) {
    throw std::invalid_argument("the penalty is negative or no number");
  }
  return {refine, penalty, word_tree};
}

// Lets Ctrl-C through. Steps take from microseconds, with few classes, to a second.
struct Poll {
  std::chrono::steady_clock::time_point next{};
  void operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next) return;
    next = now + std::chrono::milliseconds(50);
    poll_signals();
  }
};

Clusters cluster_words(const Bigrams& bigrams, int classes, bool refine, double penalty,
                       bool word_tree) {
  if (classes < 1) throw std::invalid_argument("classes must be at least 1");
  const Options options = check_options(refine, penalty, word_tree);
  nb::gil_scoped_release release;
  return cluster(bigrams, classes, options, Poll());
}

Clusters arrange_classes(const Bigrams& bigrams, const Array1<int32_t>& start, bool refine,
                         double penalty, bool word_tree) {
  const Options options = check_options(refine, penalty, word_tree);
  const int words = bigrams.words();
  if (static_cast<int64_t>(start.shape(0)) != words) {
    throw std::invalid_argument("not a class for each word");
  }
  std::vector<int32_t> of(start.data(), start.data() + words), size(words);
  int classes = 0;
  for (const int32_t c : of) {
    if (c < 0 || c >= words) throw std::invalid_argument("class out of range");
    classes = std::max(classes, c + 1);
    ++size[c];
  }
  if (std::find(size.begin(), size.begin() + classes, 0) != size.begin() + classes) {
    throw std::invalid_argument("a class without words");
  }
  nb::gil_scoped_release release;
  return arrange(bigrams, std::move(of), classes, options, Poll());
}

}  // namespace
}  // namespace nlmt::classes

NB_MODULE(_brown, module) {
  using namespace nlmt;
  using namespace nlmt::classes;
  nb::class_<Bigrams>(module, "Bigrams")
      .def(
          "__init__",
          [](Bigrams* self, const Array1<int64_t>& unigram, const Array1<int32_t>& first,
             const Array1<int32_t>& second, const Array1<int64_t>& count) {
            new (self) Bigrams(read_bigrams(unigram, first, second, count));
          },
          "unigram"_a, "first"_a, "second"_a, "count"_a);
  nb::class_<Clusters>(module, "Clusters")
      .def_ro("start", &Clusters::start)
      .def_ro("classes", &Clusters::classes)
      .def_ro("merges", &Clusters::merges);
  module.def("cluster", &cluster_words, "bigrams"_a, "classes"_a, "refine"_a, "penalty"_a = 0.0,
             "word_tree"_a = false);
  module.def("arrange", &arrange_classes, "bigrams"_a, "start"_a, "refine"_a, "penalty"_a = 0.0,
             "word_tree"_a = false);
}
