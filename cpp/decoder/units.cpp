#include "units.h"

#include <algorithm>
#include <utility>

#include "probability.h"

namespace nlmt::decoder {

WordUnits::WordUnits(const Vocabulary& vocabulary, FindUnit find)
    : vocabulary_(vocabulary),
      find_(std::move(find)),
      known_(zeroed<std::atomic<Unit>>(vocabulary.size() + 1)) {}

float WordUnits::append(const OptionText& option, std::vector<Unit>& units) const {
  const PhraseWords& target = option.target;
  for (std::uint32_t i = 0; i < target.length; ++i) {
    units.push_back(target.spelling ? find_(target.spelling[i]) : unit(target.ids[i]));
  }
  return 0;
}

Unit WordUnits::unit(WordId word) const {
  // Threads that look up the same word at once write the same value.
  std::atomic<Unit>& known = known_[word];
  Unit next = known.load(std::memory_order_relaxed);
  if (!next) {
    next = find_(vocabulary_.word(word)) + 1;
    known.store(next, std::memory_order_relaxed);
  }
  return next - 1;
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
