// nlmt.ngram._queries: queries of KenLM models, many at a time.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lm/model.hh"
#include "numpy.h"

namespace nlmt::ngram {
namespace {

using lm::WordIndex;
using lm::ngram::State;
using Words = Array1<std::int32_t>;
using Offsets = Array1<std::int64_t>;

constexpr std::int32_t kBegin = -1;  // stands for <s> in the context of an n-gram

// All probabilities are logarithms to base 10.
class Queries {
 public:
  explicit Queries(const std::string& path) {
    lm::ngram::Config config;
    config.messages = nullptr;
    config.show_progress = false;
    config.arpa_complain = lm::ngram::Config::NONE;
    model_.reset(lm::ngram::LoadVirtual(path.c_str(), config));
  }

  int order() const { return model_->Order(); }
  std::int32_t find(std::string_view word) const {
    return static_cast<std::int32_t>(vocabulary().Index(StringPiece(word.data(), word.size())));
  }

  // Of each sentence and its </s>, given as words from one offset to the next.
  nb::object score_sentences(const Words& words, const Offsets& offsets) const {
    check_offsets(words, offsets);
    std::vector<double> scores;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      float sum = 0;
      score(words, offsets(i), offsets(i + 1), [&](float one) { sum += one; });
      scores.push_back(sum);
    }
    return to_numpy(std::move(scores));
  }

  // Of each word, and of the </s> after each sentence.
  nb::object score_words(const Words& words, const Offsets& offsets) const {
    check_offsets(words, offsets);
    std::vector<double> scores;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      score(words, offsets(i), offsets(i + 1), [&](float one) { scores.push_back(one); });
    }
    return to_numpy(std::move(scores));
  }

  // Of the last word of each n-gram; those of one context should follow each other.
  nb::object score_ngrams(const Array2<std::int32_t>& ngrams) const {
    const std::size_t length = ngrams.shape(1);
    if (length == 0) throw std::invalid_argument("n-grams without words");
    std::vector<double> scores;
    const std::int32_t* known = nullptr;  // context of `state`
    State state, after;
    for (std::size_t i = 0; i < ngrams.shape(0); ++i) {
      const std::int32_t* context = ngrams.data() + i * length;
      const std::int32_t* last = context + length - 1;
      if (known == nullptr || !std::equal(context, last, known)) {
        state = state_after(context, last);
        known = context;
      }
      scores.push_back(model_->BaseScore(&state, word(*last), &after));
    }
    return to_numpy(std::move(scores));
  }

 private:
  const lm::base::Vocabulary& vocabulary() const { return model_->BaseVocabulary(); }
  const State& begin() const { return *static_cast<const State*>(model_->BeginSentenceMemory()); }
  const State& empty() const { return *static_cast<const State*>(model_->NullContextMemory()); }

  // Ids come from `find`; KenLM itself does not check them.
  static WordIndex word(std::int32_t id) {
    if (id < 0) throw std::invalid_argument("a word that no vocabulary has");
    return static_cast<WordIndex>(id);
  }

  static void check_offsets(const Words& words, const Offsets& offsets) {
    bool good = offsets.size() > 0 && offsets(0) == 0 &&
                offsets(offsets.size() - 1) == static_cast<std::int64_t>(words.size());
    for (std::size_t i = 1; good && i < offsets.size(); ++i) good = offsets(i - 1) <= offsets(i);
    if (!good) throw std::invalid_argument("offsets must rise from 0 to the number of words");
  }

  template <typename Take>
  void score(const Words& words, std::int64_t from, std::int64_t to, Take take) const {
    State state = begin(), after;
    for (std::int64_t i = from; i < to; ++i) {
      take(model_->BaseScore(&state, word(words(static_cast<std::size_t>(i))), &after));
      state = after;
    }
    take(model_->BaseScore(&state, vocabulary().EndSentence(), &after));
  }

  State state_after(const std::int32_t* context, const std::int32_t* end) const {
    State state = std::find(context, end, kBegin) != end ? begin() : empty(), after;
    for (; context != end; ++context) {
      if (*context == kBegin) continue;
      model_->BaseScore(&state, word(*context), &after);
      state = after;
    }
    return state;
  }

  std::unique_ptr<lm::base::Model> model_;
};

}  // namespace
}  // namespace nlmt::ngram

NB_MODULE(_queries, m) {
  namespace nb = nlmt::nb;
  using nlmt::ngram::Queries;
  m.attr("KENLM_VERSION") = KENLM_VERSION;
  nb::class_<Queries>(m, "Queries")
      .def(nb::init<const std::string&>(), nb::arg("path"))
      .def_prop_ro("order", &Queries::order)
      .def("find", &Queries::find, nb::arg("word"))
      .def("score_sentences", &Queries::score_sentences, nb::arg("words"), nb::arg("offsets"))
      .def("score_words", &Queries::score_words, nb::arg("words"), nb::arg("offsets"))
      .def("score_ngrams", &Queries::score_ngrams, nb::arg("ngrams"));
}
