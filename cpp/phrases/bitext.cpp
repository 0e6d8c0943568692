#include "bitext.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace nlmt::phrases {
namespace {

// Whether a < b when each is followed by a space, as in a sorted file of phrases.
bool before(std::string_view a, std::string_view b) {
  const size_t common = std::min(a.size(), b.size());
  const int order = a.substr(0, common).compare(b.substr(0, common));
  if (order != 0) return order < 0;
  if (a.size() == b.size()) return false;
  return a.size() < b.size() ? ' ' < static_cast<unsigned char>(b[common])
                             : static_cast<unsigned char>(a[common]) < ' ';
}

}  // namespace

void Side::read(std::string_view line, std::vector<uint32_t>& ids) {
  const size_t before = ids.size();
  for (auto word = next_token(line); !word.empty(); word = next_token(line)) {
    if (word == "|||") throw std::invalid_argument("'|||' is a word, but separates the columns");
    ids.push_back(static_cast<uint32_t>(words_.add(word)));
  }
  if (ids.size() - before > kLongestSentence) {
    throw std::invalid_argument("a sentence of over " + std::to_string(kLongestSentence) +
                                " words");
  }
}

void Side::finish() {
  first_.resize(vocabulary());
  std::iota(first_.begin(), first_.end(), 0);
  std::sort(first_.begin(), first_.end(),
            [this](int32_t a, int32_t b) { return before(words_.word(a), words_.word(b)); });
  rank_.resize(first_.size());
  for (uint32_t i = 0; i < first_.size(); ++i) rank_[first_[i]] = i;
  null_ = rank_[null_];
  const auto is_less = [this](int32_t word, std::string_view other) {
    return before(words_.word(word), other);
  };
  after_separator_ =
      std::lower_bound(first_.begin(), first_.end(), "|||", is_less) - first_.begin();
}

void EncodedBitext::add(std::string_view source_line, std::string_view target_line,
                        std::string_view alignment) {
  std::vector<uint32_t> record(3);
  source.read(source_line, record);
  record[0] = record.size() - 3;
  std::vector<uint32_t> words;
  target.read(target_line, words);
  record[1] = words.size();
  record.insert(record.end(), words.begin(), words.end());
  std::vector<Link> links;
  parse_links(alignment, record[0], record[1], links);
  record[2] = links.size();
  for (const Link& link : links) record.push_back(link.source << 16 | link.target);
  text_.append(record.data(), record.size() * sizeof record[0]);
  ++sentences_;
}

bool EncodedBitext::next(SentencePair& pair) const {
  uint32_t sizes[3];
  if (!text_.read(sizes, sizeof sizes)) return false;
  pair.source.resize(sizes[0]);
  pair.target.resize(sizes[1]);
  std::vector<uint32_t> links(sizes[2]);
  text_.read(pair.source.data(), sizes[0] * sizeof(uint32_t));
  text_.read(pair.target.data(), sizes[1] * sizeof(uint32_t));
  text_.read(links.data(), sizes[2] * sizeof(uint32_t));
  for (uint32_t& word : pair.source) word = source.rank(word);
  for (uint32_t& word : pair.target) word = target.rank(word);
  pair.links.clear();
  for (const uint32_t link : links) pair.links.push_back({link >> 16, link & 0xffff});
  return true;
}

void EncodedBitext::finish() {
  source.finish();
  target.finish();
}

}  // namespace nlmt::phrases
