#include "phrase_table.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace nlmt::decoder {
namespace {

// Reserves memory for `more` values for the whole file, of which `read` is known: growing by
// doubling would copy everything several times and hold it twice.
template <class T>
void make_room(std::vector<T>& values, std::size_t more, double read) {
  constexpr double kSpare = 1.02;
  const std::size_t size = values.size() + more;
  if (size <= values.capacity()) return;
  values.reserve(static_cast<std::size_t>(static_cast<double>(size) / read * kSpare));
}

}  // namespace

std::uint32_t PhraseTrie::add(const std::vector<WordId>& words) {
  std::uint32_t node = 0;
  for (const WordId word : words) node = WordTrie::add(node, word);
  return node;
}

std::uint32_t PhraseTrie::find(const std::vector<WordId>& words) const {
  std::uint32_t node = 0;
  for (const WordId word : words) {
    node = word == kNoWord ? kNone : child(node, word);
    if (node == kNone) return kNone;
  }
  return node;
}

PhraseTable::PhraseTable(const TableFormat& format, Vocabulary& vocabulary, int threads,
                         std::vector<std::string>& warnings)
    : width_(format.scores) {
  parse_table(format, threads, warnings,
              [&](TableBlock&& block) { append(std::move(block), vocabulary); });
  if (entries_.empty()) throw InputError("the phrase table is empty", format.path);
  if (scattered_) group_by_source();
  first_.resize(sources_.size());
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    const std::size_t end = run + 1 < runs_.size() ? runs_[run + 1].second : entries_.size();
    first_[runs_[run].first] = {runs_[run].second, end};
  }
  runs_.clear();
  runs_.shrink_to_fit();
  size_ = entries_.size();
  entry_data_ = entries_.data();
  pool_data_ = pool_.data();
  score_data_ = scores_.data();
}

PhraseTable::PhraseTable(const TableFormat& format, std::shared_ptr<const BinaryTable> binary)
    : width_(format.scores), binary_(std::move(binary)) {
  const CheckedFile& file = binary_->file();
  if (binary_->width() != width_) {
    throw InputError(std::to_string(binary_->width()) + " scores, but " + format.label +
                         " has num-features=" + std::to_string(width_),
                     file.path(), 0, "build the table again or correct moses.ini");
  }
  size_ = binary_->entries();
  entry_data_ = file.data<TableEntry>(kEntries);
  pool_data_ = file.data<WordId>(kPool);
  score_data_ = file.data<float>(kScores);
}

void PhraseTable::append(TableBlock&& block, Vocabulary& vocabulary) {
  renumber_words(block, vocabulary, true);
  make_room(entries_, block.lines.size(), block.read);
  make_room(pool_, block.target_words.size() + block.alignment.size(), block.read);
  make_room(scores_, block.scores.size(), block.read);
  std::vector<std::uint32_t> nodes;
  for (const std::vector<WordId>& source : block.sources) nodes.push_back(sources_.add(source));
  for (const TableBlock::Line& line : block.lines) {
    const std::uint32_t node = nodes[line.source];
    if (runs_.empty() || runs_.back().first != node) {
      if (node < first_.size() && first_[node].second) scattered_ = true;
      if (node >= first_.size()) first_.resize(std::max<std::size_t>(node + 1, sources_.size()));
      first_[node].second = 1;
      runs_.emplace_back(node, entries_.size());
    }
    const TableEntry entry{pool_.size(), line.target_length, line.alignment_length};
    entries_.push_back(entry);
    const WordId* words = block.target_words.data() + line.target_begin;
    pool_.insert(pool_.end(), words, words + entry.length);
    pool_.resize(entry.position + entry.pool());
    if (entry.alignment_points) {
      std::memcpy(&pool_[entry.position] + entry.length,
                  block.alignment.data() + line.alignment_begin,
                  entry.alignment_points * sizeof(AlignmentPoint));
    }
  }
  scores_.insert(scores_.end(), block.scores.begin(), block.scores.end());
}

// Groups the translations of a source phrase if they are apart in the file.
void PhraseTable::group_by_source() {
  std::vector<std::uint32_t> source(entries_.size());
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    const std::size_t end = run + 1 < runs_.size() ? runs_[run + 1].second : entries_.size();
    std::fill(source.begin() + runs_[run].second, source.begin() + end, runs_[run].first);
  }
  std::vector<std::size_t> order(entries_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return source[a] < source[b]; });
  std::vector<TableEntry> entries;
  std::vector<float> scores;
  runs_.clear();
  for (const std::size_t old : order) {
    if (runs_.empty() || runs_.back().first != source[old]) {
      runs_.emplace_back(source[old], entries.size());
    }
    entries.push_back(entries_[old]);
    scores.insert(scores.end(), scores_.begin() + old * width_,
                  scores_.begin() + (old + 1) * width_);
  }
  entries_.swap(entries);
  scores_.swap(scores);
}

}  // namespace nlmt::decoder
