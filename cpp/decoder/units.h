// The units of an option that language models score, a sequence for each model.
//
// A unit is a word of the model. For most models these are the words of the option; for a model of
// classes the class of each word, and in addition a score of the word in its class; for a model of
// tuples (tuple_units.h) the tuples into which the words of both sides unfold.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "table_block.h"
#include "vocabulary.h"
#include "zeroed.h"

namespace nlmt::decoder {

using Unit = std::uint32_t;
// A model's number of a word, that of `<unk>` for unknown words.
using FindUnit = std::function<Unit(std::string_view)>;

// Words of a phrase, by number, or by spelling where they need not be in the vocabulary.
struct PhraseWords {
  const WordId* ids;
  const std::string_view* spelling;  // null: the words are in the vocabulary
  std::uint32_t length;
};

// An option as the models see it.
struct OptionText {
  PhraseWords source, target;
  const AlignmentPoint* links;
  std::size_t link_count;
};

class Units {
 public:
  virtual ~Units() = default;
  // Appends the units of an option. Returns their score beside the model's, a natural log.
  virtual float append(const OptionText& option, std::vector<Unit>& units) const = 0;
  // Whether options of equal target words may have different units.
  virtual bool needs_source() const { return false; }
};

// The words themselves. The model's numbers of the tables' words are looked up when needed: a
// mapped table may have millions of words, of which a run uses a few thousand.
class WordUnits : public Units {
 public:
  // `vocabulary` must outlive this, and be complete.
  WordUnits(const Vocabulary& vocabulary, FindUnit find);
  float append(const OptionText& option, std::vector<Unit>& units) const override;

 private:
  Unit unit(WordId word) const;

  const Vocabulary& vocabulary_;
  FindUnit find_;
  Zeroed<std::atomic<Unit>> known_;  // by word: its unit plus 1; 0 until it is looked up
};

// Words in classes, as in nlmt.ngram.class_table.ClassTable.
struct ClassTable {
  std::vector<std::string> words;
  std::vector<std::string> classes;  // of each word: the model's name of its class
  std::vector<float> log_p;          // of each word in its class, natural logs
};

// Classes of words (Brown et al. 1992); a word without one is `<unk>`.
class ClassUnits : public Units {
 public:
  // `find` is of the model of classes.
  ClassUnits(const Vocabulary& vocabulary, const FindUnit& find, const ClassTable& table);
  float append(const OptionText& option, std::vector<Unit>& units) const override;

 private:
  struct Member {
    Unit unit;    // its class
    float log_p;  // in it
  };

  std::vector<Member> members_;  // the first is `<unk>`
  WordTable numbers_;            // of the others, less 1
  WordUnits words_;
};

}  // namespace nlmt::decoder
