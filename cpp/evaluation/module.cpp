// nlmt.evaluation._statistics: sufficient statistics of metrics for many hypotheses at once.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "bleu.h"
#include "chrf.h"
#include "python.h"
#include "team.h"
#include "ter.h"

namespace nlmt::evaluation {
namespace {

int32_t largest(const Array1<int32_t>& ids) {
  int32_t top = -1;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids(i) < 0) throw std::invalid_argument("word ids must not be negative");
    top = std::max(top, ids(i));
  }
  return top;
}

// Hypotheses and the references of their sentences, which are adjacent.
struct EncodedTexts {
  Array1<int32_t> ids;
  Array1<int64_t> offsets;
  Array1<int32_t> sentence;  // of each hypothesis
  Array1<int32_t> reference_ids;
  Array1<int64_t> reference_offsets;
  int references;
  int32_t vocabulary;  // word ids are below it

  EncodedTexts(Array1<int32_t> ids, Array1<int64_t> offsets, Array1<int32_t> sentence,
               Array1<int32_t> reference_ids, Array1<int64_t> reference_offsets, int references)
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

// Hypotheses that a thread takes at once, and about as many words: Ctrl-C is heard in between.
constexpr int64_t kTaken = 64, kTakenWords = 1 << 12;

// `make` returns a counter of statistics for each thread.
template <typename Make>
nb::object count(const EncodedTexts& texts, int threads, Make make) {
  using Counter = decltype(make());
  constexpr size_t kWidth = Counter::kWidth;
  const int64_t rows = texts.size();
  const int64_t words = static_cast<int64_t>(texts.ids.size()) / std::max<int64_t>(rows, 1) + 1;
  const int64_t taken = std::clamp<int64_t>(kTakenWords / words, 1, kTaken);
  const int64_t parts = (rows + taken - 1) / taken;
  threads = static_cast<int>(std::clamp<int64_t>(parts, 1, threads));
  std::vector<int32_t> out(static_cast<size_t>(rows) * kWidth);
  std::vector<std::unique_ptr<Counter>> counters(static_cast<size_t>(threads));
  const auto work = [&](int64_t part, int thread) {
    if (thread == 0) poll_signals();  // Python's own thread
    auto& own = counters[static_cast<size_t>(thread)];
    if (!own) own = std::make_unique<Counter>(make());
    Counter& counter = *own;
    int32_t current = -1;
    for (int64_t i = part * taken; i < std::min(rows, (part + 1) * taken); ++i) {
      if (texts.sentence(i) != current) {
        current = texts.sentence(i);
        counter.set_references(texts.group(current));
      }
      counter.count(texts.hypothesis(i), &out[i * kWidth]);
    }
  };
  {
    nb::gil_scoped_release release;
    Team(threads).each(parts, work);
  }
  return to_numpy(std::move(out), {static_cast<size_t>(rows), kWidth});
}

nb::object bleu(const EncodedTexts& texts, int threads) {
  return count(texts, threads, [&] { return BleuStatistics(texts.vocabulary); });
}

nb::object ter(const EncodedTexts& texts, int threads) {
  return count(texts, threads, [] { return TerStatistics(); });
}

nb::object chrf(const EncodedTexts& texts, Array1<int32_t> characters, Array1<int64_t> offsets,
                int threads) {
  check_offsets(offsets, characters.size());
  if (static_cast<int64_t>(offsets.size()) <= texts.vocabulary) {
    throw std::invalid_argument("a word is not spelt");
  }
  const Spelling spelling{characters.data(), offsets.data(), largest(characters) + 1};
  return count(texts, threads, [&] { return ChrfStatistics(spelling); });
}

}  // namespace
}  // namespace nlmt::evaluation

NB_MODULE(_statistics, m) {
  using namespace nlmt;
  using namespace nlmt::evaluation;
  nb::register_exception_translator(translate_errors);
  nb::class_<EncodedTexts>(m, "EncodedTexts")
      .def(nb::init<Array1<int32_t>, Array1<int64_t>, Array1<int32_t>, Array1<int32_t>,
                    Array1<int64_t>, int>(),
           "ids"_a, "offsets"_a, "sentence"_a, "reference_ids"_a, "reference_offsets"_a,
           "references"_a);
  m.def("bleu", &bleu, "texts"_a, "threads"_a);
  m.def("ter", &ter, "texts"_a, "threads"_a);
  m.def("chrf", &chrf, "texts"_a, "characters"_a, "offsets"_a, "threads"_a);
}
