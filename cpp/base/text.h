// Lines, their fields and numbers.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>

namespace nlmt {

// Removes and returns the first line of a text, without its end.
inline std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Removes and returns the first token of a line; empty at its end.
inline std::string_view next_token(std::string_view& line) {
  const char* at = line.data();
  const char* const end = at + line.size();
  while (at != end && is_blank(*at)) ++at;
  const char* const begin = at;
  while (at != end && !is_blank(*at)) ++at;
  line = {at, static_cast<std::size_t>(end - at)};
  return {begin, static_cast<std::size_t>(at - begin)};
}

// The text without blanks at its ends.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The beginning of a text, for messages.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  return "'" + std::string(text.substr(0, kLongest)) + (text.size() > kLongest ? "...'" : "'");
}

// Reads a number that is the whole token; false for anything else.
template <class Number>
bool parse_number(std::string_view token, Number& number) {
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  return error == std::errc() && end == token.data() + token.size();
}

// Reads a real number that is the whole token; false for anything else. It may have a plus sign; a
// number that is too large for its type is infinite, one that is too close to zero is zero.
template <class Real>
bool parse_real(std::string_view token, Real& number) {
  if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, number);
  if (stop != end) return false;
  if (error != std::errc::result_out_of_range) return error == std::errc();
  // from_chars does not say on which side; strtod does, but depends on the locale.
  std::istringstream text{std::string(token)};
  text.imbue(std::locale::classic());
  double wide = 0;
  text >> wide;
  number = std::abs(wide) < 1 ? Real(0) : std::numeric_limits<Real>::infinity();
  return true;
}

// Reads a range such as 2-4, or 2 where both ends are the same; false for anything else.
template <class Number>
bool parse_range(std::string_view token, Number& first, Number& last) {
  const std::size_t dash = std::min(token.find('-'), token.size());
  if (!parse_number(token.substr(0, dash), first)) return false;
  last = first;
  return (dash == token.size() || parse_number(token.substr(dash + 1), last)) && first <= last;
}

// Writes six significant digits, as streams of C++ do.
template <class Number>
void append_number(Number number, std::string& text) {
  char digits[32];
  const auto form = std::chars_format::general;
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number, form, 6).ptr);
}

}  // namespace nlmt
