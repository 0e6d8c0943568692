#include "lm_states.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nlmt::decoder {
namespace {

constexpr std::uint32_t kFreeState = ~std::uint32_t{0};
constexpr std::uint64_t kFreeKey = ~std::uint64_t{0};
constexpr std::size_t kFirstSlots = 1 << 12;

}  // namespace

void LmStates::start(const std::vector<std::unique_ptr<KenLm>>& ngrams, const float* ngram_weights,
                     const NeuralModels& neural, const float* neural_weights) {
  ngrams_.start(ngrams, ngram_weights);
  neural_ = &neural;
  weights_ = neural_weights;
  phrases_.clear();
  if (neural.empty()) return;
  context_width_ = 0;
  context_offsets_.clear();
  for (const auto& model : neural) {
    context_offsets_.push_back(context_width_);
    context_width_ += static_cast<std::size_t>(model->context());
    if (workspaces_.size() < neural.size()) workspaces_.push_back(model->workspace());
  }
  contexts_.clear();
  ngram_states_.clear();
  finished_.clear();
  state_slots_.assign(kFirstSlots, kFreeState);
  cache_.assign(kFirstSlots, {kFreeKey, 0, {}});
  cached_ = 0;
  next_context_.assign(context_width_, NeuralLm::kBegin);
  intern(ngrams_.begin(), next_context_.data());
}

void LmStates::add_phrase(const LmPhrase& phrase) {
  ngrams_.add_phrase(phrase.ngram);
  phrases_.push_back(phrase);
}

std::size_t LmStates::state_slot(std::uint32_t ngram_state, const std::int32_t* context) const {
  std::uint64_t hash = ngram_state;
  for (std::size_t i = 0; i < context_width_; ++i) {
    hash = combine(hash, static_cast<std::uint64_t>(context[i]));
  }
  const std::size_t mask = state_slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const std::uint32_t state = state_slots_[at];
    if (state == kFreeState) return at;
    if (ngram_states_[state] == ngram_state &&
        std::equal(context, context + context_width_, words(state))) {
      return at;
    }
  }
}

std::uint32_t LmStates::intern(std::uint32_t ngram_state, const std::int32_t* context) {
  std::size_t at = state_slot(ngram_state, context);
  if (state_slots_[at] != kFreeState) return state_slots_[at];
  const auto name = static_cast<std::uint32_t>(ngram_states_.size());
  if (2 * (ngram_states_.size() + 1) > state_slots_.size()) {
    state_slots_.assign(state_slots_.size() * 2, kFreeState);
    for (std::uint32_t state = 0; state < name; ++state) {
      state_slots_[state_slot(ngram_states_[state], words(state))] = state;
    }
    at = state_slot(ngram_state, context);
  }
  state_slots_[at] = name;
  ngram_states_.push_back(ngram_state);
  contexts_.insert(contexts_.end(), context, context + context_width_);
  finished_.push_back({std::numeric_limits<float>::quiet_NaN(), {}});
  return name;
}

std::size_t LmStates::cache_slot(std::uint64_t key) const {
  const std::size_t mask = cache_.size() - 1;
  std::size_t at = mix(key) & mask;
  while (cache_[at].key != kFreeKey && cache_[at].key != key) at = (at + 1) & mask;
  return at;
}

void LmStates::grow_cache() {
  std::vector<Cached> old(cache_.size() * 2, {kFreeKey, 0, {}});
  old.swap(cache_);
  for (const Cached& filled : old) {
    if (filled.key != kFreeKey) cache_[cache_slot(filled.key)] = filled;
  }
}

// Appends a model's context of a state and the words that follow.
void LmStates::add_line(std::size_t model, std::uint32_t state, std::uint32_t phrase,
                        std::vector<std::int32_t>& line) const {
  const std::int32_t* before = words(state) + context_offsets_[model];
  line.insert(line.end(), before, before + (*neural_)[model]->context());
  if (phrase == kEnd) {
    line.push_back(NeuralLm::kEnd);
  } else {
    const std::uint32_t length = phrases_[phrase].length;
    const std::int32_t* after = phrases_[phrase].neural + model * length;
    line.insert(line.end(), after, after + length);
  }
}

// What is known without the expensive models, and an estimate with them.
LmStates::Settling LmStates::guess(std::uint32_t state, std::uint32_t phrase, float ngram_score) {
  float known = ngram_score, estimate = 0;
  bool exact = true;
  for (std::size_t m = 0; m < neural_->size(); ++m) {
    const NeuralLm& model = *(*neural_)[m];
    float sum = 0;
    if (model.has_quick()) {
      line_.clear();
      add_line(m, state, phrase, line_);
      const auto context = static_cast<std::size_t>(model.context());
      for (std::size_t i = 0; i < events(phrase); ++i) {
        sum += model.quick(line_.data() + i, line_[context + i], workspaces_[m]);
      }
    } else {
      sum = phrase == kEnd ? model.isolated(&NeuralLm::kEnd, 1, workspaces_[m])
                           : phrases_[phrase].neural_isolated[m];
    }
    (model.quick_is_exact() ? known : estimate) += weights_[m] * sum;
    exact = exact && (model.quick_is_exact() || events(phrase) == 0);
  }
  return {known, {known + estimate, exact}};
}

LmStates::Step LmStates::extend_all(std::uint32_t state, std::uint32_t phrase) {
  const std::uint64_t key = (std::uint64_t{state} << 32) | phrase;
  std::size_t at = cache_slot(key);
  if (cache_[at].key == key) return {cache_[at].state, cache_[at].step.score};
  const NgramStates::Step ngram = ngrams_.extend(ngram_states_[state], phrase);
  const Settling step = guess(state, phrase, ngram.score);
  for (std::size_t m = 0; m < neural_->size(); ++m) {
    line_.clear();
    add_line(m, state, phrase, line_);
    std::copy(line_.end() - (*neural_)[m]->context(), line_.end(),
              next_context_.begin() + static_cast<std::ptrdiff_t>(context_offsets_[m]));
  }
  const std::uint32_t next = intern(ngram.state, next_context_.data());
  if (2 * ++cached_ > cache_.size()) {
    grow_cache();
    at = cache_slot(key);
  }
  cache_[at] = {key, next, step};
  return {next, step.score};
}

LmStates::Score LmStates::finish_all(std::uint32_t state) {
  if (std::isnan(finished_[state].known)) {
    finished_[state] = guess(state, kEnd, ngrams_.finish(ngram_states_[state]));
  }
  return finished_[state].score;
}

void LmStates::settle(const std::vector<Request>& requests) {
  const auto expensive = [](const auto& model) { return !model->quick_is_exact(); };
  if (std::none_of(neural_->begin(), neural_->end(), expensive)) return;
  std::vector<Task> tasks;
  const auto add_task = [&](std::uint32_t state, std::uint32_t phrase, Settling& of) {
    if (of.score.exact) return;
    of.score = {of.known, true};  // to which the models add
    tasks.push_back({state, phrase, &of});
  };
  for (const Request& request : requests) {
    const Step step = extend(request.state, request.phrase);
    if (request.last) finish(step.state);
  }
  for (const Request& request : requests) {
    Cached& cached = cache_[cache_slot((std::uint64_t{request.state} << 32) | request.phrase)];
    add_task(request.state, request.phrase, cached.step);
    if (request.last) add_task(cached.state, kEnd, finished_[cached.state]);
  }
  for (std::size_t m = 0; m < neural_->size() && !tasks.empty(); ++m) {
    if (expensive((*neural_)[m])) settle_model(m, tasks);
  }
}

void LmStates::settle_model(std::size_t m, const std::vector<Task>& tasks) {
  const NeuralLm& model = *(*neural_)[m];
  const auto context = static_cast<std::size_t>(model.context());
  line_.clear();
  for (const Task& task : tasks) add_line(m, task.state, task.phrase, line_);
  events_.clear();
  const std::int32_t* at = line_.data();
  for (const Task& task : tasks) {
    for (std::size_t i = 0; i < events(task.phrase); ++i, ++at) {
      events_.push_back({at, at[context], 0});
    }
    at += context;
  }
  model.score(events_.data(), events_.size(), workspaces_[m]);
  const NeuralLm::Event* event = events_.data();
  for (const Task& task : tasks) {
    float sum = 0;
    for (std::size_t i = 0; i < events(task.phrase); ++i) sum += event++->score;
    task.of->score.value += weights_[m] * sum;
  }
}

float LmStates::printed_neural_score(std::size_t m, std::uint32_t state, std::uint32_t phrase,
                                     bool last) const {
  const NeuralLm& model = *(*neural_)[m];
  std::vector<std::int32_t> line;
  add_line(m, state, phrase, line);
  if (last) line.push_back(NeuralLm::kEnd);
  std::vector<NeuralLm::Event> events;
  for (std::size_t at = static_cast<std::size_t>(model.context()); at < line.size(); ++at) {
    events.push_back({line.data() + at - model.context(), line[at], 0});
  }
  model.score(events.data(), events.size(), workspaces_[m]);
  float sum = 0;
  for (const NeuralLm::Event& event : events) sum += event.score;
  return sum;
}

}  // namespace nlmt::decoder
