#include "lexicon.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "text.h"
#include "ticks.h"

namespace nlmt::phrases {
namespace {

// How often a pair of words is linked.
struct Count {
  uint64_t key, count;
};

// Adds pairs to counts, in the order of keys, and clears the pairs.
void fold(std::vector<uint64_t>& pairs, std::vector<Count>& counts, Ticks& tick) {
  std::sort(pairs.begin(), pairs.end(), [&](uint64_t a, uint64_t b) {
    tick();
    return a < b;
  });
  std::vector<Count> folded;
  size_t known = 0;
  for (size_t i = 0; i < pairs.size();) {
    const uint64_t pair = pairs[i];
    const size_t start = i;
    while (i < pairs.size() && pairs[i] == pair) ++i;
    while (known < counts.size() && counts[known].key < pair) folded.push_back(counts[known++]);
    folded.push_back({pair, i - start});
    if (known < counts.size() && counts[known].key == pair) {
      folded.back().count += counts[known++].count;
    }
  }
  folded.insert(folded.end(), counts.begin() + known, counts.end());
  counts = std::move(folded);
  pairs.clear();
}

// Rounds to seven decimals, as printf does; in units of the last one.
uint32_t seven_decimals(double value) {
  char digits[32];
  const auto form = std::chars_format::fixed;
  const char* const end = std::to_chars(digits, digits + sizeof digits, value, form, 7).ptr;
  double rounded = 0;
  parse_number({digits, static_cast<size_t>(end - digits)}, rounded);
  return uint32_t(rounded * 1e7 + 0.5);
}

void append_line(std::string_view word, std::string_view given, uint32_t decimals,
                 std::string& text) {
  char buffer[32];
  const int size =
      std::snprintf(buffer, sizeof buffer, " %u.%07u\n", decimals / 10000000, decimals % 10000000);
  ((text += word) += ' ') += given;
  text.append(buffer, static_cast<size_t>(size));
}

}  // namespace

Lexicon::Lexicon(const EncodedBitext& bitext, size_t memory, const std::function<void()>& poll) {
  Ticks tick(poll);
  std::vector<uint64_t> pairs;
  std::vector<Count> counts;
  std::vector<bool> source_linked, target_linked;
  SentencePair sentence;
  for (bitext.rewind(); bitext.next(sentence);) {
    tick();
    const std::vector<uint32_t>&source = sentence.source, &target = sentence.target;
    source_linked.assign(source.size(), false);
    target_linked.assign(target.size(), false);
    for (const Link& link : sentence.links) {
      pairs.push_back(uint64_t(source[link.source]) << 32 | target[link.target]);
      source_linked[link.source] = target_linked[link.target] = true;
    }
    for (size_t i = 0; i < source_linked.size(); ++i) {
      if (!source_linked[i]) pairs.push_back(uint64_t(source[i]) << 32 | bitext.target.null());
    }
    for (size_t j = 0; j < target_linked.size(); ++j) {
      if (!target_linked[j]) pairs.push_back(uint64_t(bitext.source.null()) << 32 | target[j]);
    }
    // A large vocabulary exceeds the limit anyway, and must not be folded repeatedly.
    if (pairs.size() * sizeof pairs[0] > std::max(memory, counts.size() * sizeof counts[0])) {
      fold(pairs, counts, tick);
    }
  }
  fold(pairs, counts, tick);

  std::vector<uint64_t> source_total(bitext.source.vocabulary()),
      target_total(bitext.target.vocabulary());
  for (const Count& one : counts) {
    source_total[one.key >> 32] += one.count;
    target_total[uint32_t(one.key)] += one.count;
  }
  entries_.reserve(counts.size());
  for (const Count& one : counts) {
    tick();
    const double count = one.count;
    entries_.push_back({one.key, seven_decimals(count / source_total[one.key >> 32]),
                        seven_decimals(count / target_total[uint32_t(one.key)])});
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

std::string Lexicon::format(const EncodedBitext& bitext, bool inverse, size_t first, size_t count,
                            const std::function<void()>& poll) const {
  std::string text;
  Ticks tick(poll);
  const size_t end = std::min(entries_.size(), first + count);
  for (size_t i = first; i < end; ++i) {
    tick();
    const Entry& entry = entries_[i];
    const std::string_view source = bitext.source.spelling(entry.key >> 32);
    const std::string_view target = bitext.target.spelling(uint32_t(entry.key));
    if (inverse) {
      append_line(source, target, entry.source_given_target, text);
    } else {
      append_line(target, source, entry.target_given_source, text);
    }
  }
  return text;
}

}  // namespace nlmt::phrases
