#include "reordering_limits.h"

#include <algorithm>

namespace nlmt::decoder {

void ReorderingLimits::start(const Markup& markup, std::size_t words, int distortion_limit) {
  distortion_limit_ =
      distortion_limit < 0 ? words : std::min(static_cast<std::size_t>(distortion_limit), words);
  zones_ = markup.zones;
  zone_walls_.assign(zones_.size(), std::vector<bool>(words, false));
  walls_.clear();
  if (!markup.walls.empty()) walls_.assign(words, false);
  for (const std::size_t wall : markup.walls) {
    std::size_t innermost = zones_.size();
    for (std::size_t z = 0; z < zones_.size(); ++z) {
      // A wall after a zone's last word does not belong to the zone.
      if (wall < zones_[z].begin || wall + 1 >= zones_[z].end) continue;
      const auto width = [&](std::size_t zone) { return zones_[zone].end - zones_[zone].begin; };
      if (innermost == zones_.size() || width(z) < width(innermost)) innermost = z;
    }
    (innermost == zones_.size() ? walls_ : zone_walls_[innermost])[wall] = true;
  }
}

bool ReorderingLimits::allow(const SearchGraph& graph, std::uint32_t group, std::size_t begin,
                             std::size_t end) const {
  const std::size_t gap = graph.group(group).first_gap;
  if (begin != gap && !walls_.empty()) {
    // It would leave a gap on this side of a wall.
    for (std::size_t at = gap; at + 1 < end; ++at) {
      if (walls_[at]) return false;
    }
  }
  for (std::size_t zone = 0; zone < zones_.size(); ++zone) {
    if (!zone_allows(graph, group, zone, begin, end)) return false;
  }
  return true;
}

bool ReorderingLimits::zone_allows(const SearchGraph& graph, std::uint32_t group, std::size_t zone,
                                   std::size_t begin, std::size_t end) const {
  const auto [first, behind] = zones_[zone];
  std::size_t done = 0;
  for (std::size_t at = first; at < behind; ++at) done += graph.covers(group, at);
  const std::size_t left = behind - first - done;
  if (left == 0) return true;
  if (end <= first || begin >= behind) return done == 0;  // no leaving before it is done
  // A gap before the zone must stay within reach from its end.
  const std::size_t gap = graph.group(group).first_gap;
  if (begin != gap && behind - 1 >= gap + distortion_limit_) return false;
  if (begin <= first) return true;                  // an overlap at the beginning
  if (end > behind) return behind - begin >= left;  // one at the end must complete it
  bool skipped = false;
  for (std::size_t at = first; at + 1 < end; ++at) {
    skipped = skipped || (at < begin && !graph.covers(group, at));
    if (skipped && zone_walls_[zone][at]) return false;
  }
  return true;
}

}  // namespace nlmt::decoder
