// The source word that each target word belongs to (Devlin et al. 2014, section 2.1): the one that
// it is linked with; of several the middle one, the left of two; without a link that of the nearest
// linked target word, the right one of two. The end of the sentence belongs to that of the source.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nlmt {

class Affiliation {
 public:
  // Reads links `0-0 1-2`, source first, of sentences of that many words. With `columns` the text
  // is what an n-best line has behind its total: phrases `0-1=0-2`, links, or both in columns of
  // their own; where there are only phrases, each word of one is linked with all of its other side.
  // Throws std::invalid_argument.
  void read(std::string_view text, int64_t source, int64_t target, bool columns) {
    source_ = source;
    target_ = target;
    links_.clear();
    phrases_.clear();
    const std::string_view all = text;
    bool linked = false;
    while (!text.empty()) {
      const std::string_view field = next_field(text);
      if (field.empty() || (columns && field == "|||")) continue;
      if (columns && field.find('=') != field.npos) {
        read_phrase(field);
      } else {
        read_link(field);
        linked = true;
      }
    }
    if (!linked) link_phrases(all);
    std::sort(links_.begin(), links_.end());
    links_.erase(std::unique(links_.begin(), links_.end()), links_.end());
  }

  // Positions of the target words and of the end: target + 1 numbers. Without any link the words
  // lie as on a diagonal.
  void write(int32_t* position) const {
    position[target_] = static_cast<int32_t>(source_);
    if (links_.empty()) {
      for (int64_t t = 0; t < target_; ++t) {
        position[t] = static_cast<int32_t>(t * source_ / target_);
      }
      return;
    }
    // Between two linked words lie words without links: the left half goes with the left one.
    int64_t before = -1;
    for (std::size_t i = 0; i < links_.size();) {
      const int64_t t = links_[i].first;
      std::size_t end = i;
      while (end < links_.size() && links_[end].first == t) ++end;
      const auto middle = static_cast<int32_t>(links_[i + (end - i - 1) / 2].second);
      const int64_t first = before < 0 ? 0 : (before + t + 1) / 2;  // that is as near to t
      for (int64_t k = before + 1; k < first; ++k) position[k] = position[before];
      std::fill(position + first, position + t + 1, middle);
      before = t;
      i = end;
    }
    std::fill(position + before + 1, position + target_, position[before]);
  }

 private:
  using Span = std::pair<int64_t, int64_t>;
  struct Phrase {
    Span source, target;  // first and last word
  };

  static std::string_view next_field(std::string_view& text) {
    constexpr const char* kBlank = " \t\r\n";
    const std::size_t begin = std::min(text.find_first_not_of(kBlank), text.size());
    const std::size_t end = std::min(text.find_first_of(kBlank, begin), text.size());
    const std::string_view field = text.substr(begin, end - begin);
    text.remove_prefix(end);
    return field;
  }

  [[noreturn]] static void fail(std::string_view field, const std::string& what) {
    constexpr std::size_t kLongest = 40;
    throw std::invalid_argument("'" + std::string(field.substr(0, kLongest)) + "' " + what);
  }

  static bool read_number(const char*& at, const char* end, int64_t& number) {
    const auto [next, error] = std::from_chars(at, end, number);
    at = next;
    return error == std::errc() && number >= 0;
  }

  // `3` or `3-5`.
  static bool read_numbers(std::string_view text, Span& numbers) {
    const char *at = text.data(), *end = at + text.size();
    if (!read_number(at, end, numbers.first)) return false;
    numbers.second = numbers.first;
    return at == end || (*at++ == '-' && read_number(at, end, numbers.second) && at == end);
  }

  void check(std::string_view field, int64_t source, int64_t target) const {
    if (source >= source_) {
      fail(field, "leads out of the source sentence of " + std::to_string(source_) + " words");
    }
    if (target >= target_) {
      fail(field, "leads out of the target sentence of " + std::to_string(target_) + " words");
    }
  }

  void read_link(std::string_view field) {
    Span link;
    if (field.find('-') == field.npos || !read_numbers(field, link)) {
      fail(field, "is no link such as 0-1");
    }
    check(field, link.first, link.second);
    links_.emplace_back(link.second, link.first);
  }

  void read_phrase(std::string_view field) {
    const std::size_t middle = field.find('=');
    Phrase phrase;
    if (!read_numbers(field.substr(0, middle), phrase.source) ||
        !read_numbers(field.substr(middle + 1), phrase.target) ||
        phrase.source.first > phrase.source.second || phrase.target.first > phrase.target.second) {
      fail(field, "is no phrase such as 0-1=0-2");
    }
    phrases_.push_back(phrase);
  }

  // Every word of a phrase with all of its other side. Moses writes of a phrase without target
  // words the place where the next one begins.
  void link_phrases(std::string_view text) {
    for (std::size_t i = 0; i < phrases_.size(); ++i) {
      const auto& [source, target] = phrases_[i];
      const int64_t next = i + 1 < phrases_.size() ? phrases_[i + 1].target.first : target_;
      if (target.first == next) continue;
      check(text, source.second, target.second);
      for (int64_t t = target.first; t <= target.second; ++t) {
        for (int64_t s = source.first; s <= source.second; ++s) links_.emplace_back(t, s);
      }
    }
  }

  int64_t source_ = 0, target_ = 0;
  std::vector<Span> links_;  // target and source word, sorted
  std::vector<Phrase> phrases_;
};

}  // namespace nlmt
