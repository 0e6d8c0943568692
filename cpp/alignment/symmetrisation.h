// Symmetrisation of two word alignments, under Moses' names (Koehn, Och and Marcu 2003; Och and
// Ney 2003). Use:
//
//   std::vector<Link> both = symmetrise(parse_links(forward), parse_links(reverse),
//   Method::kGrowDiag);

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nlmt::alignment {

// Source position, target position, both from 0.
using Link = std::pair<uint32_t, uint32_t>;

enum class Method { kIntersection, kUnion, kGrowDiag, kGrowDiagFinalAnd };

// Reads "0-0 1-2". Throws std::invalid_argument naming the first faulty field.
std::vector<Link> parse_links(std::string_view line);

std::string format_links(const std::vector<Link>& links);

// The result of `method` for both directions, by source, then target position.
std::vector<Link> symmetrise(std::vector<Link> forward, std::vector<Link> reverse, Method method);

}  // namespace nlmt::alignment
