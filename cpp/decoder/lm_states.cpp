#include "lm_states.h"

#include <algorithm>
#include <array>

namespace nlmt::decoder {

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
  end_words_ = {};
  end_isolated_.clear();
  for (std::size_t m = 0; m < neural.size(); ++m) {
    end_words_.append(std::array{NeuralLm::kEnd});
    end_isolated_.push_back(neural[m]->isolated(&NeuralLm::kEnd, 1, workspaces_[m]));
  }
  end_ = {nullptr, &end_words_, 0, end_isolated_.data()};
  contexts_.clear();
  ngram_states_.clear();
  numbers_.clear();
  steps_.clear();
  next_context_.assign(context_width_, NeuralLm::kBegin);
  intern(ngrams_.begin(), next_context_.data());
}

void LmStates::add_phrase(const LmPhrase& phrase) {
  ngrams_.add_phrase(phrase.ngram);
  phrases_.push_back(phrase);
}

std::uint32_t LmStates::intern(std::uint32_t ngram_state, const std::int32_t* context) {
  std::uint64_t hash = ngram_state;
  for (std::size_t i = 0; i < context_width_; ++i) {
    hash = combine(hash, static_cast<std::uint64_t>(context[i]));
  }
  const std::uint32_t state = numbers_.intern(hash, [&](std::uint32_t other) {
    return ngram_states_[other] == ngram_state &&
           std::equal(context, context + context_width_, words(other));
  });
  if (state == ngram_states_.size()) {
    ngram_states_.push_back(ngram_state);
    contexts_.insert(contexts_.end(), context, context + context_width_);
  }
  return state;
}

// Appends a model's context of a state and the words that follow.
void LmStates::add_line(std::size_t model, std::uint32_t state, std::uint32_t phrase,
                        std::vector<std::int32_t>& line) const {
  const std::int32_t* before = words(state) + context_offsets_[model];
  line.insert(line.end(), before, before + (*neural_)[model]->context());
  const auto after = this->phrase(phrase).words(model);
  line.insert(line.end(), after.begin(), after.end());
}

NgramStates::Step LmStates::ngram_step(std::uint32_t state, std::uint32_t phrase) {
  if (phrase != kEnd) return ngrams_.extend(ngram_states_[state], phrase);
  return {0, ngrams_.finish(ngram_states_[state])};
}

LmStates::Cached& LmStates::lookup(std::uint32_t state, std::uint32_t phrase) {
  const auto [step, made] = steps_.emplace((std::uint64_t{state} << 32) | phrase);
  if (!made) return *step;
  const NgramStates::Step ngram = ngram_step(state, phrase);
  float score = ngram.score;
  bool exact = true;
  for (std::size_t m = 0; m < neural_->size(); ++m) {
    const bool now = (*neural_)[m]->cheap() || this->phrase(phrase).words(m).length == 0;
    exact = exact && now;
    score += weights_[m] * (now ? neural_score(m, state, phrase, false)
                                : this->phrase(phrase).neural_isolated[m]);
  }
  return *step = {score, ngram.state, exact};
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
    const auto after = phrase.words(m);
    std::int32_t* next = next_context_.data() + context_offsets_[m];
    const std::size_t added = std::min(context, after.length);
    std::copy_n(before + context_offsets_[m] + added, context - added, next);
    std::copy_n(after.end() - added, added, next + context - added);
  }
  return intern(ngram_state, next_context_.data());
}

void LmStates::settle(const std::vector<Request>& requests, std::vector<Step>& steps) {
  steps.clear();
  if (neural_->empty()) {
    for (const Request& request : requests) steps.push_back(extend(request));
    return;
  }
  steps_.reserve(2 * requests.size());  // which tasks point into
  tasks_.clear();
  settled_.clear();
  for (const Request& request : requests) {
    const Cached* step = add_task(request.state, request.phrase);
    const Cached* end = request.last ? add_task(arrive_all(request, step->arrival), kEnd) : nullptr;
    settled_.emplace_back(step, end);
  }
  for (std::size_t m = 0; m < neural_->size() && !tasks_.empty(); ++m) settle_model(m);
  for (const auto& [step, end] : settled_) {
    steps.push_back({end ? step->score + end->score : step->score, true, step->arrival});
  }
}

// The step of a phrase after a state, to be made exact unless it is.
LmStates::Cached* LmStates::add_task(std::uint32_t state, std::uint32_t phrase) {
  Cached& step = lookup(state, phrase);
  if (!step.exact) {
    step.exact = 1;
    step.score = ngram_step(state, phrase).score;  // to which the neural models add
    tasks_.push_back({state, phrase, &step});
  }
  return &step;
}

void LmStates::settle_model(std::size_t m) {
  const NeuralLm& model = *(*neural_)[m];
  const auto context = static_cast<std::size_t>(model.context());
  line_.clear();
  for (const Task& task : tasks_) add_line(m, task.state, task.phrase, line_);
  events_.clear();
  const std::int32_t* at = line_.data();
  for (const Task& task : tasks_) {
    for (std::size_t i = 0; i < phrase(task.phrase).words(m).length; ++i, ++at) {
      events_.push_back({at, at[context], 0});
    }
    at += context;
  }
  model.score(events_.data(), events_.size(), workspaces_[m]);
  const NeuralLm::Event* event = events_.data();
  for (const Task& task : tasks_) {
    float sum = 0;
    for (std::size_t i = 0; i < phrase(task.phrase).words(m).length; ++i) sum += event++->score;
    task.step->score += weights_[m] * sum;
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
