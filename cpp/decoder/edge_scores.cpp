#include "edge_scores.h"

#include <cstdlib>

namespace nlmt::decoder {

void add_edge_scores(const Searcher& searcher, std::uint32_t edge, float* values) {
  const Model& model = searcher.model();
  const SearchGraph& graph = searcher.graph();
  const Hypothesis& hypothesis = graph.hypotheses()[edge];
  const Hypothesis& before = graph.hypotheses()[hypothesis.previous];
  const Group& group = graph.group(before.group);
  const Option& option = searcher.options().option(hypothesis.option);
  const PreparedOption* previous =
      before.option == kNone ? nullptr : searcher.options().option(before.option).prepared;
  model.add_phrase_features(*option.prepared, values);
  model.add_reordering_features(previous, *option.prepared,
                                graph.relation(group, option.begin, option.end), values);
  model.add_distortion(static_cast<float>(std::abs(int{group.end} - int{option.begin})), values);
  const bool last =
      graph.coverage(graph.group(hypothesis.group)).covered == searcher.options().words();
  for (std::size_t m = 0; m < model.lms().size(); ++m) {
    values[model.lm_offset(m)] +=
        searcher.lm_states().printed_ngram_score(m, before.lm_state, option.lm_phrase, last);
  }
  for (std::size_t m = 0; m < model.neural_lms().size(); ++m) {
    values[model.neural_offset(m)] +=
        searcher.lm_states().neural_score(m, before.lm_state, option.lm_phrase, last);
  }
  for (std::size_t i = 0; i < model.feature_count(); ++i) {
    values[model.feature_count()] += model.weights()[i] * values[i];
  }
}

}  // namespace nlmt::decoder
