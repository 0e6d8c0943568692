// The model, loaded once: feature functions, tables, language models, weights.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "lm_states.h"
#include "phrase_table.h"
#include "prepared_cache.h"
#include "ragged.h"
#include "reordering.h"
#include "units.h"

namespace nlmt::decoder {

// A line of the [feature] section, checked and with its defaults filled in.
struct FeatureSpec {
  std::string kind;         // as Moses names the class: KENLM, PhraseDictionaryMemory ...
  std::string label;        // LM0
  std::string path;         // of its table or model, if any
  std::string type;         // of a reordering model
  bool tuples;              // whether the units of a language model are tuples
  std::size_t width;        // num-features; 0: not given
  std::size_t table_limit;  // translations a source phrase; 0: all
  NeuralModel neural;       // of a NeuralLM
  ClassTable classes;       // of a ClassLM
};

struct Feature {
  std::string kind;
  std::string label;
  std::size_t offset;  // of its first value in a feature vector
  std::size_t width;
};

// The values of a feature in n-best lists.
struct Printed {
  std::string label;
  std::vector<std::size_t> offsets;  // in a feature vector
};

// A translation of a source phrase, scored by the current weights.
struct PreparedOption {
  static constexpr std::uint32_t kUnknownWord = ~std::uint32_t{0};
  static constexpr std::uint32_t kMarkup = kUnknownWord - 1;

  std::uint32_t table;  // or one of the above
  std::size_t entry;
  float given;                  // log probability that markup gives
  const PreparedOption* equal;  // the table's own, where markup repeats one
  const WordId* words;
  std::uint32_t length;
  std::uint64_t hash;        // of the words; hashes of sequences combine, see n-best
  std::uint64_t hash_power;  // factor of the hash of the words before
  float base;                // weighted: table, word, phrase and unknown-word penalties
  float estimate;            // weighted: language models without context
  std::array<float, kRelations> backward;  // weighted reordering, seen from this phrase
  std::array<float, kRelations> forward;   // weighted reordering of the phrase that follows
  const float* forward_scores;             // the same unweighted: kRelations a forward model
  std::uint32_t forward_count;
  LmPhrase lm;
  Ragged<Unit>::Row source_units;  // units of models that also depend on the source

  float future_score() const { return base + estimate; }
};

// The translations of a source phrase that survive the table limit, best first.
struct PreparedPhrase {
  std::vector<PreparedOption> options;
  std::vector<KenLm::Phrase> lm;       // by option and model
  Ragged<std::int32_t> neural;         // words, a row an option and model
  std::vector<float> neural_isolated;  // by option and model
  Ragged<Unit> source_units;           // of models of the source too, a row an option
  std::vector<float> forward_scores;   // by option, forward reordering model and relation
};

class Model {
 public:
  Model(const std::vector<FeatureSpec>& specs, int threads);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const std::vector<Feature>& features() const { return features_; }
  // The features of an n-best line in Moses' order: those with a state, then the others.
  const std::vector<Printed>& printed() const { return printed_; }
  std::size_t feature_count() const { return count_; }
  const std::vector<float>& weights() const { return weights_; }
  // One weight per value; no search may run meanwhile.
  void set_weights(std::vector<float> weights);
  // Chooses the values of n-best lines, by a flag for each value; no search may run meanwhile.
  void set_printed(const std::vector<bool>& values);

  // Of the files, for the log.
  const std::vector<std::string>& warnings() const { return warnings_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  const std::vector<std::unique_ptr<PhraseTable>>& tables() const { return tables_; }
  const std::vector<std::unique_ptr<KenLm>>& lms() const { return lms_; }
  const float* lm_weights() const { return lm_weights_.data(); }
  const LmStates::NeuralModels& neural_lms() const { return neural_lms_; }
  const float* neural_weights() const { return neural_weights_.data(); }
  float distortion_weight() const { return distortion_weight_; }
  bool looks_forward() const { return forward_models_ > 0; }

  using Workspaces = std::vector<NeuralLm::Workspace>;  // one a neural model

  // The translations of a source phrase, given by its number in the table.
  std::shared_ptr<const PreparedPhrase> prepared(std::size_t table, std::uint32_t source,
                                                 const PhraseWords& words, Workspaces& work) const;
  // A translation that no table offers.
  std::unique_ptr<PreparedPhrase> prepare_own(PreparedOption option, const OptionText& text,
                                              Workspaces& work) const;

  // Add the values of a phrase: its own, then those that depend on what precedes it.
  void add_phrase_features(const PreparedOption& option, float* values) const;
  void add_reordering_features(const PreparedOption* previous, const PreparedOption& option,
                               Relation relation, float* values) const;
  void add_distortion(float distance, float* values) const;
  std::size_t lm_offset(std::size_t lm) const { return lm_offsets_[lm]; }
  std::size_t neural_offset(std::size_t lm) const { return neural_offsets_[lm]; }

 private:
  struct Reordering {
    std::size_t offset;
    std::unique_ptr<ReorderingTable> table;
  };

  std::size_t add_feature(const FeatureSpec& spec, std::size_t width);
  void load(const std::vector<FeatureSpec>& specs, int threads);
  void make_units(const std::vector<FeatureSpec>& specs);
  std::unique_ptr<const Units> units_of(const FeatureSpec& spec, const FindUnit& find) const;
  std::shared_ptr<const BinaryTable> map_binary(const std::vector<FeatureSpec>& specs);
  std::unique_ptr<PreparedPhrase> prepare(std::size_t table, std::uint32_t source,
                                          const PhraseWords& words, Workspaces& work) const;
  void add_language_models(PreparedOption& option, const OptionText& text, PreparedPhrase& phrase,
                           Workspaces& work) const;
  void copy_option(const PreparedPhrase& from, std::size_t number, PreparedPhrase& to) const;
  void finish_phrase(PreparedPhrase& phrase) const;
  void finish_option(PreparedOption& option, float* forward_scores) const;
  const float* reordering_scores(const Reordering& reordering, const PreparedOption& option) const;

  std::vector<std::string> warnings_;
  Vocabulary vocabulary_;
  std::vector<Feature> features_;
  std::vector<Printed> printed_;
  std::size_t count_ = 0;
  std::vector<float> weights_;

  std::vector<std::size_t> unknown_offsets_, word_offsets_, phrase_offsets_, distortion_offsets_;
  std::vector<std::unique_ptr<PhraseTable>> tables_;
  std::vector<std::size_t> table_offsets_, table_limits_;
  std::vector<Reordering> reorderings_;
  std::vector<std::unique_ptr<KenLm>> lms_;
  std::vector<std::size_t> lm_offsets_;
  std::vector<std::unique_ptr<const Units>> lm_units_;  // by model
  LmStates::NeuralModels neural_lms_;
  std::vector<std::size_t> neural_offsets_;
  std::vector<std::unique_ptr<const Units>> neural_units_;  // by model

  float unknown_weight_ = 0, word_weight_ = 0, phrase_weight_ = 0, distortion_weight_ = 0;
  std::vector<float> lm_weights_, neural_weights_;
  std::size_t forward_models_ = 0;

  mutable PreparedCache prepared_;
};

}  // namespace nlmt::decoder
