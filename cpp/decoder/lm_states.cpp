#include "lm_states.h"

#include <algorithm>

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
  end_words_.assign(neural.size(), NeuralLm::kEnd);
  end_isolated_.clear();
  for (std::size_t m = 0; m < neural.size(); ++m) {
    end_isolated_.push_back(neural[m]->isolated(&NeuralLm::kEnd, 1, workspaces_[m]));
  }
  end_ = {nullptr, end_words_.data(), end_isolated_.data(), 1};
  contexts_.clear();
  ngram_states_.clear();
  state_slots_.assign(kFirstSlots, kFreeState);
  // As large as the last sentence needed it, which saves growing, unless that was an unusual one.
  const bool unusual = 16 * cached_ < cache_.size() && cache_.size() > kFirstSlots;
  const std::size_t slots = std::max(kFirstSlots, unusual ? cache_.size() / 2 : cache_.size());
  cache_.assign(slots, {kFreeKey, 0, 0, 0});
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
  return name;
}

std::size_t LmStates::cache_slot(std::uint64_t key) const {
  const std::size_t mask = cache_.size() - 1;
  std::size_t at = mix(key) & mask;
  while (cache_[at].key != kFreeKey && cache_[at].key != key) at = (at + 1) & mask;
  return at;
}

void LmStates::grow_cache() {
  std::vector<Cached> old(cache_.size() * 2, {kFreeKey, 0, 0, 0});
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
  const std::uint32_t length = this->phrase(phrase).length;
  const std::int32_t* after = this->phrase(phrase).neural + model * length;
  line.insert(line.end(), after, after + length);
}

NgramStates::Step LmStates::ngram_step(std::uint32_t state, std::uint32_t phrase) {
  if (phrase != kEnd) return ngrams_.extend(ngram_states_[state], phrase);
  return {0, ngrams_.finish(ngram_states_[state])};
}

LmStates::Cached& LmStates::lookup(std::uint32_t state, std::uint32_t phrase) {
  std::size_t at = cache_slot(key(state, phrase));
  if (cache_[at].key != kFreeKey) return cache_[at];
  const NgramStates::Step ngram = ngram_step(state, phrase);
  float score = ngram.score;
  bool exact = true;
  for (std::size_t m = 0; m < neural_->size(); ++m) {
    const bool now = asked_at_once(m) || this->phrase(phrase).length == 0;
    exact = exact && now;
    score += weights_[m] * (now ? neural_score(m, state, phrase, false)
                                : this->phrase(phrase).neural_isolated[m]);
  }
  if (2 * ++cached_ > cache_.size()) {
    grow_cache();
    at = cache_slot(key(state, phrase));
  }
  cache_[at] = {key(state, phrase), score, ngram.state, exact};
  return cache_[at];
}

LmStates::Step LmStates::extend_all(const Request& request) {
  const Cached step = lookup(request.state, request.phrase);
  if (!request.last) return {step.score, step.exact == 1, step.arrival};
  const Cached end = lookup(arrive_all(request, step.arrival), kEnd);
  return {step.score + end.score, step.exact && end.exact, step.arrival};
}

std::uint32_t LmStates::arrive_all(const Request& request, std::uint32_t ngram_state) {
  const std::int32_t* before = words(request.state);
  const LmPhrase& phrase = phrases_[request.phrase];
  for (std::size_t m = 0; m < neural_->size(); ++m) {
    const auto context = static_cast<std::size_t>((*neural_)[m]->context());
    const std::int32_t* after = phrase.neural + m * phrase.length;
    std::int32_t* next = next_context_.data() + context_offsets_[m];
    const std::size_t added = std::min<std::size_t>(context, phrase.length);
    std::copy_n(before + context_offsets_[m] + added, context - added, next);
    std::copy_n(after + phrase.length - added, added, next + context - added);
  }
  return intern(ngram_state, next_context_.data());
}

void LmStates::settle(const std::vector<Request>& requests) {
  std::vector<Task> tasks;
  // New entries may move the others: first all are made.
  for (const Request& request : requests) extend(request);
  const auto add_task = [&](std::uint32_t state, std::uint32_t phrase) {
    const std::size_t slot = cache_slot(key(state, phrase));
    if (cache_[slot].exact) return;
    cache_[slot].exact = 1;
    cache_[slot].score = ngram_step(state, phrase).score;  // to which the neural models add
    tasks.push_back({state, phrase, slot});
  };
  for (const Request& request : requests) {
    const Step step = extend(request);
    if (step.exact) continue;
    add_task(request.state, request.phrase);
    if (request.last) add_task(arrive(request, step), kEnd);
  }
  for (std::size_t m = 0; m < neural_->size() && !tasks.empty(); ++m) {
    settle_model(m, tasks);
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
    for (std::size_t i = 0; i < phrase(task.phrase).length; ++i, ++at) {
      events_.push_back({at, at[context], 0});
    }
    at += context;
  }
  model.score(events_.data(), events_.size(), workspaces_[m]);
  const NeuralLm::Event* event = events_.data();
  for (const Task& task : tasks) {
    float sum = 0;
    for (std::size_t i = 0; i < phrase(task.phrase).length; ++i) sum += event++->score;
    cache_[task.slot].score += weights_[m] * sum;
  }
}

float LmStates::neural_score(std::size_t m, std::uint32_t state, std::uint32_t phrase,
                             bool last) const {
  line_.clear();
  add_line(m, state, phrase, line_);
  if (last) line_.push_back(NeuralLm::kEnd);
  const NeuralLm& model = *(*neural_)[m];
  const auto words = line_.size() - static_cast<std::size_t>(model.context());
  return model.score(line_.data(), words, workspaces_[m]);
}

}  // namespace nlmt::decoder
