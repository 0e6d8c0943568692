// k-best batch MIRA (Cherry and Foster 2012): large margins between good and bad hypotheses.
//
// Epochs over the sentences in random order look for the hypothesis to hope for (high score, high
// quality) and the one to fear (high score, low quality), and move the weights, no further than a
// constant allows, so that the first outscores the second by their difference in quality. The
// quality of a hypothesis is that of a pseudo-document of the hypotheses lately hoped for, with it
// at the end, times the length of the document's references.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "lists.h"
#include "margin_learner.h"

namespace nlmt::tuning {

// After each epoch the average of all weights so far is looked at; the best one on the lists, or
// the start if none is better. Ends early once `stop` is set.
std::vector<double> mira(const Lists& lists, const double* start, uint64_t seed,
                         const MiraOptions& options, const std::atomic<bool>& stop);

}  // namespace nlmt::tuning
