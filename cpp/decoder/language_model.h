// KenLM models as one feature group of the search; lm_states.h adds neural models.
//
// Several models step together: a joint state is one KenLM state per model. Both kinds are stored
// once per sentence and numbered. The score of a word after a state is computed once and cached,
// and so is that of a phrase; words far enough inside a phrase never see the context, so their
// scores are summed when the phrase is prepared, and scoring stops at the first word whose state no
// longer extends beyond the phrase.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interner.h"
#include "key_table.h"
#include "lm/state.hh"
#include "lm/virtual_interface.hh"
#include "vocabulary.h"

namespace nlmt::decoder {

// One n-gram model; scores are natural logs.
class KenLm {
 public:
  static constexpr int kMaxContext = KENLM_MAX_ORDER - 1;

  // The part of a phrase that does not depend on the context.
  struct Phrase {
    std::array<lm::WordIndex, kMaxContext> words;  // those that see the context
    // [i]: scores of all words after i, from within, and the addition to the phrase
    std::array<float, kMaxContext> rest;
    float isolated;           // score of the phrase without context
    std::uint8_t contextual;  // how many words see the context
    bool fixed_end;           // `end` holds whatever the context
    lm::ngram::State end;     // state after the phrase, without context
  };

  // Reads ARPA, gzip or not, and KenLM's binary formats.
  explicit KenLm(const std::string& path);

  // Whether an ARPA file has no <unk>, for which KenLM takes kUnknownLog10.
  bool lacks_unknown() const { return lacks_unknown_; }
  int order() const { return model_->Order(); }
  lm::WordIndex find(std::string_view word) const {
    return model_->BaseVocabulary().Index(StringPiece(word.data(), word.size()));
  }
  const lm::ngram::State& begin() const {
    return *static_cast<const lm::ngram::State*>(model_->BeginSentenceMemory());
  }
  float finish(const lm::ngram::State& in) const { return kLn10 * log10_finish(in); }
  // `beside`: a score of the phrase that is added to that of its words, a natural log.
  Phrase prepare(const std::vector<lm::WordIndex>& words, float beside) const;
  float score(const lm::ngram::State& in, lm::WordIndex word, lm::ngram::State& out) const {
    return kLn10 * log10_score(in, word, out);
  }
  // The score of a phrase, and of </s> after it where requested, summed word by word in Moses'
  // order and precision.
  float printed_score(const lm::ngram::State& in, const Phrase& phrase, bool last) const;

 private:
  // An ARPA file may have -inf, or numbers as large as floats: they count as the probability that
  // KenLM gives unknown words where the model does not.
  float log10_score(const lm::ngram::State& in, lm::WordIndex word, lm::ngram::State& out) const {
    const float score = model_->BaseScore(&in, word, &out);
    return std::abs(score) <= kMostLog10 ? score : kUnknownLog10;
  }
  float log10_finish(const lm::ngram::State& in) const {
    lm::ngram::State out;
    return log10_score(in, model_->BaseVocabulary().EndSentence(), out);
  }

  static constexpr float kLn10 = 2.30258509299405f;
  static constexpr float kMostLog10 = 1e6f, kUnknownLog10 = -100;

  std::unique_ptr<lm::base::Model> model_;
  bool lacks_unknown_;
};

// The states of one sentence's hypotheses, and the scores of its phrases after them.
class NgramStates {
 public:
  struct Step {
    std::uint32_t state;
    float score;  // weighted sum over the models
  };

  // Forgets the last sentence. `models` and `weights` must live until the next start.
  void start(const std::vector<std::unique_ptr<KenLm>>& models, const float* weights);
  std::uint32_t begin() const { return 0; }
  // Phrases, each given as one KenLm::Phrase per model, are numbered in the order of adding.
  void add_phrase(const KenLm::Phrase* phrase) { phrases_.push_back(phrase); }
  Step extend(std::uint32_t state, std::uint32_t phrase);
  float finish(std::uint32_t state);  // weighted score of </s>
  // One model's own score of a phrase, and of </s> after it where requested.
  float printed_score(std::size_t model, std::uint32_t state, std::uint32_t phrase,
                      bool last) const {
    return (*models_)[model]->printed_score(state_of(model, state), phrases_[phrase][model], last);
  }

 private:
  // One model's own states, and the words after them, each asked of KenLM once.
  struct ModelStates {
    std::vector<lm::ngram::State> states;
    Interner numbers;      // of the states
    KeyTable<Step> words;  // by state and word

    void start(const KenLm& model);
    std::uint32_t intern(const lm::ngram::State& wanted);
    Step add_word(const KenLm& model, std::uint32_t state, lm::WordIndex word);
    Step add_phrase(const KenLm& model, std::uint32_t state, const KenLm::Phrase& phrase);
  };

  std::uint32_t intern_last();
  const std::uint32_t* joint(std::uint32_t state) const {
    return joint_.data() + state * models_->size();
  }
  // The number of a model's own state in a joint one, which are the same if there is one model.
  std::uint32_t own_state(std::size_t model, std::uint32_t state) const {
    return models_->size() == 1 ? state : joint(state)[model];
  }
  const lm::ngram::State& state_of(std::size_t model, std::uint32_t state) const {
    return of_models_[model].states[own_state(model, state)];
  }

  const std::vector<std::unique_ptr<KenLm>>* models_ = nullptr;
  const float* weights_ = nullptr;
  std::vector<const KenLm::Phrase*> phrases_;
  std::vector<ModelStates> of_models_;
  Interner numbers_;                  // of the joint states
  std::vector<float> finished_;       // by state; NaN: not yet known
  KeyTable<Step> steps_;              // by state and phrase
  std::vector<std::uint32_t> joint_;  // models a state: the number of its own state
};

}  // namespace nlmt::decoder
