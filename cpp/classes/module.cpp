// nlmt.classes._brown: Brown clustering for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <stdexcept>

#include "brown.h"

namespace nb = nanobind;
using nlmt::classes::Bigrams;
using nlmt::classes::BrownClasses;

namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Bigrams Read(const Vector<int64_t>& unigram, const Vector<int32_t>& first,
             const Vector<int32_t>& second, const Vector<int64_t>& count) {
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
  for (size_t i = 0; i < first.shape(0); ++i) {
    const int32_t a = first(i), b = second(i);
    if (a < 0 || b < 0 || a >= static_cast<int64_t>(size) || b >= static_cast<int64_t>(size)) {
      throw std::invalid_argument("a bigram has an id that is none of a word");
    }
    if (count(i) < 1) throw std::invalid_argument("a bigram count is not positive");
    bigrams.total += count(i);
    // Sums of counts are held in 32 bits.
    if (bigrams.total > std::numeric_limits<int32_t>::max()) {
      throw std::overflow_error("more than 2^31 - 1 bigrams");
    }
    const int32_t n = static_cast<int32_t>(count(i));
    if (a == b) {
      bigrams.self[a] += n;
    } else {
      bigrams.right[a].push_back({b, n});
      bigrams.left[b].push_back({a, n});
    }
  }
  return bigrams;
}

BrownClasses Cluster(const Vector<int64_t>& unigram, const Vector<int32_t>& first,
                     const Vector<int32_t>& second, const Vector<int64_t>& count, int classes,
                     bool refine) {
  if (classes < 1) throw std::invalid_argument("classes must be at least 1");
  const Bigrams bigrams = Read(unigram, first, second, count);
  nb::gil_scoped_release release;
  int ticks = 0;
  return nlmt::classes::Cluster(bigrams, classes, refine, [&ticks] {
    if (++ticks % 256 != 0) return;
    nb::gil_scoped_acquire acquire;  // so that Ctrl-C ends a long run
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  });
}

}  // namespace

NB_MODULE(_brown, module) {
  nb::class_<BrownClasses>(module, "BrownClasses")
      .def_ro("window", &BrownClasses::window)
      .def_ro("classes", &BrownClasses::classes)
      .def_ro("merges", &BrownClasses::merges);
  module.def("cluster", &Cluster, nb::arg("unigram"), nb::arg("first"), nb::arg("second"),
             nb::arg("count"), nb::arg("classes"), nb::arg("refine"));
}
