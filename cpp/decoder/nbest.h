// The best translations of a search graph, exactly and in order.
//
// Jiménez and Marzal (2000), Huang and Chiang (2005, algorithm 3): each hypothesis lists its own
// best derivations lazily, one more whenever a later one asks. For distinct translations a
// hypothesis drops a derivation whose words equal those of a better one of its own: whatever
// follows, it could only repeat that one's translation. So the distinct list is exact, too, without
// a limit on the number of repetitions considered.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "key_set.h"
#include "search.h"

namespace nlmt::decoder {

// A full translation: hypotheses and options from the first phrase to the last, and its features.
struct Translation {
  struct Step {
    std::uint32_t hypothesis;  // the one that the phrase was added to
    std::uint32_t option;
  };

  std::vector<Step> steps;
  std::vector<float> values;  // of the features, in the model's order
  float total = 0;            // weights times values
};

class NbestExtractor {
 public:
  explicit NbestExtractor(const Searcher& searcher) : searcher_(searcher) {}

  // At most `count` translations, best first.
  std::vector<Translation> extract(std::uint32_t best, std::size_t count, bool distinct);

 private:
  // A way to reach a hypothesis: the last phrase, and the derivation of the part before it.
  struct Derivation {
    float score;
    std::uint32_t edge;  // a hypothesis or one of its alternatives
    std::uint32_t rank;
    std::uint64_t words;  // hash of its words
  };

  struct Node {
    std::vector<Derivation> best;
    std::vector<Derivation> candidates;  // a heap
    bool opened = false;
  };

  const Derivation* derivation(std::uint32_t hypothesis, std::size_t rank);
  void add_candidate(Node& node, std::uint32_t edge, std::uint32_t rank);
  Translation trace(std::uint32_t hypothesis, std::size_t rank);
  // Future cost after an edge.
  float estimate(std::uint32_t edge) const;
  // Feature values and their weighted sum of all phrases up to the edge's, on the best way there.
  const float* upto(std::uint32_t edge);
  Node& node(std::uint32_t hypothesis);

  const Searcher& searcher_;
  bool distinct_ = false;
  std::vector<std::uint32_t> node_of_;   // by hypothesis
  std::deque<Node> nodes_;               // which stay where they are
  KeySet seen_;                          // by hypothesis and words, of distinct derivations
  std::vector<std::int64_t> values_of_;  // by edge: offset of upto() in values_, or -1
  std::vector<float> values_;
};

}  // namespace nlmt::decoder
