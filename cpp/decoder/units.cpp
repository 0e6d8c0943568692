#include "units.h"

#include <algorithm>
#include <utility>

#include "probability.h"

namespace nlmt::decoder {

WordUnits::WordUnits(const Vocabulary& vocabulary, FindUnit find)
    : find_(std::move(find)), known_(vocabulary.size(), [this, &vocabulary](WordId id) {
        return find_(vocabulary.word(id));
      }) {}

float WordUnits::append(const OptionText& option, std::vector<Unit>& units) const {
  const PhraseWords& target = option.target;
  for (std::uint32_t i = 0; i < target.length; ++i) {
    units.push_back(target.spelling ? find_(target.spelling[i]) : known_[target.ids[i]]);
  }
  return 0;
}

ClassUnits::ClassUnits(const Vocabulary& vocabulary, const FindUnit& find, const ClassTable& table)
    : members_(1, {find("<unk>"), 0}), words_(vocabulary, [this](std::string_view word) {
        return static_cast<Unit>(numbers_.find(word) + 1);
      }) {
  for (std::size_t i = 0; i < table.words.size(); ++i) {
    if (numbers_.add(table.words[i]) + 1 < static_cast<int32_t>(members_.size())) continue;
    members_.push_back({find(table.classes[i]), std::max(table.log_p[i], kLowest)});
  }
}

float ClassUnits::append(const OptionText& option, std::vector<Unit>& units) const {
  const std::size_t first = units.size();
  words_.append(option, units);
  float sum = 0;
  for (std::size_t i = first; i < units.size(); ++i) {
    const Member& member = members_[units[i]];
    units[i] = member.unit;
    sum += member.log_p;
  }
  return sum;
}

}  // namespace nlmt::decoder
