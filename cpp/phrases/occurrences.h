// The phrase pairs of a corpus in bounded memory, on their way from sentences to scores.
//
// They are partitioned twice. First by target phrase, so that all occurrences of one are in one
// part and can be counted; equal ones become one with a number of times. Then by source phrase,
// into consecutive parts in the order of the tables. A part is small enough to be processed in
// memory; parts that do not fit are kept in temporary files.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bitext.h"
#include "extraction.h"
#include "scoring.h"
#include "spool.h"

namespace nlmt::phrases {

// Occurrences whose phrases are in a separate text.
struct Occurrences {
  std::vector<uint32_t> text;
  std::vector<Occurrence> list;
};

class OccurrenceParts {
 public:
  // Temporary files go into `folder`; everything together takes about `memory` bytes.
  OccurrenceParts(const EncodedBitext& bitext, const Extraction& extraction, unsigned threads,
                  std::string folder, size_t memory);

  // Extracts and counts. `poll` is called now and then.
  void collect(const std::function<void()>& poll);

  // Number of occurrences, including equal ones.
  uint64_t total() const { return total_; }
  // Parts in the order of their source phrases; each can be read once.
  size_t parts() const { return by_source_.size(); }
  Occurrences read(size_t part);

 private:
  // A stream of numbers that threads append to.
  struct Part {
    Part(std::string folder, size_t memory) : spool(std::move(folder), memory) {}
    void append(std::vector<uint32_t>& numbers);

    std::mutex mutex;
    Spool spool;
  };
  using Parts = std::vector<std::unique_ptr<Part>>;

  // Replaces `pairs` by the phrase pairs of a sentence pair.
  void extract(const SentencePair& sentence, std::vector<PhrasePair>& pairs) const;
  void plan(const std::function<void()>& poll);
  Parts make_parts(size_t count) const;
  uint64_t source_key(const uint32_t* words, uint32_t length) const;
  size_t source_part(const uint32_t* words, uint32_t length) const;
  void extract_all(const std::function<void()>& poll);
  void extract_some(const std::vector<SentencePair>& sentences);
  void count_targets(Part& part);

  const EncodedBitext& bitext_;
  Extraction extraction_;
  unsigned threads_;
  std::string folder_;
  size_t memory_;
  std::vector<uint64_t> borders_;  // keys of the first source phrases of all parts but the first
  Parts by_target_, by_source_;
  std::atomic<uint64_t> total_{0};
};

}  // namespace nlmt::phrases
