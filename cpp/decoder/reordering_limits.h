// Walls and zones: limits on translating the words of one sentence out of order.
#pragma once

#include <vector>

#include "markup.h"
#include "search_graph.h"

namespace nlmt::decoder {

class ReorderingLimits {
 public:
  // Walls within a zone only apply to the words of the innermost one.
  void start(const Markup& markup, std::size_t words, int distortion_limit);

  bool active() const { return !walls_.empty() || !zones_.empty(); }
  // Whether the uncovered words [begin, end) may come next.
  bool allow(const SearchGraph& graph, std::uint32_t group, std::size_t begin,
             std::size_t end) const;

 private:
  bool zone_allows(const SearchGraph& graph, std::uint32_t group, std::size_t zone,
                   std::size_t begin, std::size_t end) const;

  std::vector<bool> walls_;  // by the word before
  std::vector<Zone> zones_;
  std::vector<std::vector<bool>> zone_walls_;  // by zone and the word before
  std::size_t distortion_limit_ = 0;
};

}  // namespace nlmt::decoder
