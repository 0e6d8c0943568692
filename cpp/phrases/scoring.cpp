#include "scoring.h"

#include <algorithm>

#include "text.h"

namespace nlmt::phrases {
namespace {

constexpr double kSmoothing = 0.5;  // added to the count of each orientation

constexpr uint64_t kRow = (1 << kLongestPhrase) - 1;

uint64_t row(uint64_t alignment, uint32_t target) {
  return alignment >> (target * kLongestPhrase) & kRow;
}

// Links with source and target exchanged.
uint64_t transpose(uint64_t alignment) {
  uint64_t result = 0;
  for (; alignment; alignment &= alignment - 1) {
    const int bit = __builtin_ctzll(alignment);
    result |= uint64_t(1) << (bit % kLongestPhrase * kLongestPhrase + bit / kLongestPhrase);
  }
  return result;
}

// Moses' order of alignments, which decides between equally frequent ones: row by row, the sets
// of linked positions compare as sorted sequences.
bool greater(uint64_t a, uint64_t b) {
  const uint64_t difference = a ^ b;
  if (difference == 0) return false;
  const uint32_t target = __builtin_ctzll(difference) / kLongestPhrase;
  const uint64_t x = row(a, target), y = row(b, target);
  const uint64_t lowest = (x ^ y) & -(x ^ y);
  // The set without the lowest position continues with a higher one, or has ended and is less.
  return x & lowest ? y < lowest : x > lowest;
}

struct BestAlignment {
  uint64_t alignment = 0;
  size_t count = 0;
  void offer(uint64_t other, size_t times) {
    if (times > count || (times == count && greater(other, alignment))) {
      alignment = other;
      count = times;
    }
  }
};

void append_links(uint64_t alignment, std::string& text) {
  for (; alignment; alignment &= alignment - 1) {
    const int bit = __builtin_ctzll(alignment);
    text += char('0' + bit % kLongestPhrase);
    text += '-';
    text += char('0' + bit / kLongestPhrase);
    text += ' ';
  }
}

// Each word translates, on average, the words of the other side to which it is linked, or NULL.
// `probability`: of a word given one of the other side, of which -1 is NULL; both are positions.
template <class Probability>
double lexical_score(uint32_t length, uint64_t alignment, const Probability& probability) {
  double score = 1;
  for (uint32_t i = 0; i < length; ++i) {
    uint64_t linked = row(alignment, i);
    if (!linked) {
      score *= probability(i, -1);
      continue;
    }
    double sum = 0;
    const double size = __builtin_popcountll(linked);
    for (; linked; linked &= linked - 1) sum += probability(i, __builtin_ctzll(linked));
    score *= sum / size;
  }
  return score;
}

}  // namespace

double Scorer::target_given_source(const Occurrence& pair, uint64_t alignment) const {
  const uint32_t *source = sources_.words(pair.source), *target = targets_.words(pair.target);
  return lexical_score(targets_.length(pair.target), alignment, [&](uint32_t word, int given) {
    return lexicon_.target_given_source(given < 0 ? source_null_ : source[given], target[word]);
  });
}

double Scorer::source_given_target(const Occurrence& pair, uint64_t transposed) const {
  const uint32_t *source = sources_.words(pair.source), *target = targets_.words(pair.target);
  return lexical_score(sources_.length(pair.source), transposed, [&](uint32_t word, int given) {
    return lexicon_.source_given_target(source[word], given < 0 ? target_null_ : target[given]);
  });
}

void Scorer::score(Occurrence* begin, Occurrence* end, std::string& phrase_table,
                   std::string& reordering_table) const {
  std::sort(begin, end, [](const Occurrence& a, const Occurrence& b) {
    return a.target != b.target ? a.target < b.target : a.alignment() < b.alignment();
  });
  // Moses keeps counts and scores in single precision.
  uint64_t times = 0;
  for (const Occurrence* one = begin; one != end; ++one) times += one->times;
  const float source_count = times;
  std::string head;
  sources_.append_text(begin->source, head);
  head += " ||| ";
  const size_t source_text = head.size();
  for (Occurrence* pair = begin; pair != end;) {
    Occurrence* const first = pair;
    BestAlignment forward, backward;  // each direction breaks ties in its own order
    uint64_t previous[3] = {}, next[3] = {};
    times = 0;
    while (pair != end && pair->target == first->target) {
      const uint64_t alignment = pair->alignment();
      uint64_t run = 0;
      for (; pair != end && pair->target == first->target && pair->alignment() == alignment;
           ++pair) {
        previous[pair->previous()] += pair->times;
        next[pair->next()] += pair->times;
        run += pair->times;
      }
      forward.offer(alignment, run);
      backward.offer(transpose(alignment), run);
      times += run;
    }
    const float count = times, target_count = first->target_times;
    const float target_lexical = target_given_source(*first, forward.alignment);
    const float source_lexical = source_given_target(*first, backward.alignment);

    head.resize(source_text);
    targets_.append_text(first->target, head);
    head += " |||";
    phrase_table += head;
    for (const float score :
         {count / target_count, source_lexical, count / source_count, target_lexical}) {
      phrase_table += ' ';
      append_number(score, phrase_table);
    }
    phrase_table += " ||| ";
    append_links(forward.alignment, phrase_table);
    phrase_table += "|||";
    for (const float number : {target_count, source_count, count}) {
      phrase_table += ' ';
      append_number(number, phrase_table);
    }
    phrase_table += " ||| |||\n";

    reordering_table += head;
    for (const auto& counts : {previous, next}) {
      for (int orientation = 0; orientation < 3; ++orientation) {
        reordering_table += ' ';
        append_number((counts[orientation] + kSmoothing) / (count + 3 * kSmoothing),
                      reordering_table);
      }
    }
    reordering_table += '\n';
  }
}

}  // namespace nlmt::phrases
