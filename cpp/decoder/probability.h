// Probabilities of the text tables as scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "errors.h"
#include "hashing.h"
#include "text.h"

namespace nlmt::decoder {

// Moses' lower bound of log-probabilities.
inline constexpr float kFloor = -100.0f;
// The score of a word whose model has none that is a number, so that all hypotheses have an order:
// times the largest weight and the longest sentence it still is one.
inline constexpr float kLowest = -1e20f;

// Throws InputError for the score of a hypothesis that has no place in the order of the others.
inline void check_number(float score) {
  if (std::isnan(score)) throw InputError("a score is not a number");
}

namespace detail {

// Reads `0.0196078` or `1.66e-05` to the nearest float, faster than from_chars; false for other
// notations or hard cases.
//
// Digits below 2^53 over a power of ten below 10^22 are exact, so their quotient is the nearest
// double. Rounding that to a float gives the nearest float, unless it is midway between two.
inline bool parse_plain(std::string_view token, float& value) {
  static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr std::size_t kMostDigits = 15;
  const char *at = token.data(), *const end = at + token.size();
  std::uint64_t digits = 0;
  int places = 0;
  const auto read_digits = [&] {
    const char* const begin = at;
    for (; at != end && static_cast<unsigned char>(*at - '0') < 10; ++at) {
      digits = digits * 10 + static_cast<unsigned char>(*at - '0');
    }
    return static_cast<int>(at - begin);
  };
  if (token.size() > kMostDigits || read_digits() == 0) return false;
  if (at != end && *at == '.') {
    ++at;
    places = read_digits();
    if (places == 0) return false;
  }
  if (at != end) {
    if (end - at != 4 || at[0] != 'e' || at[1] != '-') return false;
    const unsigned tens = static_cast<unsigned char>(at[2] - '0');
    const unsigned ones = static_cast<unsigned char>(at[3] - '0');
    if (tens > 9 || ones > 9) return false;
    places += static_cast<int>(tens * 10 + ones);
  }
  if (places > 22) return false;
  const double nearest = static_cast<double>(digits) / kPowers[places];
  std::uint64_t bits;
  std::memcpy(&bits, &nearest, sizeof bits);
  constexpr std::uint64_t kBelowFloat = (std::uint64_t{1} << 29) - 1, kMidway = 1 << 28;
  if ((bits & kBelowFloat) == kMidway) return false;
  value = static_cast<float>(nearest);
  return true;
}

}  // namespace detail

// The natural log of the probability in `token`, not below kFloor; false if it is none, or too
// large for a float. A value too small for a float counts as 0.
inline bool parse_probability(std::string_view token, float& score) {
  float probability = 0;
  if (!detail::parse_plain(token, probability) && !parse_real(token, probability)) return false;
  if (!(probability >= 0 && std::isfinite(probability))) return false;
  score = probability > 0 ? std::max(static_cast<float>(std::log(double{probability})), kFloor)
                          : kFloor;
  return true;
}

// Caches scores of recent spellings, as tables repeat a few of them, such as 0.333333, all the
// time.
class ProbabilityParser {
 public:
  // As parse_probability.
  bool parse(std::string_view token, float& score) {
    Known known;
    known.spelling[0] = 0;
    if (token.size() > sizeof known.spelling) return parse_probability(token, score);
    std::memcpy(known.spelling, token.data(), token.size());
    Known& same = known_[mix(known.spelling[0] ^ mix(known.spelling[1])) % kKnown];
    if (std::memcmp(same.spelling, known.spelling, sizeof known.spelling) != 0) {
      if (!parse_probability(token, known.score)) return false;
      same = known;
    }
    score = same.score;
    return true;
  }

 private:
  static constexpr std::size_t kKnown = 4096;
  struct Known {
    std::uint64_t spelling[2] = {~std::uint64_t{0}, 0};  // no UTF-8 has such bytes
    float score = 0;
  };

  std::vector<Known> known_{kKnown};
};

}  // namespace nlmt::decoder
