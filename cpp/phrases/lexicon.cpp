#include "lexicon.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace nlmt {
namespace {

std::string seven_decimals(double value) {
  char buffer[32];
  return {buffer, size_t(std::snprintf(buffer, sizeof buffer, "%.7f", value))};
}

double rounded(double value) { return std::strtod(seven_decimals(value).c_str(), nullptr); }

}  // namespace

Lexicon::Lexicon(const Bitext& bitext) {
  std::vector<uint64_t> pairs;
  std::vector<bool> source_linked, target_linked;
  for (size_t n = 0; n < bitext.sentences(); ++n) {
    const uint32_t* source = bitext.source.words() + bitext.source.begin(n);
    const uint32_t* target = bitext.target.words() + bitext.target.begin(n);
    source_linked.assign(bitext.source.length(n), false);
    target_linked.assign(bitext.target.length(n), false);
    for (const Link* link = bitext.links_begin(n); link != bitext.links_end(n); ++link) {
      pairs.push_back(uint64_t(source[link->source]) << 32 | target[link->target]);
      source_linked[link->source] = target_linked[link->target] = true;
    }
    for (size_t i = 0; i < source_linked.size(); ++i) {
      if (!source_linked[i]) pairs.push_back(uint64_t(source[i]) << 32 | bitext.target.null());
    }
    for (size_t j = 0; j < target_linked.size(); ++j) {
      if (!target_linked[j]) pairs.push_back(uint64_t(bitext.source.null()) << 32 | target[j]);
    }
  }
  std::sort(pairs.begin(), pairs.end());

  std::vector<uint64_t> source_total(bitext.source.vocabulary()),
      target_total(bitext.target.vocabulary());
  for (const uint64_t pair : pairs) {
    ++source_total[pair >> 32];
    ++target_total[uint32_t(pair)];
  }
  for (size_t i = 0; i < pairs.size();) {
    const uint64_t pair = pairs[i];
    const size_t start = i;
    while (i < pairs.size() && pairs[i] == pair) ++i;
    const double count = i - start;
    entries_.push_back({pair, rounded(count / source_total[pair >> 32]),
                        rounded(count / target_total[uint32_t(pair)])});
  }

  size_t size = 16;
  while (size < 2 * entries_.size()) size *= 2;
  mask_ = size - 1;
  slots_.assign(size, kEmpty);
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    size_t slot = hash(entries_[i].key);
    while (slots_[slot & mask_] != kEmpty) ++slot;
    slots_[slot & mask_] = i;
  }
}

std::string Lexicon::format_f2e(const Bitext& bitext) const {
  std::string text;
  for (const Entry& entry : entries_) {
    text += bitext.target.spelling(uint32_t(entry.key)) + ' ' +
            bitext.source.spelling(entry.key >> 32) + ' ' +
            seven_decimals(entry.target_given_source) + '\n';
  }
  return text;
}

std::string Lexicon::format_e2f(const Bitext& bitext) const {
  std::string text;
  for (const Entry& entry : entries_) {
    text += bitext.source.spelling(entry.key >> 32) + ' ' +
            bitext.target.spelling(uint32_t(entry.key)) + ' ' +
            seven_decimals(entry.source_given_target) + '\n';
  }
  return text;
}

}  // namespace nlmt
