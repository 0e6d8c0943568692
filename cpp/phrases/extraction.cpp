#include "extraction.h"

#include <algorithm>

namespace nlmt::phrases {
namespace {

class Sentence {
 public:
  Sentence(const Link* links, const Link* end, uint32_t source_length, uint32_t target_length)
      : links_(links),
        source_length_(source_length),
        target_length_(target_length),
        target_links_(target_length + 1),
        fertility_(source_length),
        first_target_(source_length, target_length),
        last_target_(source_length, 0) {
    for (const Link* link = links; link != end; ++link) {
      ++target_links_[link->target + 1];
      ++fertility_[link->source];
      first_target_[link->source] = std::min(first_target_[link->source], link->target);
      last_target_[link->source] = std::max(last_target_[link->source], link->target);
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

 private:
  const Link* first(uint32_t target) const { return links_ + target_links_[target]; }

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
    uint64_t alignment = 0;
    for (const Link* link = first(begin); link != first(end); ++link) {
      alignment |= uint64_t(1) << ((link->target - begin) * kLongestPhrase + link->source - from);
    }
    // Positions are signed here: -1 is the start of the sentence.
    const int64_t f0 = from, f1 = to, e0 = begin, e1 = end;
    pairs.push_back({from, to - from, begin, end - begin, alignment,
                     orientation(linked(f0 - 1, e0 - 1), linked(f1, e0 - 1)),
                     orientation(linked(f1, e1), linked(f0 - 1, e1))});
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

  const Link* links_;
  uint32_t source_length_, target_length_;
  std::vector<uint32_t> target_links_;  // where the links of each target word begin
  std::vector<uint32_t> fertility_, first_target_, last_target_;
};

}  // namespace

void extract(const Link* links, const Link* links_end, uint32_t source_length,
             uint32_t target_length, uint32_t max_length, std::vector<PhrasePair>& pairs) {
  Sentence(links, links_end, source_length, target_length).extract(max_length, pairs);
}

}  // namespace nlmt::phrases
