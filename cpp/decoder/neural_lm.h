// Neural language models as one feature group of the search: scores of words after contexts, with a
// cache.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "neural_scorer.h"
#include "score_cache.h"
#include "short_list.h"
#include "word_table.h"

namespace nlmt::decoder {

// A loaded model.
struct NeuralModel {
  std::shared_ptr<const NeuralScorer> scorer;
  std::vector<std::string> words;  // of the network: `<unk>`, `<s>`, `</s>`, then the others
  std::shared_ptr<const ShortList> short_list;  // if the output layer has some of the words only
};

class NeuralLm {
 public:
  // A word after a context of context() words, the oldest first.
  struct Event {
    const std::int32_t* context;
    std::int32_t word;
    float score;
  };

  // Buffers of one thread for scoring.
  struct Workspace {
    NeuralScorer::Workspace scorer;
    std::vector<ScoreKey> keys;
    std::vector<std::size_t> missing;
    std::vector<Event> events;
    std::vector<std::int32_t> line;
  };

  explicit NeuralLm(const NeuralModel& model);

  static constexpr std::int32_t kUnknown = 0, kBegin = 1, kEnd = 2;

  std::int64_t context() const { return scorer_->context(); }
  std::int32_t find(std::string_view word) const;
  Workspace workspace() const { return {scorer_->workspace(), {}, {}, {}, {}}; }

  // Whether a score costs little more than looking it up.
  bool cheap() const { return cheap_; }

  // Fills in the scores of n events. Each is independent of the other events.
  void score(Event* events, std::size_t n, Workspace& work) const;

  // The scores and normalisers computed so far, for a file, and back. The argument of take_scores
  // must come from a model with the same parameters; nothing may be scored meanwhile.
  std::string kept_scores() const;
  void take_scores(std::string_view kept);

  // Sum over the n words after a context, which are contiguous.
  float score(const std::int32_t* line, std::size_t n, Workspace& work) const;
  // The sum for a phrase whose context before the phrase is unknown.
  float isolated(const std::int32_t* words, std::size_t n, Workspace& work) const;

 private:
  float evaluate(const std::int32_t* context, std::int32_t word, Workspace& work) const;
  // The row of a word in the output layer, negative for words of the back-off model.
  std::int32_t unit(std::int32_t word) const { return list_ ? list_->unit(word) : word; }
  void score_block(Event* events, const std::size_t* missing, std::size_t n, Workspace& work) const;

  std::shared_ptr<const NeuralScorer> scorer_;
  std::shared_ptr<const ShortList> list_;
  bool cheap_;
  WordTable words_;  // those after `</s>`
  mutable ScoreCache scores_, normalisers_;
};

}  // namespace nlmt::decoder
