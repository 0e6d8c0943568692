// A word-aligned bitext in memory. Use:
//
//   Bitext bitext;
//   bitext.add("la maison", "the house", "0-0 1-1");  // throws std::invalid_argument
//   bitext.finish();                                  // word ids are now in the order of the words

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nlmt {

struct Link {
  uint32_t source, target;  // positions from 0
  bool operator<(const Link& other) const {
    return target != other.target ? target < other.target : source < other.source;
  }
  bool operator==(const Link& other) const {
    return source == other.source && target == other.target;
  }
};

// One language's sentences as word ids, one after the other.
class Side {
 public:
  Side() : offsets_(1, 0) { null_ = id("NULL"); }

  void add(std::string_view line);
  // Renumbers the words: ids then compare as the words do, each followed by a space.
  void finish();

  size_t sentences() const { return offsets_.size() - 1; }
  uint32_t begin(size_t sentence) const { return offsets_[sentence]; }
  uint32_t length(size_t sentence) const { return offsets_[sentence + 1] - offsets_[sentence]; }
  const uint32_t* words() const { return words_.data(); }
  const std::string& spelling(uint32_t word) const { return spellings_[word]; }
  size_t vocabulary() const { return spellings_.size(); }

  // The word that unaligned words are translations of; Moses spells it like a word of the text.
  uint32_t null() const { return null_; }
  // The first word that follows "|||" in the order of words.
  uint32_t after_separator() const { return after_separator_; }

 private:
  uint32_t id(std::string_view word);

  std::vector<uint32_t> words_;
  std::vector<uint32_t> offsets_;
  std::vector<std::string> spellings_;
  std::unordered_map<std::string, uint32_t> ids_;
  uint32_t null_, after_separator_ = 0;
};

class Bitext {
 public:
  // `alignment` holds links source-target, as "0-0 1-2"; a link given twice counts once.
  void add(std::string_view source, std::string_view target, std::string_view alignment);
  void finish();

  size_t sentences() const { return source.sentences(); }
  // By target, then source position.
  const Link* links_begin(size_t sentence) const { return links_.data() + offsets_[sentence]; }
  const Link* links_end(size_t sentence) const { return links_.data() + offsets_[sentence + 1]; }

  Side source, target;

 private:
  std::vector<Link> links_;
  std::vector<size_t> offsets_{0};
};

// Reads "0-0 1-2" and sorts; throws std::invalid_argument naming a link that is malformed or lies
// outside the sentences.
std::vector<Link> parse_links(std::string_view line, uint32_t source_length,
                              uint32_t target_length);

}  // namespace nlmt
