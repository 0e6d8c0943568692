#include "tables.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "gzip.h"
#include "occurrences.h"
#include "phrase_store.h"
#include "scoring.h"
#include "team.h"

namespace nlmt::phrases {
namespace {

// Source phrases of about so many occurrences are formatted and compressed together.
constexpr size_t kBlock = 1 << 15;

// Replaces positions in the text by the numbers of the phrases, which are in sorted order.
void number_phrases(std::vector<Occurrence>& occurrences, PhraseStore& sources,
                    PhraseStore& targets, unsigned threads) {
  for_each(2, threads, [&](size_t side) {
    if (side == 0) {
      for (Occurrence& one : occurrences) {
        one.source = sources.intern(one.source, one.source_length());
      }
      const std::vector<uint32_t> rank = sources.sort();
      for (Occurrence& one : occurrences) one.source = rank[one.source];
    } else {
      for (Occurrence& one : occurrences) {
        one.target = targets.intern(one.target, one.target_length());
      }
      const std::vector<uint32_t> rank = targets.sort();
      for (Occurrence& one : occurrences) one.target = rank[one.target];
    }
  });
}

// The occurrences in the order of their source phrases; `starts[s]` is where those of s begin.
std::vector<Occurrence> sorted_by_source(std::vector<Occurrence> occurrences, size_t sources,
                                         std::vector<size_t>& starts) {
  starts.assign(sources + 1, 0);
  for (const Occurrence& one : occurrences) ++starts[one.source + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<size_t> at(starts.begin(), starts.end() - 1);
  std::vector<Occurrence> sorted(occurrences.size());
  for (const Occurrence& one : occurrences) sorted[at[one.source]++] = one;
  return sorted;
}

// Writes the lines of both tables. Blocks end at boundaries of lines, not of parts, so that the
// files do not depend on the parts.
class TableWriter {
 public:
  TableWriter(const std::string& phrase_table, const std::string& reordering_table,
              unsigned threads, const std::function<void()>& poll)
      : phrases_(phrase_table), reordering_(reordering_table), threads_(threads), poll_(poll) {}

  // The source phrases of a part; their occurrences begin at `starts`.
  void write(const Scorer& scorer, std::vector<Occurrence>& occurrences,
             const std::vector<size_t>& starts) {
    const std::vector<size_t> blocks = cut(occurrences, starts);
    // A wave of blocks at a time, so that few results wait to be written.
    const size_t wave = 4 * threads_, last = blocks.size() - 2;
    for (size_t first = 0; first <= last; first += wave) {
      poll_();
      std::vector<Lines> lines(std::min(wave, last + 1 - first));
      if (first == 0) lines[0] = std::move(open_);
      for_each(lines.size(), threads_, [&](size_t i) {
        for (size_t source = blocks[first + i]; source < blocks[first + i + 1]; ++source) {
          scorer.score(&occurrences[starts[source]], occurrences.data() + starts[source + 1],
                       lines[i].phrases, lines[i].reordering);
        }
        if (first + i < last) lines[i].compress();
      });
      if (first + lines.size() > last) {
        open_ = std::move(lines.back());
        lines.pop_back();
      }
      for (const Lines& one : lines) put(one);
    }
  }

  // Returns how many lines each table has.
  uint64_t close() {
    open_.compress();
    put(open_);
    phrases_.close();
    reordering_.close();
    return lines_;
  }

 private:
  struct Lines {
    std::string phrases, reordering;
    GzipBlock packed_phrases, packed_reordering;
    uint64_t count = 0;

    void compress() {
      count = uint64_t(std::count(reordering.begin(), reordering.end(), '\n'));
      packed_phrases = compress_block(phrases);
      packed_reordering = compress_block(reordering);
      phrases = reordering = {};
    }
  };

  // Source phrases from which a new block begins, after that which is open, and their number.
  std::vector<size_t> cut(const std::vector<Occurrence>& occurrences,
                          const std::vector<size_t>& starts) {
    std::vector<size_t> blocks{0};
    for (size_t source = 0; source + 1 < starts.size(); ++source) {
      if (open_times_ >= kBlock) {
        blocks.push_back(source);
        open_times_ = 0;
      }
      for (size_t i = starts[source]; i < starts[source + 1]; ++i) {
        open_times_ += occurrences[i].times;
      }
    }
    blocks.push_back(starts.size() - 1);
    return blocks;
  }

  void put(const Lines& lines) {
    phrases_.write(lines.packed_phrases);
    reordering_.write(lines.packed_reordering);
    lines_ += lines.count;
  }

  GzipBlockWriter phrases_, reordering_;
  unsigned threads_;
  const std::function<void()>& poll_;
  Lines open_;               // the last block, which may go on
  uint64_t open_times_ = 0;  // of its occurrences
  uint64_t lines_ = 0;
};

}  // namespace

TableCounts write_tables(const EncodedBitext& bitext, const Lexicon& lexicon,
                         const Extraction& extraction, unsigned threads, size_t memory,
                         const std::string& folder, const std::string& phrase_table,
                         const std::string& reordering_table, const std::function<void()>& poll) {
  TableWriter writer(phrase_table, reordering_table, threads, poll);
  OccurrenceParts parts(bitext, extraction, threads, folder, memory);
  parts.collect(poll);
  for (size_t part = 0; part < parts.parts(); ++part) {
    poll();
    Occurrences all = parts.read(part);
    PhraseStore sources(bitext.source, all.text.data()), targets(bitext.target, all.text.data());
    number_phrases(all.list, sources, targets, threads);
    std::vector<size_t> starts;
    all.list = sorted_by_source(std::move(all.list), sources.size(), starts);
    writer.write(Scorer(sources, targets, lexicon, bitext.source, bitext.target), all.list, starts);
  }
  return {parts.total(), writer.close()};
}

}  // namespace nlmt::phrases
