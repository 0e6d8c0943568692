#include "phrase_table.h"

#include <algorithm>
#include <cstring>

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
  if (!find_ranges()) group_by_source();
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
    if (runs_.empty() || runs_.back().source != node) {
      runs_.push_back({node, entries_.size(), entries_.size()});
    }
    ++runs_.back().end;
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

// Finds the translations of each source phrase; false if those of one are in several runs.
bool PhraseTable::find_ranges() {
  ranges_.assign(sources_.size(), {});
  for (const Run& run : runs_) {
    if (ranges_[run.source].second) return false;
    ranges_[run.source] = {run.begin, run.end};
  }
  return true;
}

// Brings the translations of each source phrase together, in the order of the file.
void PhraseTable::group_by_source() {
  std::stable_sort(runs_.begin(), runs_.end(),
                   [](const Run& a, const Run& b) { return a.source < b.source; });
  std::vector<TableEntry> entries;
  std::vector<float> scores;
  ranges_.assign(sources_.size(), {});
  for (const Run& run : runs_) {
    auto& [first, last] = ranges_[run.source];
    if (!last) first = entries.size();
    entries.insert(entries.end(), entries_.begin() + run.begin, entries_.begin() + run.end);
    scores.insert(scores.end(), scores_.begin() + run.begin * width_,
                  scores_.begin() + run.end * width_);
    last = entries.size();
  }
  entries_.swap(entries);
  scores_.swap(scores);
}

}  // namespace nlmt::decoder
