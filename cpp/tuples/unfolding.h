// Tuples of a word-aligned sentence pair, the source unfolded into the order of the target (Crego,
// Mariño and de Gispert 2005; Mariño et al. 2006). The rule is in docs/tuples.md.
//
//   Unfolding unfolding;
//   unfolding.run(source_length, target_length, links, count);
//   for (const Tuple& tuple : unfolding.tuples()) use(tuple, unfolding.order());
#pragma once

#include <cstdint>
#include <vector>

namespace nlmt::tuples {

// Source words order[source_begin:source_end], ascending, possibly with others between them, and
// the target words target_begin up to target_end. Either may be empty.
struct Tuple {
  int32_t source_begin, source_end, target_begin, target_end;
};

class Unfolding {
 public:
  // `links` are `count` pairs of source and target position, all inside the sentences.
  void run(int32_t source_length, int32_t target_length, const int32_t* links, int64_t count);

  // In the order of the target.
  const std::vector<Tuple>& tuples() const { return tuples_; }
  // All source positions, in the order of the tuples.
  const std::vector<int32_t>& order() const { return order_; }

 private:
  void cut_target(int32_t target_length);
  void order_source();

  std::vector<Tuple> tuples_;
  std::vector<int32_t> order_;
  std::vector<int32_t> first_, last_;  // linked target words of each source word; -1: none
  std::vector<int32_t> spans_;         // difference array: source words linked across this border
  std::vector<uint8_t> linked_;        // whether a target word has links
  std::vector<int32_t> segment_;       // of each target word
  std::vector<int32_t> bounds_;        // where segments begin, and the end
  std::vector<int32_t> place_, starts_;
};

}  // namespace nlmt::tuples
