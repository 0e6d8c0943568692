// The language models' part of a sentence's hypotheses: their states, and the scores of phrases
// after them.
//
// A state is the n-gram models' one and, for each neural model, the last words that it looks at;
// hypotheses of equal state score alike whatever follows. Where a neural score is expensive a step
// comes with an estimate first. settle() makes many exact at once, so that their contexts go
// through the network together; the search asks for that only when a hypothesis is about to be
// taken.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "language_model.h"
#include "neural_lm.h"

namespace nlmt::decoder {

// What the models see of a phrase.
struct LmPhrase {
  const KenLm::Phrase* ngram = nullptr;    // one a model
  const std::int32_t* neural = nullptr;    // the words, by neural model
  const float* neural_isolated = nullptr;  // scores without context, one a neural model
  std::uint32_t length = 0;
};

class LmStates {
 public:
  using NeuralModels = std::vector<std::unique_ptr<NeuralLm>>;

  // Weighted sum over the models.
  struct Score {
    float value;
    bool exact;
  };
  struct Step {
    std::uint32_t state;
    Score score;
  };
  struct Request {
    std::uint32_t state, phrase;
    bool last;  // </s> follows
  };

  // All stay until the next start, which forgets the sentence.
  void start(const std::vector<std::unique_ptr<KenLm>>& ngrams, const float* ngram_weights,
             const NeuralModels& neural, const float* neural_weights);
  std::uint32_t begin() const { return 0; }
  // Phrases are numbered as they are added.
  void add_phrase(const LmPhrase& phrase);
  std::size_t phrases() const { return phrases_.size(); }

  Step extend(std::uint32_t state, std::uint32_t phrase) {
    if (!neural_->empty()) return extend_all(state, phrase);
    const NgramStates::Step step = ngrams_.extend(state, phrase);
    return {step.state, {step.score, true}};
  }
  // Score of </s>.
  Score finish(std::uint32_t state) {
    return neural_->empty() ? Score{ngrams_.finish(state), true} : finish_all(state);
  }
  // Makes the scores exact that extend() and finish() give from now on.
  void settle(const std::vector<Request>& requests);

  // One model's own score of a phrase, and of </s> behind it where asked.
  float printed_ngram_score(std::size_t model, std::uint32_t state, std::uint32_t phrase,
                            bool last) const {
    return ngrams_.printed_score(model, ngram_state(state), phrase, last);
  }
  float printed_neural_score(std::size_t model, std::uint32_t state, std::uint32_t phrase,
                             bool last) const;

  // Room for the neural models to compute in, for this object's thread.
  std::vector<NeuralLm::Workspace>& workspaces() const { return workspaces_; }

 private:
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};  // </s>, where phrases are named

  // A score that may still lack the expensive models.
  struct Settling {
    float known;  // without them
    Score score;
  };
  struct Cached {
    std::uint64_t key;
    std::uint32_t state;
    Settling step;
  };
  struct Task {
    std::uint32_t state, phrase;
    Settling* of;
  };

  Step extend_all(std::uint32_t state, std::uint32_t phrase);
  Score finish_all(std::uint32_t state);
  Settling guess(std::uint32_t state, std::uint32_t phrase, float ngram_score);
  void settle_model(std::size_t model, const std::vector<Task>& tasks);
  void add_line(std::size_t model, std::uint32_t state, std::uint32_t phrase,
                std::vector<std::int32_t>& line) const;
  std::size_t events(std::uint32_t phrase) const {
    return phrase == kEnd ? 1 : phrases_[phrase].length;
  }

  std::uint32_t ngram_state(std::uint32_t state) const {
    return neural_->empty() ? state : ngram_states_[state];
  }
  const std::int32_t* words(std::uint32_t state) const {
    return contexts_.data() + state * context_width_;
  }
  std::uint32_t intern(std::uint32_t ngram_state, const std::int32_t* context);
  std::size_t state_slot(std::uint32_t ngram_state, const std::int32_t* context) const;
  std::size_t cache_slot(std::uint64_t key) const;
  void grow_cache();

  NgramStates ngrams_;
  const NeuralModels* neural_ = nullptr;
  const float* weights_ = nullptr;
  mutable std::vector<NeuralLm::Workspace> workspaces_;

  std::vector<LmPhrase> phrases_;
  std::size_t context_width_ = 0;             // words a state, all models together
  std::vector<std::size_t> context_offsets_;  // by model: its words among those of a state
  std::vector<std::int32_t> contexts_;        // by state
  std::vector<std::uint32_t> ngram_states_;   // by state
  std::vector<Settling> finished_;            // by state; NaN: not yet known
  std::vector<std::uint32_t> state_slots_;
  std::vector<Cached> cache_;
  std::size_t cached_ = 0;
  std::vector<std::int32_t> line_, next_context_;
  std::vector<NeuralLm::Event> events_;
};

}  // namespace nlmt::decoder
