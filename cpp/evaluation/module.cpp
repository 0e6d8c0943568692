// nlmt.evaluation._statistics: sufficient statistics of metrics for many hypotheses at once.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "bleu.h"
#include "chrf.h"
#include "for_each.h"
#include "ter.h"

namespace nb = nanobind;
using namespace nlmt::evaluation;

namespace {

template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<nb::numpy, int32_t, nb::ndim<2>>;

void check_offsets(const Vector<int64_t>& offsets, size_t words) {
  if (offsets.size() == 0 || offsets(0) != 0 ||
      offsets(offsets.size() - 1) != static_cast<int64_t>(words)) {
    throw std::invalid_argument("offsets must run from 0 to the number of words");
  }
  for (size_t i = 1; i < offsets.size(); ++i) {
    if (offsets(i) < offsets(i - 1)) throw std::invalid_argument("offsets must not fall");
  }
}

int32_t largest(const Vector<int32_t>& ids) {
  int32_t top = -1;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids(i) < 0) throw std::invalid_argument("word ids must not be negative");
    top = std::max(top, ids(i));
  }
  return top;
}

// Hypotheses and the references of their sentences, which are adjacent.
struct EncodedTexts {
  Vector<int32_t> ids;
  Vector<int64_t> offsets;
  Vector<int32_t> sentence;  // of each hypothesis
  Vector<int32_t> reference_ids;
  Vector<int64_t> reference_offsets;
  int references;
  int32_t vocabulary;  // word ids are below it

  EncodedTexts(Vector<int32_t> ids, Vector<int64_t> offsets, Vector<int32_t> sentence,
               Vector<int32_t> reference_ids, Vector<int64_t> reference_offsets, int references)
      : ids(ids),
        offsets(offsets),
        sentence(sentence),
        reference_ids(reference_ids),
        reference_offsets(reference_offsets),
        references(references) {
    check_offsets(offsets, ids.size());
    check_offsets(reference_offsets, reference_ids.size());
    const int64_t rows = static_cast<int64_t>(reference_offsets.size()) - 1;
    if (references < 1 || rows % references != 0) {
      throw std::invalid_argument("references must come as whole groups, one group a sentence");
    }
    if (sentence.size() + 1 != offsets.size()) {
      throw std::invalid_argument("one sentence number is needed for each hypothesis");
    }
    for (size_t i = 0; i < sentence.size(); ++i) {
      if (sentence(i) < 0 || sentence(i) >= rows / references) {
        throw std::invalid_argument("a sentence number has no reference");
      }
    }
    vocabulary = std::max(largest(ids), largest(reference_ids)) + 1;
  }

  int64_t size() const { return static_cast<int64_t>(sentence.size()); }
  Words hypothesis(int64_t i) const {
    return {ids.data() + offsets(i), offsets(i + 1) - offsets(i)};
  }
  References group(int64_t number) const {
    References words;
    for (int64_t row = number * references; row < (number + 1) * references; ++row) {
      words.push_back({reference_ids.data() + reference_offsets(row),
                       reference_offsets(row + 1) - reference_offsets(row)});
    }
    return words;
  }
};

// `make` returns a counter of statistics for each thread.
template <typename Make>
Table count(const EncodedTexts& texts, int threads, Make make) {
  constexpr size_t kWidth = decltype(make())::kWidth;
  const int64_t rows = texts.size();
  auto out = std::make_unique<int32_t[]>(static_cast<size_t>(rows) * kWidth);
  const auto work = [&](size_t part) {
    const auto number = static_cast<int64_t>(part);
    auto counter = make();
    int32_t current = -1;
    for (int64_t i = rows * number / threads; i < rows * (number + 1) / threads; ++i) {
      if (texts.sentence(i) != current) {
        current = texts.sentence(i);
        counter.set_references(texts.group(current));
      }
      counter.count(texts.hypothesis(i), &out[i * kWidth]);
    }
  };
  {
    nb::gil_scoped_release release;
    nlmt::for_each(static_cast<size_t>(threads), static_cast<unsigned>(threads), work);
  }
  int32_t* data = out.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<int32_t*>(p); });
  return Table(data, {static_cast<size_t>(rows), kWidth}, owner);
}

Table bleu(const EncodedTexts& texts, int threads) {
  return count(texts, threads, [&] { return BleuStatistics(texts.vocabulary); });
}

Table ter(const EncodedTexts& texts, int threads) {
  return count(texts, threads, [] { return TerStatistics(); });
}

Table chrf(const EncodedTexts& texts, Vector<int32_t> characters, Vector<int64_t> offsets,
           int threads) {
  check_offsets(offsets, characters.size());
  if (static_cast<int64_t>(offsets.size()) <= texts.vocabulary) {
    throw std::invalid_argument("a word is not spelt");
  }
  const Spelling spelling{characters.data(), offsets.data(), largest(characters) + 1};
  return count(texts, threads, [&] { return ChrfStatistics(spelling); });
}

}  // namespace

NB_MODULE(_statistics, m) {
  nb::class_<EncodedTexts>(m, "EncodedTexts")
      .def(nb::init<Vector<int32_t>, Vector<int64_t>, Vector<int32_t>, Vector<int32_t>,
                    Vector<int64_t>, int>(),
           nb::arg("ids"), nb::arg("offsets"), nb::arg("sentence"), nb::arg("reference_ids"),
           nb::arg("reference_offsets"), nb::arg("references"));
  m.def("bleu", &bleu, nb::arg("texts"), nb::arg("threads"));
  m.def("ter", &ter, nb::arg("texts"), nb::arg("threads"));
  m.def("chrf", &chrf, nb::arg("texts"), nb::arg("characters"), nb::arg("offsets"),
        nb::arg("threads"));
}
