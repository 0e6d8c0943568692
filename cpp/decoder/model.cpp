#include "model.h"

#include <algorithm>
#include <numeric>

#include "tuple_units.h"

namespace nlmt::decoder {
namespace {

// About 280 MB of prepared translations.
constexpr std::size_t kMaxPreparedOptions = 1'000'000;
constexpr std::uint64_t kHashBase = 0x9ddfea08eb382d69ULL;

float sum_at(const std::vector<float>& weights, const std::vector<std::size_t>& offsets) {
  float sum = 0;
  for (const std::size_t offset : offsets) sum += weights[offset];
  return sum;
}

}  // namespace

Model::Model(const std::vector<FeatureSpec>& specs, int threads) : prepared_(kMaxPreparedOptions) {
  load(specs, threads);
  make_units(specs);
  set_weights(std::vector<float>(count_, 0));
}

void Model::set_printed(const std::vector<bool>& values) {
  printed_.clear();
  for (const bool stateless : {false, true}) {
    for (const Feature& feature : features_) {
      const bool own = feature.kind == "WordPenalty" || feature.kind == "PhrasePenalty" ||
                       feature.kind == "UnknownWordPenalty" ||
                       feature.kind == "PhraseDictionaryMemory";
      if (own != stateless) continue;
      Printed printed{feature.label, {}};
      for (std::size_t i = feature.offset; i < feature.offset + feature.width; ++i) {
        if (values.at(i)) printed.offsets.push_back(i);
      }
      if (!printed.offsets.empty()) printed_.push_back(std::move(printed));
    }
  }
}

std::size_t Model::add_feature(const FeatureSpec& spec, std::size_t width) {
  features_.push_back({spec.kind, spec.label, count_, width});
  count_ += width;
  return features_.back().offset;
}

// A binary table numbers its words; other words follow.
std::shared_ptr<const BinaryTable> Model::map_binary(const std::vector<FeatureSpec>& specs) {
  std::shared_ptr<const BinaryTable> binary;
  for (const FeatureSpec& spec : specs) {
    if (spec.kind != "PhraseDictionaryMemory" || !BinaryTable::recognises(spec.path)) continue;
    if (binary) {
      throw InputError("a second binary table", spec.path, 0,
                       "one model can have one; the others must be text");
    }
    binary = std::make_shared<BinaryTable>(spec.path);
    vocabulary_.begin_with(*binary);
  }
  return binary;
}

void Model::load(const std::vector<FeatureSpec>& specs, int threads) {
  const std::shared_ptr<const BinaryTable> binary = map_binary(specs);
  std::vector<const FeatureSpec*> later;  // reordering tables need the phrase tables
  for (const FeatureSpec& spec : specs) {
    if (spec.kind == "UnknownWordPenalty") {
      unknown_offsets_.push_back(add_feature(spec, 1));
    } else if (spec.kind == "WordPenalty") {
      word_offsets_.push_back(add_feature(spec, 1));
    } else if (spec.kind == "PhrasePenalty") {
      phrase_offsets_.push_back(add_feature(spec, 1));
    } else if (spec.kind == "Distortion") {
      distortion_offsets_.push_back(add_feature(spec, 1));
    } else if (spec.kind == "KENLM" || spec.kind == "ClassLM") {
      lm_offsets_.push_back(add_feature(spec, 1));
      lms_.push_back(std::make_unique<KenLm>(spec.path));
      if (lms_.back()->lacks_unknown()) {
        warnings_.push_back(spec.path + ": no <unk>: KenLM gives unknown words log10 p = -100");
      }
    } else if (spec.kind == "NeuralLM") {
      neural_offsets_.push_back(add_feature(spec, 1));
      neural_lms_.push_back(std::make_unique<NeuralLm>(spec.neural));
    } else if (spec.kind == "LexicalReordering") {
      const std::size_t width = ReorderingType(spec.type).width();
      if (spec.width && spec.width != width) {
        throw InputError(spec.label + " has num-features=" + std::to_string(spec.width) +
                             ", but its type " + spec.type + " has " + std::to_string(width),
                         "", 0, "correct one of them");
      }
      reorderings_.push_back({add_feature(spec, width), nullptr});
      later.push_back(&spec);
    } else if (spec.kind == "PhraseDictionaryMemory") {
      table_offsets_.push_back(add_feature(spec, spec.width));
      table_limits_.push_back(spec.table_limit);
      const TableFormat format{spec.path, spec.label, spec.width, true, true};
      tables_.push_back(
          binary && spec.path == binary->file().path()
              ? std::make_unique<PhraseTable>(format, binary)
              : std::make_unique<PhraseTable>(format, vocabulary_, threads, warnings_));
    } else {
      throw InputError("unknown feature " + spec.kind);
    }
  }
  std::vector<const PhraseTable*> tables;
  for (const auto& table : tables_) tables.push_back(table.get());
  for (std::size_t r = 0; r < reorderings_.size(); ++r) {
    const ReorderingType type(later[r]->type);
    reorderings_[r].table = std::make_unique<ReorderingTable>(
        later[r]->path, later[r]->label, type, tables, vocabulary_, threads, warnings_);
    forward_models_ += type.forward;
  }
}

// Called after loading, when the vocabulary has all words of the tables.
void Model::make_units(const std::vector<FeatureSpec>& specs) {
  for (const FeatureSpec& spec : specs) {
    if (spec.kind == "KENLM" || spec.kind == "ClassLM") {
      const KenLm& lm = *lms_[lm_units_.size()];
      lm_units_.push_back(units_of(spec, [&lm](std::string_view word) { return lm.find(word); }));
    } else if (spec.kind == "NeuralLM") {
      const NeuralLm& lm = *neural_lms_[neural_units_.size()];
      neural_units_.push_back(units_of(
          spec, [&lm](std::string_view word) { return static_cast<Unit>(lm.find(word)); }));
    }
  }
}

std::unique_ptr<const Units> Model::units_of(const FeatureSpec& spec, const FindUnit& find) const {
  if (spec.kind == "ClassLM") return std::make_unique<ClassUnits>(vocabulary_, find, spec.classes);
  if (spec.tuples) return std::make_unique<TupleUnits>(vocabulary_, find);
  return std::make_unique<WordUnits>(vocabulary_, find);
}

void Model::set_weights(std::vector<float> weights) {
  if (weights.size() != count_) throw std::invalid_argument("one weight for each value");
  weights_ = std::move(weights);
  unknown_weight_ = sum_at(weights_, unknown_offsets_);
  word_weight_ = sum_at(weights_, word_offsets_);
  phrase_weight_ = sum_at(weights_, phrase_offsets_);
  distortion_weight_ = sum_at(weights_, distortion_offsets_);
  lm_weights_.clear();
  for (const std::size_t offset : lm_offsets_) lm_weights_.push_back(weights_[offset]);
  neural_weights_.clear();
  for (const std::size_t offset : neural_offsets_) neural_weights_.push_back(weights_[offset]);
  prepared_.clear();
}

std::shared_ptr<const PreparedPhrase> Model::prepared(std::size_t table, std::uint32_t source,
                                                      const PhraseWords& words,
                                                      Workspaces& work) const {
  if (auto known = prepared_.find(table, source)) return known;
  std::shared_ptr<const PreparedPhrase> phrase = prepare(table, source, words, work);
  prepared_.add(table, source, phrase, phrase->options.size() + 1);
  return phrase;
}

std::unique_ptr<PreparedPhrase> Model::prepare(std::size_t t, std::uint32_t source,
                                               const PhraseWords& words, Workspaces& work) const {
  const PhraseTable& table = *tables_[t];
  table.check(source, words.length);
  const auto [first, last] = table.entries(source);
  const float* weights = weights_.data() + table_offsets_[t];
  PreparedPhrase all;
  for (std::size_t number = first; number < last; ++number) {
    const TableEntry& entry = table.entry(number);
    PreparedOption option{};
    option.table = static_cast<std::uint32_t>(t);
    option.entry = number;
    option.words = table.words(entry);
    option.length = entry.length;
    const float* scores = table.scores(number);
    option.base = phrase_weight_ - word_weight_ * static_cast<float>(entry.length);
    for (std::size_t i = 0; i < table.width(); ++i) option.base += weights[i] * scores[i];
    const PhraseWords target{option.words, nullptr, option.length};
    const auto links = static_cast<std::size_t>(entry.alignment_points);
    add_language_models(option, {words, target, table.alignment(entry), links}, all, work);
    all.options.push_back(option);
  }
  // Best first; equal ones as the table has them.
  std::vector<std::size_t> order(all.options.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t limit = table_limits_[t] ? table_limits_[t] : order.size();
  const std::size_t kept = std::min(limit, order.size());
  std::partial_sort(order.begin(), order.begin() + kept, order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const float x = all.options[a].future_score();
                      const float y = all.options[b].future_score();
                      return x != y ? x > y : a < b;
                    });
  auto phrase = std::make_unique<PreparedPhrase>();
  phrase->options.reserve(kept);
  phrase->lm.reserve(kept * lms_.size());
  for (std::size_t i = 0; i < kept; ++i) copy_option(all, order[i], *phrase);
  finish_phrase(*phrase);
  return phrase;
}

// Adds the language models' view of an option that is about to be added to the phrase.
void Model::add_language_models(PreparedOption& option, const OptionText& text,
                                PreparedPhrase& phrase, Workspaces& work) const {
  std::vector<Unit> units, of_source;
  const auto see = [&](const Units& model) {
    units.clear();
    const float beside = model.append(text, units);
    if (model.needs_source()) of_source.insert(of_source.end(), units.begin(), units.end());
    return beside;
  };
  for (std::size_t m = 0; m < lms_.size(); ++m) {
    const float beside = see(*lm_units_[m]);
    phrase.lm.push_back(lms_[m]->prepare(units, beside));
    option.estimate += lm_weights_[m] * phrase.lm.back().isolated;
  }
  for (std::size_t m = 0; m < neural_lms_.size(); ++m) {
    see(*neural_units_[m]);
    const std::vector<std::int32_t> words(units.begin(), units.end());
    phrase.neural.append(words);
    phrase.neural_isolated.push_back(neural_lms_[m]->isolated(words.data(), words.size(), work[m]));
    option.estimate += neural_weights_[m] * phrase.neural_isolated.back();
  }
  phrase.source_units.append(of_source);
}

// Appends an option of `from` to another phrase.
void Model::copy_option(const PreparedPhrase& from, std::size_t number, PreparedPhrase& to) const {
  to.options.push_back(from.options[number]);
  const auto lm = from.lm.begin() + number * lms_.size();
  to.lm.insert(to.lm.end(), lm, lm + lms_.size());
  for (std::size_t i = number * neural_lms_.size(); i < (number + 1) * neural_lms_.size(); ++i) {
    to.neural.append(from.neural[i]);
    to.neural_isolated.push_back(from.neural_isolated[i]);
  }
  to.source_units.append(from.source_units[number]);
}

// Fills in data that depends on the position of the language models' part.
void Model::finish_phrase(PreparedPhrase& phrase) const {
  const std::size_t forward_count = forward_models_ * kRelations;
  phrase.forward_scores.assign(phrase.options.size() * forward_count, 0);
  for (std::size_t i = 0; i < phrase.options.size(); ++i) {
    PreparedOption& option = phrase.options[i];
    option.lm = {phrase.lm.data() + i * lms_.size(), &phrase.neural, i * neural_lms_.size(),
                 phrase.neural_isolated.data() + i * neural_lms_.size()};
    option.source_units = phrase.source_units[i];
    option.forward_count = static_cast<std::uint32_t>(forward_count);
    finish_option(option, phrase.forward_scores.data() + i * forward_count);
  }
}

std::unique_ptr<PreparedPhrase> Model::prepare_own(PreparedOption option, const OptionText& text,
                                                   Workspaces& work) const {
  auto phrase = std::make_unique<PreparedPhrase>();
  option.base = phrase_weight_ - word_weight_ * static_cast<float>(option.length);
  if (option.table == PreparedOption::kMarkup) {
    // Moses spreads the single probability over the scores of the first table.
    const std::size_t width = tables_.front()->width();
    for (std::size_t i = 0; i < width; ++i) {
      option.base +=
          weights_[table_offsets_.front() + i] * option.given / static_cast<float>(width);
    }
  } else {
    option.base += kFloor * unknown_weight_;
  }
  add_language_models(option, text, *phrase, work);
  phrase->options.push_back(option);
  finish_phrase(*phrase);
  return phrase;
}

void Model::finish_option(PreparedOption& option, float* forward_scores) const {
  option.forward_scores = forward_scores;
  option.hash_power = 1;
  for (std::uint32_t i = 0; i < option.length; ++i) {
    option.hash = option.hash * kHashBase + mix(option.words[i] + 1);
    option.hash_power *= kHashBase;
  }
  for (const Reordering& reordering : reorderings_) {
    const ReorderingType& type = reordering.table->type();
    const float* scores = reordering_scores(reordering, option);
    const float* weights = weights_.data() + reordering.offset;
    for (int r = 0; scores && r < kRelations; ++r) {
      const auto relation = static_cast<Relation>(r);
      if (type.backward) {
        const std::size_t i = type.backward_score(relation);
        option.backward[r] += weights[type.value(i)] * scores[i];
      }
      if (type.forward) {
        const std::size_t i = type.forward_score(relation);
        option.forward[r] += weights[type.value(i)] * scores[i];
        forward_scores[r] = scores[i];
      }
    }
    if (type.forward) forward_scores += kRelations;
  }
}

const float* Model::reordering_scores(const Reordering& reordering,
                                      const PreparedOption& option) const {
  if (option.table == PreparedOption::kUnknownWord) return nullptr;
  if (option.table == PreparedOption::kMarkup) {
    return option.equal ? reordering_scores(reordering, *option.equal) : nullptr;
  }
  return reordering.table->scores(option.table, option.entry);
}

void Model::add_phrase_features(const PreparedOption& option, float* values) const {
  for (const std::size_t offset : word_offsets_) values[offset] -= option.length;
  for (const std::size_t offset : phrase_offsets_) values[offset] += 1;
  if (option.table == PreparedOption::kUnknownWord) {
    for (const std::size_t offset : unknown_offsets_) values[offset] += kFloor;
    return;
  }
  if (option.table == PreparedOption::kMarkup) {
    const std::size_t width = tables_.front()->width();
    float* scores = values + table_offsets_.front();
    for (std::size_t i = 0; i < width; ++i) scores[i] += option.given / static_cast<float>(width);
    return;
  }
  const PhraseTable& table = *tables_[option.table];
  const float* scores = table.scores(option.entry);
  for (std::size_t i = 0; i < table.width(); ++i) {
    values[table_offsets_[option.table] + i] += scores[i];
  }
}

void Model::add_reordering_features(const PreparedOption* previous, const PreparedOption& option,
                                    Relation relation, float* values) const {
  for (const Reordering& reordering : reorderings_) {
    const ReorderingType& type = reordering.table->type();
    if (const float* scores = reordering_scores(reordering, option); scores && type.backward) {
      const std::size_t i = type.backward_score(relation);
      values[reordering.offset + type.value(i)] += scores[i];
    }
    if (!previous || !type.forward) continue;
    if (const float* scores = reordering_scores(reordering, *previous)) {
      const std::size_t i = type.forward_score(relation);
      values[reordering.offset + type.value(i)] += scores[i];
    }
  }
}

void Model::add_distortion(float distance, float* values) const {
  for (const std::size_t offset : distortion_offsets_) values[offset] -= distance;
}

}  // namespace nlmt::decoder
