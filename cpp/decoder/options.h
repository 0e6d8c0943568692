// The tables' options for one sentence, and lower bounds on the cost of the rest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "lm_states.h"
#include "markup.h"
#include "model.h"
#include "word_table.h"

namespace nlmt::decoder {

// A translation of the source words [begin, end).
struct Option {
  const PreparedOption* prepared;
  std::uint16_t begin, end;
  std::uint32_t lm_phrase;      // equal for equal words and tuples
  std::uint32_t forward_class;  // equal for equal forward reordering scores
};

// The options of one span as the search goes through them, best first.
struct Column {
  float score;  // weighted, without the language models
  std::uint32_t option;
};

// Numbers options such that options that `Equality` considers equal have equal numbers.
template <class Equality>
class EqualOptions {
 public:
  void clear() {
    members_.clear();
    numbers_.clear();
  }

  std::uint32_t number(const PreparedOption& option) {
    const std::uint32_t number = numbers_.intern(Equality::hash(option), [&](std::uint32_t other) {
      return Equality::equal(*members_[other], option);
    });
    if (number == members_.size()) members_.push_back(&option);
    return number;
  }

 private:
  std::vector<const PreparedOption*> members_;
  Interner numbers_;
};

// Language models score such options alike.
struct EqualUnits {
  static std::uint64_t hash(const PreparedOption& option) {
    std::uint64_t hash = mix(option.hash);
    for (const Unit unit : option.source_units) hash = combine(hash, unit);
    return hash;
  }
  static bool equal(const PreparedOption& a, const PreparedOption& b) {
    return a.length == b.length && std::equal(a.words, a.words + a.length, b.words) &&
           std::equal(a.source_units.begin(), a.source_units.end(), b.source_units.begin(),
                      b.source_units.end());
  }
};

// Hypotheses that end in options with equal forward scores continue alike. Weighted scores would
// not do: with a weight of 0 they are equal even if features, which n-best lists show, differ.
struct EqualForward {
  static std::uint64_t hash(const PreparedOption& option) {
    return hash_bytes({reinterpret_cast<const char*>(option.forward_scores),
                       option.forward_count * sizeof(float)});
  }
  static bool equal(const PreparedOption& a, const PreparedOption& b) {
    return std::equal(a.forward_scores, a.forward_scores + a.forward_count, b.forward_scores);
  }
};

// A table as a source of translations, in the order of the decoding paths.
struct DecodingPath {
  std::size_t table;
  // For the first path and with 0: all spans. Else those of up to so many words for which earlier
  // paths have no translation.
  std::size_t backoff;
};

struct OptionSettings {
  std::vector<DecodingPath> paths;
  std::size_t span_limit = 50;  // options a source span; 0: all
  bool drop_unknown = false;
  MarkupPolicy markup = MarkupPolicy::kPassThrough;
};

class SentenceOptions {
 public:
  static constexpr std::size_t kMaxWords = 4096;

  struct Span {
    std::uint32_t first = 0, count = 0;  // of its options
    std::int32_t columns[kRelations] = {-1, -1, -1, -1};
  };

  // `tokens` and `markup` must live as long as the options are used. Calls `poll`, which may throw,
  // now and then.
  void build(const Model& model, const OptionSettings& settings,
             const std::vector<std::string_view>& tokens, const Markup& markup, LmStates& states,
             const std::function<void()>& poll);

  std::size_t words() const { return words_; }
  std::size_t size() const { return options_.size(); }
  const Option& option(std::uint32_t number) const { return options_[number]; }
  // The span of the words [begin, end), of which there are at most longest(begin).
  Span& span(std::size_t begin, std::size_t end) {
    return spans_[first_span_[begin] + (end - begin - 1)];
  }
  std::size_t longest(std::size_t begin) const {
    return first_span_[begin + 1] - first_span_[begin];
  }
  // The options of a span in a relation: offset into columns(); made at the first call.
  std::uint32_t columns_of(Span& span, Relation relation);
  const Column* columns() const { return columns_.data(); }
  // Best score of the words [begin, end) by the tables and by models without context.
  float future(std::size_t begin, std::size_t end) const {
    return future_[begin * words_ + end - 1];
  }
  // Spelling of a word of a target phrase.
  std::string_view spelling(WordId id) const {
    const std::size_t known = model_->vocabulary().size();
    return id < known ? model_->vocabulary().word(id)
                      : new_words_.word(static_cast<std::int32_t>(id - known));
  }

 private:
  void add_option(const PreparedOption& prepared, std::size_t begin, std::size_t end,
                  LmStates& states);
  void add_own(PreparedOption option, const std::vector<std::string_view>& words, std::size_t begin,
               std::size_t end, LmStates& states);
  void add_unknown(std::size_t position, std::string_view token, bool drop, LmStates& states);
  void add_markup(const MarkupSpan& span, const std::vector<std::uint32_t>& nodes,
                  const std::vector<DecodingPath>& paths, LmStates& states);
  std::shared_ptr<const PreparedPhrase> prepared(std::size_t table, std::uint32_t node,
                                                 std::size_t begin, std::size_t end,
                                                 LmStates& states) const;
  bool markup_allows(MarkupPolicy policy, const PreparedOption& prepared, std::size_t begin,
                     std::size_t end) const;
  WordId word_id(std::string_view word);
  void close_span(std::size_t first, std::size_t limit);
  void estimate_future(const std::function<void()>& poll);

  const Model* model_ = nullptr;
  const Markup* markup_ = nullptr;
  const std::vector<std::string_view>* tokens_ = nullptr;
  std::vector<WordId> source_;  // the tokens; kNoWord for those that no table has
  std::size_t words_ = 0;
  std::vector<Option> options_;
  std::vector<Span> spans_;
  std::vector<std::size_t> first_span_;  // by first word; one more at the end
  std::vector<Column> columns_;
  std::vector<float> future_;  // (words, words); [begin][last word]
  std::vector<std::shared_ptr<const PreparedPhrase>> used_;
  std::deque<std::vector<WordId>> own_words_;
  WordTable new_words_;  // that no table has
  EqualOptions<EqualUnits> by_units_;
  EqualOptions<EqualForward> by_forward_;
};

}  // namespace nlmt::decoder
