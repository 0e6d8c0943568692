#include "extraction.h"

#include <algorithm>
#include <utility>

#include "tuples/unfolding.h"

namespace nlmt::phrases {
namespace {

using Span = std::pair<uint32_t, uint32_t>;  // positions from the first to before the second
using Block = std::pair<Span, Span>;         // of the source, of the target

// The corners of the tuples of a sentence pair, which tell how they follow each other.
class Corners {
 public:
  Corners(const std::vector<Block>& blocks, uint32_t source_length, uint32_t target_length) {
    // The borders of the sentences count as tuples.
    ends_.emplace_back(0, 0);
    begins_.emplace_back(source_length, target_length);
    for (const auto& [source, target] : blocks) {
      begins_.emplace_back(source.first, target.first);
      ends_.emplace_back(source.second, target.second);
      // A dropped word follows the source word before it, and is never swapped.
      if (target.first == target.second) continue;
      swapped_begins_.emplace_back(source.second, target.first);
      swapped_ends_.emplace_back(source.first, target.second);
    }
    for (auto* corners : {&begins_, &ends_, &swapped_begins_, &swapped_ends_}) {
      std::sort(corners->begin(), corners->end());
    }
  }

  Orientation previous(const Block& block) const {
    const auto& [source, target] = block;
    if (has(ends_, {source.first, target.first})) return kMonotone;
    return has(swapped_ends_, {source.second, target.first}) ? kSwap : kOther;
  }

  Orientation next(const Block& block) const {
    const auto& [source, target] = block;
    if (has(begins_, {source.second, target.second})) return kMonotone;
    return has(swapped_begins_, {source.first, target.second}) ? kSwap : kOther;
  }

 private:
  using Corner = std::pair<uint32_t, uint32_t>;  // a border of the source, one of the target

  static bool has(const std::vector<Corner>& corners, const Corner& corner) {
    return std::binary_search(corners.begin(), corners.end(), corner);
  }

  std::vector<Corner> begins_, ends_;                  // where the source begins, where it ends
  std::vector<Corner> swapped_begins_, swapped_ends_;  // where it ends, where it begins
};

class Sentence {
 public:
  Sentence(const std::vector<Link>& links, uint32_t source_length, uint32_t target_length)
      : links_(links),
        source_length_(source_length),
        target_length_(target_length),
        target_links_(target_length + 1),
        fertility_(source_length),
        first_target_(source_length, target_length),
        last_target_(source_length, 0) {
    for (const Link& link : links) {
      ++target_links_[link.target + 1];
      ++fertility_[link.source];
      first_target_[link.source] = std::min(first_target_[link.source], link.target);
      last_target_[link.source] = std::max(last_target_[link.source], link.target);
    }
    for (uint32_t j = 0; j < target_length; ++j) target_links_[j + 1] += target_links_[j];
  }

  void extract(uint32_t max_length, std::vector<PhrasePair>& pairs) const {
    for (uint32_t begin = 0; begin < target_length_; ++begin) {
      uint32_t low = source_length_, high = 0;  // the source words linked so far; none yet
      for (uint32_t end = begin + 1; end <= std::min(begin + max_length, target_length_); ++end) {
        for (const Link* link = first(end - 1); link != first(end); ++link) {
          low = std::min(low, link->source);
          high = std::max(high, link->source + 1);
        }
        if (low >= high) continue;
        // Further target words only widen the span.
        if (high - low > max_length) break;
        if (consistent(low, high, begin, end)) widen(low, high, begin, end, max_length, pairs);
      }
    }
  }

  void extract_tuples(uint32_t max_length, std::vector<PhrasePair>& pairs) const {
    if (links_.empty()) return;
    std::vector<int32_t> positions;
    for (const Link& link : links_) {
      positions.push_back(static_cast<int32_t>(link.source));
      positions.push_back(static_cast<int32_t>(link.target));
    }
    tuples::Unfolding unfolding;
    unfolding.run(static_cast<int32_t>(source_length_), static_cast<int32_t>(target_length_),
                  positions.data(), static_cast<int64_t>(links_.size()));
    std::vector<Span> tuple_of(target_length_);  // the target words of each one's tuple
    std::vector<Block> dropped;
    for (const tuples::Tuple& tuple : unfolding.tuples()) {
      const Span words(tuple.target_begin, tuple.target_end);
      std::fill(tuple_of.begin() + words.first, tuple_of.begin() + words.second, words);
      const uint32_t word = unfolding.order()[tuple.source_begin];
      if (words.first == words.second) dropped.push_back({{word, word + 1}, words});
    }
    std::vector<Block> blocks;
    for (uint32_t begin = 0; begin < target_length_; begin = tuple_of[begin].second) {
      blocks.push_back(close(tuple_of[begin], tuple_of));
    }
    sort_distinct(blocks);
    // A dropped word is a tuple, too.
    blocks.insert(blocks.end(), dropped.begin(), dropped.end());
    const Corners corners(blocks, source_length_, target_length_);
    for (const Block& block : blocks) {
      const auto& [source, target] = block;
      if (source.second - source.first > max_length) continue;
      if (target.second - target.first > max_length) continue;
      pairs.push_back({source.first, source.second - source.first, target.first,
                       target.second - target.first, alignment(block), corners.previous(block),
                       corners.next(block)});
    }
  }

 private:
  // The smallest pair with these target words that no link leaves and that splits no tuple.
  Block close(Span target, const std::vector<Span>& tuple_of) const {
    Span source(source_length_, 0), last(0, 0);
    while (target != last) {
      last = target;
      for (const Link* link = first(target.first); link != first(target.second); ++link) {
        source.first = std::min(source.first, link->source);
        source.second = std::max(source.second, link->source + 1);
      }
      for (uint32_t i = source.first; i < source.second; ++i) {
        if (!fertility_[i]) continue;
        target.first = std::min(target.first, tuple_of[first_target_[i]].first);
        target.second = std::max(target.second, tuple_of[last_target_[i]].second);
      }
    }
    return {source, target};
  }

  const Link* first(uint32_t target) const { return links_.data() + target_links_[target]; }

  // Whether every link of the source words leads into the target span.
  bool consistent(uint32_t low, uint32_t high, uint32_t begin, uint32_t end) const {
    for (uint32_t i = low; i < high; ++i) {
      if (fertility_[i] && (first_target_[i] < begin || last_target_[i] >= end)) return false;
    }
    return true;
  }

  // Adds the pair, and those with unlinked source words at either side.
  void widen(uint32_t low, uint32_t high, uint32_t begin, uint32_t end, uint32_t max_length,
             std::vector<PhrasePair>& pairs) const {
    for (uint32_t from = low;; --from) {
      for (uint32_t to = high; to - from <= max_length; ++to) {
        add(from, to, begin, end, pairs);
        if (to == source_length_ || fertility_[to]) break;
      }
      if (from == 0 || fertility_[from - 1] || high - from == max_length) break;
    }
  }

  void add(uint32_t from, uint32_t to, uint32_t begin, uint32_t end,
           std::vector<PhrasePair>& pairs) const {
    // Positions are signed here: -1 is the start of the sentence.
    const int64_t f0 = from, f1 = to, e0 = begin, e1 = end;
    pairs.push_back({from, to - from, begin, end - begin, alignment({{from, to}, {begin, end}}),
                     orientation(linked(f0 - 1, e0 - 1), linked(f1, e0 - 1)),
                     orientation(linked(f1, e1), linked(f0 - 1, e1))});
  }

  uint64_t alignment(const Block& block) const {
    const auto& [source, target] = block;
    uint64_t bits = 0;
    for (const Link* link = first(target.first); link != first(target.second); ++link) {
      bits |= uint64_t(1) << ((link->target - target.first) * kLongestPhrase + link->source -
                              source.first);
    }
    return bits;
  }

  static Orientation orientation(bool same_order, bool swapped) {
    if (same_order) return swapped ? kOther : kMonotone;
    return swapped ? kSwap : kOther;
  }

  // Whether two positions have a link; starts of both sentences have one, and so have their ends.
  bool linked(int64_t source, int64_t target) const {
    if (source < 0 || target < 0) return source < 0 && target < 0;
    if (source >= source_length_ || target >= target_length_) {
      return source >= source_length_ && target >= target_length_;
    }
    return std::binary_search(first(target), first(target + 1),
                              Link{uint32_t(source), uint32_t(target)});
  }

  const std::vector<Link>& links_;
  uint32_t source_length_, target_length_;
  std::vector<uint32_t> target_links_;  // where the links of each target word begin
  std::vector<uint32_t> fertility_, first_target_, last_target_;
};

}  // namespace

void extract(const std::vector<Link>& links, uint32_t source_length, uint32_t target_length,
             const Extraction& extraction, std::vector<PhrasePair>& pairs) {
  const Sentence sentence(links, source_length, target_length);
  if (extraction.tuples) {
    sentence.extract_tuples(extraction.max_length, pairs);
  } else {
    sentence.extract(extraction.max_length, pairs);
  }
}

}  // namespace nlmt::phrases
