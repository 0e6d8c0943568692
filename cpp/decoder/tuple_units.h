// Bilingual tuples as the units of a language model: those that an option's source words, target
// words and links unfold into, by the code of nlmt.tuples (docs/tuples.md).
#pragma once

#include <string>

#include "units.h"

namespace nlmt::decoder {

class TupleUnits : public Units {
 public:
  // `vocabulary` must outlive this.
  TupleUnits(const Vocabulary& vocabulary, FindUnit find);
  float append(const OptionText& option, std::vector<Unit>& units) const override;
  bool needs_source() const override { return true; }

 private:
  void append_word(const PhraseWords& words, std::uint32_t place, std::string& token) const;

  const Vocabulary& vocabulary_;
  FindUnit find_;
};

}  // namespace nlmt::decoder
