// k-best batch MIRA (Cherry and Foster 2012): large margins between good and bad hypotheses.
//
// Epochs over the sentences in random order find the hope hypothesis (high score, high quality) and
// the fear hypothesis (high score, low quality), and move the weights, within a constant limit, so
// that the first outscores the second by their difference in quality. The quality of a hypothesis
// is that of a pseudo-document of recent hope hypotheses followed by it, times the length of the
// document's references.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "lists.h"
#include "margin_learner.h"

namespace nlmt::tuning {

// Returns weights that are best on the lists (learn).
std::vector<double> mira(const Lists& lists, const double* start, uint64_t seed,
                         const MiraOptions& options, const std::atomic<bool>& stop);

}  // namespace nlmt::tuning
