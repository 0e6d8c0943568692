// The language models' part of a sentence's hypotheses: their states, and the scores of phrases
// after them.
//
// A state is the n-gram models' joint state and, for each neural model, the last words that it
// uses; hypotheses of equal state score alike whatever follows. If a neural score is expensive, a
// step first has an estimate. settle() makes many exact at once, so that their contexts go through
// the network together; the search calls it only when a hypothesis is about to be taken.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "language_model.h"
#include "neural_lm.h"
#include "ragged.h"

namespace nlmt::decoder {

// A phrase as the models see it.
struct LmPhrase {
  const KenLm::Phrase* ngram = nullptr;          // one a model
  const Ragged<std::int32_t>* neural = nullptr;  // words, a row a neural model
  std::size_t first_row = 0;                     // that of the first neural model
  const float* neural_isolated = nullptr;        // scores without context, one a neural model

  Ragged<std::int32_t>::Row words(std::size_t model) const { return (*neural)[first_row + model]; }
};

class LmStates {
 public:
  using NeuralModels = std::vector<std::unique_ptr<NeuralLm>>;

  // A phrase after a state, followed by </s> if it is the last one.
  struct Request {
    std::uint32_t state, phrase;
    bool last;
  };
  struct Step {
    float score;  // weighted sum over the models
    bool exact;   // else an estimate
    std::uint32_t arrival;
  };

  // All must live until the next start, which forgets the sentence.
  void start(const std::vector<std::unique_ptr<KenLm>>& ngrams, const float* ngram_weights,
             const NeuralModels& neural, const float* neural_weights);
  std::uint32_t begin() const { return 0; }
  // Phrases are numbered in the order of adding.
  void add_phrase(const LmPhrase& phrase);
  std::size_t phrases() const { return phrases_.size(); }

  Step extend(const Request& request) {
    if (!neural_->empty()) return extend_all(request);
    const NgramStates::Step step = ngrams_.extend(request.state, request.phrase);
    return {request.last ? step.score + ngrams_.finish(step.state) : step.score, true, step.state};
  }
  // The state after a step. Most steps are never taken, and need none.
  std::uint32_t arrive(const Request& request, const Step& step) {
    return neural_->empty() ? step.arrival : arrive_all(request, step.arrival);
  }
  // Computes the exact steps of requests, which extend() returns from now on.
  void settle(const std::vector<Request>& requests, std::vector<Step>& steps);

  // One model's own score of a phrase, and of </s> after it where requested.
  float printed_ngram_score(std::size_t model, std::uint32_t state, std::uint32_t phrase,
                            bool last) const {
    return ngrams_.printed_score(model, ngram_state(state), phrase, last);
  }
  float neural_score(std::size_t model, std::uint32_t state, std::uint32_t phrase, bool last) const;

  // The neural models' buffers for this object's thread.
  std::vector<NeuralLm::Workspace>& workspaces() const { return workspaces_; }

 private:
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};  // </s>, where phrases are named

  struct Cached {
    float score;
    std::uint32_t arrival : 31;  // n-gram state after the phrase
    std::uint32_t exact : 1;
  };
  struct Task {
    std::uint32_t state, phrase;
    Cached* step;
  };

  Step extend_all(const Request& request);
  std::uint32_t arrive_all(const Request& request, std::uint32_t ngram_state);
  NgramStates::Step ngram_step(std::uint32_t state, std::uint32_t phrase);
  Cached& lookup(std::uint32_t state, std::uint32_t phrase);
  Cached* add_task(std::uint32_t state, std::uint32_t phrase);
  void settle_model(std::size_t model);
  void add_line(std::size_t model, std::uint32_t state, std::uint32_t phrase,
                std::vector<std::int32_t>& line) const;
  const LmPhrase& phrase(std::uint32_t number) const {
    return number == kEnd ? end_ : phrases_[number];
  }

  std::uint32_t ngram_state(std::uint32_t state) const {
    return neural_->empty() ? state : ngram_states_[state];
  }
  const std::int32_t* words(std::uint32_t state) const {
    return contexts_.data() + state * context_width_;
  }
  std::uint32_t intern(std::uint32_t ngram_state, const std::int32_t* context);

  NgramStates ngrams_;
  const NeuralModels* neural_ = nullptr;
  const float* weights_ = nullptr;
  mutable std::vector<NeuralLm::Workspace> workspaces_;

  std::vector<LmPhrase> phrases_;
  LmPhrase end_;
  Ragged<std::int32_t> end_words_;
  std::vector<float> end_isolated_;
  std::size_t context_width_ = 0;             // words a state, all models together
  std::vector<std::size_t> context_offsets_;  // by model: its words among those of a state
  std::vector<std::int32_t> contexts_;        // by state
  std::vector<std::uint32_t> ngram_states_;   // by state
  Interner numbers_;                          // of the states
  KeyTable<Cached> steps_;                    // by state and phrase
  std::vector<std::int32_t> next_context_;
  mutable std::vector<std::int32_t> line_;
  std::vector<Task> tasks_;                                       // of settle()
  std::vector<std::pair<const Cached*, const Cached*>> settled_;  // of requests and of </s> or null
  std::vector<NeuralLm::Event> events_;
};

}  // namespace nlmt::decoder
