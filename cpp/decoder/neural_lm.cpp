#include "neural_lm.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "errors.h"
#include "probability.h"

namespace nlmt::decoder {
namespace {

constexpr std::size_t kBlock = nlmt::kBlock;          // contexts that are scored together
constexpr int kScoreBits = 23, kNormaliserBits = 21;  // 128 and 32 MB a model

// A broken model's score that is not a number would break the order of hypotheses.
float finite(float score) { return score > kLowest && score < -kLowest ? score : kLowest; }

}  // namespace

NeuralLm::NeuralLm(const NeuralModel& model)
    : scorer_(model.scorer),
      list_(model.short_list),
      cheap_(scorer_->shallow() && !scorer_->normalises()),
      scores_(kScoreBits),
      normalisers_(kNormaliserBits) {
  // The marks of a sentence in a text are unknown words.
  for (std::size_t i = kEnd + 1; i < model.words.size(); ++i) words_.add(model.words[i]);
}

std::int32_t NeuralLm::find(std::string_view word) const {
  const std::int32_t found = words_.find(word);
  return found < 0 ? kUnknown : kEnd + 1 + found;
}

std::string NeuralLm::kept_scores() const {
  std::string scores, normalisers;
  scores_.append_kept(scores);
  normalisers_.append_kept(normalisers);
  const std::uint64_t size = scores.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + scores + normalisers;
}

void NeuralLm::take_scores(std::string_view kept) {
  std::uint64_t size;
  if (kept.size() < sizeof size) return;
  std::memcpy(&size, kept.data(), sizeof size);
  kept.remove_prefix(sizeof size);
  scores_.take(kept.substr(0, size));
  normalisers_.take(kept.substr(std::min<std::uint64_t>(size, kept.size())));
}

float NeuralLm::evaluate(const std::int32_t* context, std::int32_t word, Workspace& work) const {
  const std::int32_t row = unit(word);
  if (row < 0) return finite(list_->log_probability(context, this->context(), word));
  const float mass = list_ ? list_->log_mass(context, this->context()) : 0;
  return finite(scorer_->score_after(context, row, work.scorer) + mass);
}

void NeuralLm::score(Event* events, std::size_t n, Workspace& work) const {
  if (cheap_) {
    for (Event* event = events; event != events + n; ++event) {
      event->score = evaluate(event->context, event->word, work);
    }
    return;
  }
  // The key of a context, then that of the event.
  work.keys.assign(2 * n, {});
  for (std::size_t i = 0; i < n; ++i) {
    ScoreKey& key = work.keys[2 * i];
    for (std::int64_t j = 0; j < context(); ++j) key.add(events[i].context[j]);
    work.keys[2 * i + 1] = key;
    work.keys[2 * i + 1].add(events[i].word);
    scores_.fetch(work.keys[2 * i + 1]);
    normalisers_.fetch(key);
  }
  work.missing.clear();
  for (std::size_t i = 0; i < n; ++i) {
    Event& event = events[i];
    const ScoreKey& key = work.keys[2 * i + 1];
    if (scores_.find(key, event.score)) {
      event.score = finite(event.score);  // a file of kept scores may have any
      continue;
    }
    if (unit(event.word) < 0) {
      event.score = finite(list_->log_probability(event.context, context(), event.word));
      scores_.put(key, event.score);
    } else {
      work.missing.push_back(i);
    }
  }
  // Equal contexts are contiguous.
  std::sort(work.missing.begin(), work.missing.end(),
            [&](std::size_t a, std::size_t b) { return work.keys[2 * a] < work.keys[2 * b]; });
  for (std::size_t first = 0; first < work.missing.size();) {
    std::size_t contexts = 0, last = first;
    for (; last < work.missing.size(); ++last) {
      const bool other = last == first || !(work.keys[2 * work.missing[last]] ==
                                            work.keys[2 * work.missing[last - 1]]);
      if (other && ++contexts > kBlock) break;
    }
    score_block(events, work.missing.data() + first, last - first, work);
    first = last;
  }
}

// Scores events of at most kBlock different contexts, equal ones next to each other. The value to
// subtract after a context is kept with it: its normaliser minus a short-list's mass.
void NeuralLm::score_block(Event* events, const std::size_t* missing, std::size_t n,
                           Workspace& work) const {
  const bool kept = scorer_->normalises() || list_;
  // Contexts whose normaliser is to be computed come first.
  struct Context {
    const std::int32_t* words;
    const ScoreKey* key;
    float normaliser;
    bool known;
    std::size_t row;
  };
  std::array<Context, kBlock> contexts;
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const ScoreKey& key = work.keys[2 * missing[i]];
    if (i && key == *contexts[count - 1].key) continue;
    Context& context = contexts[count++];
    context = {events[missing[i]].context, &key, 0, true, 0};
    if (kept) context.known = normalisers_.find(key, context.normaliser);
  }
  std::array<const std::int32_t*, kBlock> rows;
  std::size_t unknown = 0, row = 0;
  for (const bool known : {false, true}) {
    for (std::size_t c = 0; c < count; ++c) {
      if (contexts[c].known != known) continue;
      contexts[c].row = row;
      rows[row++] = contexts[c].words;
    }
    if (!known) unknown = row;
  }
  const float* h = scorer_->hidden(rows.data(), static_cast<std::int64_t>(row), work.scorer);
  if (unknown) {
    std::array<float, kBlock> computed{};
    scorer_->normalisers(h, static_cast<std::int64_t>(unknown), work.scorer, computed.data());
    for (std::size_t c = 0; c < count; ++c) {
      if (contexts[c].known) continue;
      contexts[c].normaliser = computed[contexts[c].row];
      if (list_) contexts[c].normaliser -= list_->log_mass(contexts[c].words, context());
      normalisers_.put(*contexts[c].key, contexts[c].normaliser);
    }
  }
  std::size_t c = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Event& event = events[missing[i]];
    if (!(work.keys[2 * missing[i]] == *contexts[c].key)) ++c;
    const float* mine = h + static_cast<std::int64_t>(contexts[c].row) * scorer_->stride();
    event.score =
        finite(scorer_->score(mine, unit(event.word), contexts[c].normaliser, work.scorer));
    scores_.put(work.keys[2 * missing[i] + 1], event.score);
  }
}

float NeuralLm::score(const std::int32_t* line, std::size_t n, Workspace& work) const {
  float sum = 0;
  if (cheap_) {
    for (std::size_t i = 0; i < n; ++i) sum += evaluate(line + i, line[i + context()], work);
    return sum;
  }
  work.events.clear();
  for (std::size_t i = 0; i < n; ++i) work.events.push_back({line + i, line[i + context()], 0});
  score(work.events.data(), n, work);
  for (const Event& event : work.events) sum += event.score;
  return sum;
}

float NeuralLm::isolated(const std::int32_t* words, std::size_t n, Workspace& work) const {
  work.line.assign(static_cast<std::size_t>(context()), scorer_->blank());
  work.line.insert(work.line.end(), words, words + n);
  return score(work.line.data(), n, work);
}

}  // namespace nlmt::decoder
