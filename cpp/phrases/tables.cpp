#include "tables.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <numeric>
#include <thread>
#include <vector>

#include "extraction.h"
#include "gzip_blocks.h"
#include "phrase_store.h"
#include "scoring.h"

namespace nlmt {
namespace {

// Source phrases of about so many occurrences are formatted and compressed together.
constexpr size_t kBlock = 1 << 15;

// Calls `work(i)` for each i below `count`, on `threads` threads; rethrows the first exception.
template <class Work>
void for_each(size_t count, unsigned threads, Work work) {
  std::atomic<size_t> next{0};
  std::vector<std::future<void>> running;
  const auto run = [&] {
    for (size_t i; (i = next++) < count;) work(i);
  };
  for (unsigned t = 1; t < threads && t < count; ++t) {
    running.push_back(std::async(std::launch::async, run));
  }
  run();
  for (auto& one : running) one.get();
}

std::vector<Occurrence> extract_all(const Bitext& bitext, uint32_t max_length, unsigned threads) {
  const size_t chunks = threads;
  std::vector<std::vector<Occurrence>> parts(chunks);
  for_each(chunks, threads, [&](size_t chunk) {
    std::vector<PhrasePair> pairs;
    const size_t end = bitext.sentences() * (chunk + 1) / chunks;
    for (size_t n = bitext.sentences() * chunk / chunks; n < end; ++n) {
      pairs.clear();
      extract(bitext.links_begin(n), bitext.links_end(n), bitext.source.length(n),
              bitext.target.length(n), max_length, pairs);
      for (const PhrasePair& pair : pairs) {
        parts[chunk].push_back(
            Occurrence::make(pair, bitext.source.begin(n), bitext.target.begin(n)));
      }
    }
  });
  for (size_t chunk = 1; chunk < chunks; ++chunk) {
    parts[0].insert(parts[0].end(), parts[chunk].begin(), parts[chunk].end());
    parts[chunk] = {};
  }
  return std::move(parts[0]);
}

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

// Source phrases from which a new block begins, and their number at the end.
std::vector<size_t> block_starts(const std::vector<size_t>& starts) {
  std::vector<size_t> blocks{0};
  for (size_t source = 1; source + 1 < starts.size(); ++source) {
    if (starts[source] - starts[blocks.back()] >= kBlock) blocks.push_back(source);
  }
  blocks.push_back(starts.size() - 1);
  return blocks;
}

}  // namespace

TableCounts write_tables(const Bitext& bitext, const Lexicon& lexicon, uint32_t max_length,
                         unsigned threads, const std::string& phrase_table,
                         const std::string& reordering_table, const std::function<void()>& check) {
  GzipWriter phrases(phrase_table), reordering(reordering_table);
  PhraseStore sources(bitext.source), targets(bitext.target);
  std::vector<Occurrence> occurrences = extract_all(bitext, max_length, threads);
  check();
  number_phrases(occurrences, sources, targets, threads);
  check();
  std::vector<uint32_t> target_counts(targets.size());
  for (const Occurrence& one : occurrences) ++target_counts[one.target];
  std::vector<size_t> starts;
  occurrences = sorted_by_source(std::move(occurrences), sources.size(), starts);

  const Scorer scorer(sources, targets, lexicon, bitext.source, bitext.target, target_counts);
  const std::vector<size_t> blocks = block_starts(starts);
  TableCounts counts{occurrences.size(), 0, sources.size(), targets.size()};
  struct Done {
    GzipBlock phrases, reordering;
    uint64_t lines;
  };
  // A wave of blocks at a time, so that what waits to be written stays small.
  const size_t wave = 4 * threads;
  for (size_t first = 0; first + 1 < blocks.size(); first += wave) {
    check();
    std::vector<Done> done(std::min(wave, blocks.size() - 1 - first));
    for_each(done.size(), threads, [&](size_t i) {
      std::string phrase_lines, reordering_lines;
      for (size_t source = blocks[first + i]; source < blocks[first + i + 1]; ++source) {
        scorer.score(&occurrences[starts[source]],
                     &occurrences[starts[source]] + (starts[source + 1] - starts[source]),
                     phrase_lines, reordering_lines);
      }
      done[i] = {compress_block(phrase_lines), compress_block(reordering_lines),
                 uint64_t(std::count(reordering_lines.begin(), reordering_lines.end(), '\n'))};
    });
    for (const Done& one : done) {
      phrases.write(one.phrases);
      reordering.write(one.reordering);
      counts.phrase_pairs += one.lines;
    }
  }
  phrases.close();
  reordering.close();
  return counts;
}

}  // namespace nlmt
