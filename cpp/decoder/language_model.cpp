#include "language_model.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <sstream>

#include "files.h"
#include "lm/model.hh"
#include "util/file_piece.hh"

namespace nlmt::decoder {
namespace {

// As n-grams are distinct, no compressed file has more of them per byte than this.
constexpr unsigned long long kMostOfAByte = 64;

// Refuses counts of an ARPA file, compressed or not, of more n-grams than its size allows: KenLM
// would allocate memory for them, or overflow 64 bits. Lets std::exception of KenLM's reader pass.
void check_counts(const std::string& path, unsigned long long size) {
  util::FilePiece file(path.c_str());
  StringPiece piece;
  for (int number = 1; file.ReadLineOrEOF(piece); ++number) {
    const std::string line(piece.data(), std::min<std::size_t>(piece.size(), 256));
    const bool blank = line.find_first_not_of(" \t") == std::string::npos;
    // KenLM allows comments before the counts.
    if (blank || line[0] == '#' || line.rfind("\\data\\", 0) == 0) continue;
    if (line.rfind("ngram ", 0) != 0) return;  // the first n-grams, or no ARPA file
    const char* count = std::strchr(line.c_str(), '=');
    if (count &&
        (std::strchr(count, '-') || std::strtoull(count + 1, nullptr, 10) > kMostOfAByte * size)) {
      throw InputError("no number of n-grams", path, number);
    }
  }
}

// KenLM's description of a file's fault, in one line, as `reason` in nlmt.ngram.files.
std::string reason(const std::exception& error) {
  std::string what = error.what();
  // The place in KenLM's code and the condition that failed there.
  const std::size_t end = what.find(".\n");
  if (end != what.npos && what.find(" threw ") < end) what.erase(0, end + 2);
  what.erase(std::min(what.rfind(" Byte: "), what.size()));
  std::replace(what.begin(), what.end(), '\n', ' ');
  return what;
}

}  // namespace

KenLm::KenLm(const std::string& path) {
  const std::uint64_t size = file_size(path);
  std::ostringstream messages;
  lm::ngram::Config config;
  config.messages = &messages;
  config.show_progress = false;
  config.arpa_complain = lm::ngram::Config::NONE;
  config.load_method = util::POPULATE_OR_READ;
  try {
    check_counts(path, size);
    model_.reset(lm::ngram::LoadVirtual(path.c_str(), config));
  } catch (const InputError&) {
    throw;
  } catch (const std::bad_alloc&) {  // says nothing of the file
    throw;
  } catch (const std::exception& error) {
    throw InputError("KenLM cannot read it: " + reason(error), path);
  }
  lacks_unknown_ = messages.str().find("missing <unk>") != std::string::npos;
}

KenLm::Phrase KenLm::prepare(const std::vector<lm::WordIndex>& words, float beside) const {
  Phrase phrase{};
  const std::size_t context = std::min<std::size_t>(order() - 1, words.size());
  phrase.contextual = static_cast<std::uint8_t>(context);
  phrase.fixed_end = words.size() >= static_cast<std::size_t>(order() - 1);
  std::copy_n(words.begin(), context, phrase.words.begin());
  lm::ngram::State state = *static_cast<const lm::ngram::State*>(model_->NullContextMemory());
  std::array<float, kMaxContext> upto{};  // score of the words up to and with this one
  float sum = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    sum += log10_score(state, words[i], phrase.end);
    state = phrase.end;
    if (i < context) upto[i] = sum;
  }
  phrase.end = state;
  for (std::size_t i = 0; i < context; ++i) phrase.rest[i] = kLn10 * (sum - upto[i]) + beside;
  phrase.isolated = kLn10 * sum + beside;
  return phrase;
}

float KenLm::printed_score(const lm::ngram::State& in, const Phrase& phrase, bool last) const {
  lm::ngram::State states[2];
  const lm::ngram::State* now = &in;
  float sum = 0;
  for (int i = 0; i < phrase.contextual; ++i) {
    sum += log10_score(*now, phrase.words[i], states[i & 1]);
    now = &states[i & 1];
  }
  if (last) sum += log10_finish(phrase.fixed_end ? phrase.end : *now);
  const float inside = phrase.contextual ? phrase.rest[phrase.contextual - 1] : phrase.isolated;
  return inside + kLn10 * sum;
}

void NgramStates::ModelStates::start(const KenLm& model) {
  states.clear();
  numbers.clear();
  words.clear();
  intern(model.begin());
}

std::uint32_t NgramStates::ModelStates::intern(const lm::ngram::State& wanted) {
  std::uint64_t hash = wanted.length;
  for (int i = 0; i < wanted.length; ++i) hash = combine(hash, wanted.words[i]);
  const std::uint32_t state =
      numbers.intern(hash, [&](std::uint32_t other) { return states[other] == wanted; });
  if (state == states.size()) states.push_back(wanted);
  return state;
}

NgramStates::Step NgramStates::ModelStates::add_word(const KenLm& model, std::uint32_t state,
                                                     lm::WordIndex word) {
  const auto [step, made] = words.emplace((std::uint64_t{state} << 32) | word);
  if (made) {
    lm::ngram::State next;
    const float score = model.score(states[state], word, next);
    *step = {intern(next), score};
  }
  return *step;
}

NgramStates::Step NgramStates::ModelStates::add_phrase(const KenLm& model, std::uint32_t state,
                                                       const KenLm::Phrase& phrase) {
  if (!phrase.contextual) {
    // No words, or a unigram model.
    return {phrase.fixed_end ? intern(phrase.end) : state, phrase.isolated};
  }
  float sum = 0;
  int scored = 0;
  do {
    const Step step = add_word(model, state, phrase.words[scored++]);
    sum += step.score;
    state = step.state;
    // Nothing before the phrase matters from a state of its own words.
  } while (scored < phrase.contextual && states[state].length > scored);
  const bool whole = scored == phrase.contextual && !phrase.fixed_end;
  return {whole ? state : intern(phrase.end), sum + phrase.rest[scored - 1]};
}

void NgramStates::start(const std::vector<std::unique_ptr<KenLm>>& models, const float* weights) {
  models_ = &models;
  weights_ = weights;
  phrases_.clear();
  finished_.clear();
  numbers_.clear();
  steps_.clear();
  joint_.clear();
  of_models_.resize(models.size());
  for (std::size_t m = 0; m < models.size(); ++m) of_models_[m].start(*models[m]);
  joint_.resize(models.size());
  intern_last();
}

// Numbers the joint state at the end of joint_, where it stays if it is new.
std::uint32_t NgramStates::intern_last() {
  const std::size_t models = models_->size(), known = numbers_.size();
  const std::uint32_t* last = joint_.data() + joint_.size() - models;
  std::uint64_t hash = models;
  for (std::size_t m = 0; m < models; ++m) hash = combine(hash, last[m]);
  const std::uint32_t state = numbers_.intern(
      hash, [&](std::uint32_t other) { return std::equal(last, last + models, joint(other)); });
  if (state < known) joint_.resize(joint_.size() - models);
  return state;
}

NgramStates::Step NgramStates::extend(std::uint32_t state, std::uint32_t phrase) {
  if (models_->empty()) return {0, 0};
  const auto [step, made] = steps_.emplace((std::uint64_t{state} << 32) | phrase);
  if (!made) return *step;
  *step = {0, 0};
  for (std::size_t m = 0; m < models_->size(); ++m) {
    const Step own =
        of_models_[m].add_phrase(*(*models_)[m], own_state(m, state), phrases_[phrase][m]);
    step->score += weights_[m] * own.score;
    step->state = own.state;
    if (models_->size() > 1) joint_.push_back(own.state);
  }
  if (models_->size() > 1) step->state = intern_last();
  return *step;
}

float NgramStates::finish(std::uint32_t state) {
  if (state >= finished_.size()) {
    finished_.resize(state + 1, std::numeric_limits<float>::quiet_NaN());
  }
  if (std::isnan(finished_[state])) {
    float sum = 0;
    for (std::size_t m = 0; m < models_->size(); ++m) {
      sum += weights_[m] * (*models_)[m]->finish(state_of(m, state));
    }
    finished_[state] = sum;
  }
  return finished_[state];
}

}  // namespace nlmt::decoder
