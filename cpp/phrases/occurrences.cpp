#include "occurrences.h"

#include <algorithm>

#include "counting.h"
#include "interner.h"
#include "phrase_store.h"
#include "team.h"

namespace nlmt::phrases {
namespace {

// Bytes of an occurrence while its part is counted and scored: its words, itself twice, its place
// in hash tables and among the distinct phrases.
constexpr size_t kBytesEach = 160;
constexpr size_t kBestRoom = 64 << 20;
constexpr size_t kMostParts = 256;  // each may be an open file
constexpr size_t kSample = 2000;    // sentence pairs to estimate the number of occurrences from
constexpr size_t kWave = 4096;      // sentence pairs that are read before the threads take them
constexpr size_t kFlush = 1 << 14;  // numbers that a thread keeps to itself

// Places in the text of a part have 32 bits.
void check_size(const Occurrences& all, size_t more) {
  check_numbered(all.text.size() + more, "phrase pairs do not fit into 256 parts",
                 "give more memory");
}

// Occurrences, of which equal ones are held once.
class DistinctOccurrences {
 public:
  // An occurrence with the words of its source, then of its target phrase.
  void add(Occurrence one, const std::vector<uint32_t>& words) {
    const uint64_t seed = one.bits * 0xff51afd7ed558ccdULL;
    const uint64_t hash = hash_words(words.data(), words.size(), seed);
    const uint32_t number = numbers_.intern(hash, [&](uint32_t other) {
      const Occurrence& known = all.list[other];
      return known.bits == one.bits &&
             std::equal(words.begin(), words.end(), &all.text[known.source]);
    });
    if (number < all.list.size()) {
      add_count(all.list[number].times, 1);
      return;
    }
    check_size(all, words.size());
    one.source = all.text.size();
    one.target = one.source + one.source_length();
    all.list.push_back(one);
    all.text.insert(all.text.end(), words.begin(), words.end());
  }

  Occurrences all;

 private:
  Interner numbers_;
};

}  // namespace

void OccurrenceParts::Part::append(std::vector<uint32_t>& numbers) {
  const std::lock_guard<std::mutex> lock(mutex);
  spool.append(numbers.data(), numbers.size() * sizeof numbers[0]);
  numbers.clear();
}

OccurrenceParts::OccurrenceParts(const EncodedBitext& bitext, const Extraction& extraction,
                                 unsigned threads, std::string folder, size_t memory)
    : bitext_(bitext),
      extraction_(extraction),
      threads_(threads),
      folder_(std::move(folder)),
      memory_(memory) {}

void OccurrenceParts::collect(const std::function<void()>& poll) {
  plan(poll);
  extract_all(poll);
  // One part a thread at a time, as an interruption is heard between them.
  for (size_t first = 0; first < by_target_.size(); first += threads_) {
    poll();
    for_each(std::min<size_t>(threads_, by_target_.size() - first), threads_, [&](size_t i) {
      count_targets(*by_target_[first + i]);
      by_target_[first + i].reset();
    });
  }
}

void OccurrenceParts::extract(const SentencePair& sentence, std::vector<PhrasePair>& pairs) const {
  pairs.clear();
  phrases::extract(sentence.links, sentence.source.size(), sentence.target.size(), extraction_,
                   pairs);
}

// Extracts from a sample to determine the number of parts and their borders.
void OccurrenceParts::plan(const std::function<void()>& poll) {
  const size_t step = std::max<size_t>(1, bitext_.sentences() / kSample);
  std::vector<uint64_t> keys;
  std::vector<PhrasePair> pairs;
  SentencePair sentence;
  bitext_.rewind();
  for (size_t n = 0; bitext_.next(sentence); ++n) {
    if (n % kWave == 0) poll();
    if (n % step != 0) continue;
    extract(sentence, pairs);
    for (const PhrasePair& pair : pairs) {
      keys.push_back(source_key(&sentence.source[pair.source_begin], pair.source_length));
    }
  }
  // Half the memory is for a part, the rest for the streams of the parts. Smaller parts than
  // necessary are faster, as they fit into caches.
  const size_t room = std::min(std::max<size_t>(memory_ / 2, 1), kBestRoom);
  const size_t needed = keys.size() * step * kBytesEach / room + 1;
  const size_t by_source = std::min(needed, kMostParts);
  std::sort(keys.begin(), keys.end());
  for (size_t part = 1; part < by_source; ++part) {
    const uint64_t border = keys[keys.size() * part / by_source];
    if (borders_.empty() || border > borders_.back()) borders_.push_back(border);
  }
  by_source_ = make_parts(borders_.size() + 1);
  // The threads count a part each at the same time.
  by_target_ = make_parts(std::min(needed * threads_, kMostParts));
}

OccurrenceParts::Parts OccurrenceParts::make_parts(size_t count) const {
  Parts parts;
  for (size_t i = 0; i < count; ++i) {
    parts.push_back(std::make_unique<Part>(folder_, memory_ / 4 / count));
  }
  return parts;
}

// The first two words decide in which part a source phrase is; the order is that of the table.
uint64_t OccurrenceParts::source_key(const uint32_t* words, uint32_t length) const {
  const Side& side = bitext_.source;
  const uint64_t second = length > 1 ? side.sort_key(words[1]) : side.separator_key();
  return uint64_t(side.sort_key(words[0])) << 32 | second;
}

size_t OccurrenceParts::source_part(const uint32_t* words, uint32_t length) const {
  return std::upper_bound(borders_.begin(), borders_.end(), source_key(words, length)) -
         borders_.begin();
}

void OccurrenceParts::extract_all(const std::function<void()>& poll) {
  std::vector<std::vector<SentencePair>> waves(threads_);
  bitext_.rewind();
  for (bool more = true; more;) {
    poll();
    for (auto& wave : waves) {
      wave.resize(kWave);
      size_t filled = 0;
      while (filled < kWave && (more = more && bitext_.next(wave[filled]))) ++filled;
      wave.resize(filled);
    }
    for_each(waves.size(), threads_, [&](size_t i) { extract_some(waves[i]); });
  }
}

void OccurrenceParts::extract_some(const std::vector<SentencePair>& sentences) {
  std::vector<std::vector<uint32_t>> streams(by_target_.size());
  std::vector<PhrasePair> pairs;
  uint64_t total = 0;
  for (const SentencePair& sentence : sentences) {
    extract(sentence, pairs);
    total += pairs.size();
    for (const PhrasePair& pair : pairs) {
      const uint32_t* source = sentence.source.data() + pair.source_begin;
      const uint32_t* target = sentence.target.data() + pair.target_begin;
      const size_t part = (hash_words(target, pair.target_length, 0) >> 32) % streams.size();
      std::vector<uint32_t>& stream = streams[part];
      const uint64_t bits = Occurrence::pack(pair);
      stream.push_back(uint32_t(bits));
      stream.push_back(uint32_t(bits >> 32));
      stream.insert(stream.end(), source, source + pair.source_length);
      stream.insert(stream.end(), target, target + pair.target_length);
      if (stream.size() > kFlush) by_target_[part]->append(stream);
    }
  }
  for (size_t part = 0; part < streams.size(); ++part) by_target_[part]->append(streams[part]);
  total_ += total;
}

void OccurrenceParts::count_targets(Part& part) {
  DistinctOccurrences distinct;
  std::vector<uint32_t> words;
  uint32_t head[2];
  for (part.spool.rewind(); part.spool.read(head, sizeof head);) {
    const Occurrence one{0, 0, uint64_t(head[1]) << 32 | head[0], 1, 0};
    words.resize(one.source_length() + one.target_length());
    part.spool.read(words.data(), words.size() * sizeof words[0]);
    distinct.add(one, words);
  }
  Occurrences& all = distinct.all;
  PhraseStore targets(bitext_.target, all.text.data());
  std::vector<uint32_t> times;
  std::vector<uint32_t> target_of(all.list.size());
  for (size_t i = 0; i < all.list.size(); ++i) {
    const Occurrence& one = all.list[i];
    target_of[i] = targets.intern(one.target, one.target_length());
    times.resize(targets.size());
    add_count(times[target_of[i]], one.times);
  }
  std::vector<std::vector<uint32_t>> streams(by_source_.size());
  for (size_t i = 0; i < all.list.size(); ++i) {
    const Occurrence& one = all.list[i];
    const uint32_t* text = &all.text[one.source];
    const size_t to = source_part(text, one.source_length());
    std::vector<uint32_t>& stream = streams[to];
    for (const uint32_t number :
         {uint32_t(one.bits), uint32_t(one.bits >> 32), one.times, times[target_of[i]]}) {
      stream.push_back(number);
    }
    stream.insert(stream.end(), text, text + one.source_length() + one.target_length());
    if (stream.size() > kFlush) by_source_[to]->append(stream);
  }
  for (size_t to = 0; to < streams.size(); ++to) by_source_[to]->append(streams[to]);
}

Occurrences OccurrenceParts::read(size_t number) {
  Spool& spool = by_source_[number]->spool;
  Occurrences all;
  uint32_t head[4];
  for (spool.rewind(); spool.read(head, sizeof head);) {
    check_size(all, 2 * kLongestPhrase);
    const uint32_t begin = all.text.size();
    Occurrence one{begin, 0, uint64_t(head[1]) << 32 | head[0], head[2], head[3]};
    one.target = begin + one.source_length();
    all.text.resize(one.target + one.target_length());
    spool.read(&all.text[begin], (all.text.size() - begin) * sizeof(uint32_t));
    all.list.push_back(one);
  }
  by_source_[number].reset();
  return all;
}

}  // namespace nlmt::phrases
