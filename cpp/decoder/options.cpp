#include "options.h"

#include <algorithm>
#include <limits>

namespace nlmt::decoder {

void SentenceOptions::build(const Model& model, const OptionSettings& settings,
                            const std::vector<std::string_view>& tokens, const Markup& markup,
                            LmStates& states, const std::function<void()>& poll) {
  model_ = &model;
  markup_ = &markup;
  tokens_ = &tokens;
  words_ = tokens.size();
  options_.clear();
  spans_.clear();
  first_span_.assign(1, 0);
  columns_.clear();
  used_.clear();
  own_words_.clear();
  new_words_ = {};
  by_units_.clear();
  by_forward_.clear();

  source_.clear();
  for (const std::string_view token : tokens) source_.push_back(model.vocabulary().find(token));
  const auto& paths = settings.paths;
  const bool constrained =
      settings.markup == MarkupPolicy::kConstraint || settings.markup == MarkupPolicy::kExclusive;
  std::vector<std::uint32_t> nodes(paths.size());
  for (std::size_t begin = 0; begin < words_; ++begin) {
    std::fill(nodes.begin(), nodes.end(), 0);
    std::size_t marked = begin;  // where the last span of markup from here ends
    for (const MarkupSpan& span : markup.spans) {
      if (span.begin == begin) marked = std::max(marked, span.end);
    }
    for (std::size_t end = begin + 1; end <= words_; ++end) {
      poll();
      bool alive = end < marked;
      const std::size_t first = options_.size();
      for (std::size_t p = 0; p < nodes.size(); ++p) {
        if (nodes[p] == PhraseTrie::kNone) continue;
        const PhraseTable& table = *model.tables()[paths[p].table];
        const WordId word = source_[end - 1];
        nodes[p] = word == kNoWord ? PhraseTrie::kNone : table.child(nodes[p], word);
        if (nodes[p] == PhraseTrie::kNone) continue;
        alive = true;
        if (p > 0 && paths[p].backoff &&
            (end - begin > paths[p].backoff || options_.size() > first)) {
          continue;
        }
        const auto [from, to] = table.entries(nodes[p]);
        if (from == to) continue;
        used_.push_back(prepared(paths[p].table, nodes[p], begin, end, states));
        for (const PreparedOption& option : used_.back()->options) {
          if (constrained && !markup_allows(settings.markup, option, begin, end)) continue;
          add_option(option, begin, end, states);
        }
      }
      for (const MarkupSpan& span : markup.spans) {
        if (span.begin == begin && span.end == end) add_markup(span, nodes, paths, states);
      }
      if (end == begin + 1 && options_.size() == first) {
        add_unknown(begin, tokens[begin], settings.drop_unknown, states);
      }
      if (!alive && end > begin + 1 && end != marked) break;
      close_span(first, settings.span_limit);
      if (!alive) break;
    }
    first_span_.push_back(spans_.size());
  }
  estimate_future(poll);
}

// The translations of the words [begin, end), which a table has as this node.
std::shared_ptr<const PreparedPhrase> SentenceOptions::prepared(std::size_t table,
                                                                std::uint32_t node,
                                                                std::size_t begin, std::size_t end,
                                                                LmStates& states) const {
  const auto length = static_cast<std::uint32_t>(end - begin);
  const PhraseWords words{source_.data() + begin, nullptr, length};
  return model_->prepared(table, node, words, states.workspaces());
}

void SentenceOptions::add_option(const PreparedOption& prepared, std::size_t begin, std::size_t end,
                                 LmStates& states) {
  const std::uint32_t lm_phrase = by_units_.number(prepared);
  if (lm_phrase == states.phrases()) states.add_phrase(prepared.lm);
  options_.push_back({&prepared, static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end),
                      lm_phrase, by_forward_.number(prepared)});
}

void SentenceOptions::add_own(PreparedOption option, const std::vector<std::string_view>& words,
                              std::size_t begin, std::size_t end, LmStates& states) {
  std::vector<WordId>& ids = own_words_.emplace_back();
  for (const std::string_view word : words) ids.push_back(word_id(word));
  option.words = ids.data();
  option.length = static_cast<std::uint32_t>(ids.size());
  // A copied word is aligned with itself, as in n-best lists.
  constexpr AlignmentPoint kCopied{0, 0};
  const bool copied = option.table == PreparedOption::kUnknownWord && option.length;
  const OptionText text{{nullptr, tokens_->data() + begin, static_cast<std::uint32_t>(end - begin)},
                        {nullptr, words.data(), option.length},
                        &kCopied,
                        copied ? std::size_t{1} : std::size_t{0}};
  used_.push_back(model_->prepare_own(option, text, states.workspaces()));
  add_option(used_.back()->options.front(), begin, end, states);
}

void SentenceOptions::add_unknown(std::size_t position, std::string_view token, bool drop,
                                  LmStates& states) {
  PreparedOption option{};
  option.table = PreparedOption::kUnknownWord;
  // Moses keeps a number even if unknown words are dropped.
  const bool keep = !drop || token.find_first_of("0123456789") != std::string_view::npos;
  const std::vector<std::string_view> words(keep ? 1 : 0, token);
  add_own(option, words, position, position + 1, states);
}

void SentenceOptions::add_markup(const MarkupSpan& span, const std::vector<std::uint32_t>& nodes,
                                 const std::vector<DecodingPath>& paths, LmStates& states) {
  for (const MarkupSpan::Translation& given : span.translations) {
    const std::vector<std::string_view> words(given.words.begin(), given.words.end());
    PreparedOption option{};
    option.table = PreparedOption::kMarkup;
    option.given = given.score;
    // A reordering model knows the pair if a table does.
    for (std::size_t p = 0; p < nodes.size() && !option.equal; ++p) {
      if (nodes[p] == PhraseTrie::kNone) continue;
      used_.push_back(prepared(paths[p].table, nodes[p], span.begin, span.end, states));
      for (const PreparedOption& known : used_.back()->options) {
        const bool equal = known.length == words.size() &&
                           std::equal(words.begin(), words.end(), known.words,
                                      [&](std::string_view word, WordId id) {
                                        return model_->vocabulary().word(id) == word;
                                      });
        if (equal) option.equal = &known;
      }
    }
    add_own(option, words, span.begin, span.end, states);
  }
}

// Whether markup allows a translation from the tables.
bool SentenceOptions::markup_allows(MarkupPolicy policy, const PreparedOption& prepared,
                                    std::size_t begin, std::size_t end) const {
  for (const MarkupSpan& span : markup_->spans) {
    if (span.end <= begin || span.begin >= end) continue;
    if (policy == MarkupPolicy::kExclusive) return false;
    if (span.begin < begin || span.end > end) return false;
    const auto contained = [&](const MarkupSpan::Translation& given) {
      const WordId* const last = prepared.words + prepared.length;
      return std::search(prepared.words, last, given.words.begin(), given.words.end(),
                         [&](WordId id, const std::string& word) {
                           return model_->vocabulary().word(id) == word;
                         }) != last ||
             given.words.empty();
    };
    if (std::none_of(span.translations.begin(), span.translations.end(), contained)) return false;
  }
  return true;
}

WordId SentenceOptions::word_id(std::string_view word) {
  const WordId known = model_->vocabulary().find(word);
  if (known != kNoWord) return known;
  return static_cast<WordId>(model_->vocabulary().size()) +
         static_cast<WordId>(new_words_.add(word));
}

void SentenceOptions::close_span(std::size_t first, std::size_t limit) {
  const auto begin = options_.begin() + first;
  if (model_->tables().size() > 1 || !markup_->spans.empty()) {
    std::stable_sort(begin, options_.end(), [](const Option& a, const Option& b) {
      return a.prepared->future_score() > b.prepared->future_score();
    });
  }
  if (limit && options_.size() - first > limit) options_.resize(first + limit);
  Span span;
  span.first = static_cast<std::uint32_t>(first);
  span.count = static_cast<std::uint32_t>(options_.size() - first);
  spans_.push_back(span);
}

std::uint32_t SentenceOptions::columns_of(Span& span, Relation relation) {
  std::int32_t& made = span.columns[relation];
  if (made >= 0) return static_cast<std::uint32_t>(made);
  made = static_cast<std::int32_t>(columns_.size());
  for (std::uint32_t o = span.first; o < span.first + span.count; ++o) {
    const PreparedOption& prepared = *options_[o].prepared;
    columns_.push_back({prepared.base + prepared.backward[relation], o});
  }
  std::sort(columns_.begin() + made, columns_.end(), [&](const Column& a, const Column& b) {
    const float x = a.score + options_[a.option].prepared->estimate;
    const float y = b.score + options_[b.option].prepared->estimate;
    return x != y ? x > y : a.option < b.option;
  });
  return static_cast<std::uint32_t>(made);
}

// Koehn (2004): the best way to put a span together from options, as if in a context-free parse.
void SentenceOptions::estimate_future(const std::function<void()>& poll) {
  const std::size_t n = words_;
  future_.assign(n * n, -std::numeric_limits<float>::infinity());
  for (std::size_t begin = n; begin-- > 0;) {
    poll();
    float* row = future_.data() + begin * n;
    for (std::size_t length = 1; length <= longest(begin); ++length) {
      const Span& span = this->span(begin, begin + length);
      for (std::uint32_t o = span.first; o < span.first + span.count; ++o) {
        row[begin + length - 1] =
            std::max(row[begin + length - 1], options_[o].prepared->future_score());
      }
    }
    // row[join] is final when its turn comes: all its own splits are to the left.
    for (std::size_t join = begin; join + 1 < n; ++join) {
      const float left = row[join];
      const float* right = future_.data() + (join + 1) * n;
      for (std::size_t last = join + 1; last < n; ++last) {
        row[last] = std::max(row[last], left + right[last]);
      }
    }
  }
}

}  // namespace nlmt::decoder
