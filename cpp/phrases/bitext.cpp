#include "bitext.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace nlmt::phrases {
namespace {

constexpr size_t kLongestSentence = 65535;  // a link is packed into 32 bits

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

uint32_t Side::id(std::string_view word) {
  const auto [entry, fresh] = ids_.try_emplace(std::string(word), spellings_.size());
  if (fresh) spellings_.emplace_back(word);
  return entry->second;
}

void Side::read(std::string_view line, std::vector<uint32_t>& ids) {
  for_each_field(line, [&](std::string_view word) {
    if (word == "|||") throw std::invalid_argument("'|||' is a word, but separates the columns");
    ids.push_back(id(word));
  });
  if (ids.size() > kLongestSentence) {
    throw std::invalid_argument("a sentence of over " + std::to_string(kLongestSentence) +
                                " words");
  }
}

void Side::finish() {
  std::vector<uint32_t> order(spellings_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [this](uint32_t a, uint32_t b) { return before(spellings_[a], spellings_[b]); });
  rank_.resize(order.size());
  std::vector<std::string> sorted;
  sorted.reserve(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    rank_[order[i]] = i;
    sorted.push_back(std::move(spellings_[order[i]]));
  }
  spellings_ = std::move(sorted);
  null_ = rank_[null_];
  after_separator_ =
      std::lower_bound(spellings_.begin(), spellings_.end(), "|||", before) - spellings_.begin();
  ids_ = {};
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
  words_ += record.size() - 3;
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
