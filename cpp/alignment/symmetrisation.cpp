#include "symmetrisation.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "links.h"

namespace nlmt::alignment {
namespace {

// More words than any sentence has; guards the coverage vectors against a broken file.
constexpr uint32_t kMaxPosition = 1 << 16;

// Neighbours in the order of trying, on which the result depends.
constexpr int kNeighbours[8][2] = {{-1, 0},  {0, -1}, {1, 0},  {0, 1},
                                   {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};

// A growing alignment and the words it covers.
class Grid {
 public:
  Grid(std::vector<Link> start, const std::vector<Link>& all)
      : links_(std::move(start)), candidates_(all) {
    uint32_t source = 0, target = 0;
    for (const Link& link : all) {
      source = std::max(source, link.first + 1);
      target = std::max(target, link.second + 1);
    }
    source_.resize(source);
    target_.resize(target);
    for (const Link& link : links_) source_[link.first] = target_[link.second] = true;
  }

  // Adds candidates that neighbour a link and cover a new word, until there is none. Each pass
  // grows from the links of the one before: neighbours of older ones had their words covered then.
  void grow_diag() {
    for (size_t begin = 0, end; begin != links_.size(); begin = end) {
      end = links_.size();
      std::sort(links_.begin() + begin, links_.end());
      for (size_t i = begin; i < end; ++i) {
        for (const auto& step : kNeighbours) {
          // Position -1 wraps around to a position that no candidate has.
          const Link next(links_[i].first + step[0], links_[i].second + step[1]);
          if (!std::binary_search(candidates_.begin(), candidates_.end(), next)) continue;
          if (!source_[next.first] || !target_[next.second]) add(next);
        }
      }
    }
  }

  // Adds the links of one direction that cover two new words.
  void final_and(const std::vector<Link>& direction) {
    for (const Link& link : direction) {
      if (!source_[link.first] && !target_[link.second]) add(link);
    }
  }

  std::vector<Link> take() {
    std::sort(links_.begin(), links_.end());
    return std::move(links_);
  }

 private:
  // A link with an uncovered word is always new.
  void add(const Link& link) {
    source_[link.first] = target_[link.second] = true;
    links_.push_back(link);
  }

  std::vector<Link> links_;
  const std::vector<Link>& candidates_;  // sorted
  std::vector<bool> source_, target_;
};

}  // namespace

std::vector<Link> parse_links(std::string_view line) {
  std::vector<Link> links;
  for (auto token = next_token(line); !token.empty(); token = next_token(line)) {
    nlmt::Link link;
    if (!parse_link(token, link) || std::max(link.source, link.target) >= kMaxPosition) {
      throw std::invalid_argument(std::string(token));
    }
    links.emplace_back(link.source, link.target);
  }
  return links;
}

std::string format_links(const std::vector<Link>& links) {
  std::string line;
  for (const Link& link : links) {
    if (!line.empty()) line += ' ';
    line += std::to_string(link.first) + '-' + std::to_string(link.second);
  }
  return line;
}

std::vector<Link> symmetrise(std::vector<Link> forward, std::vector<Link> reverse, Method method) {
  sort_distinct(forward);
  sort_distinct(reverse);
  std::vector<Link> common, all;
  std::set_intersection(forward.begin(), forward.end(), reverse.begin(), reverse.end(),
                        std::back_inserter(common));
  std::set_union(forward.begin(), forward.end(), reverse.begin(), reverse.end(),
                 std::back_inserter(all));
  if (method == Method::kIntersection) return common;
  if (method == Method::kUnion) return all;
  Grid grid(std::move(common), all);
  grid.grow_diag();
  if (method == Method::kGrowDiagFinalAnd) {
    grid.final_and(forward);
    grid.final_and(reverse);
  }
  return grid.take();
}

}  // namespace nlmt::alignment
