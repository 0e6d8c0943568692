#include "options.h"

#include <algorithm>
#include <limits>

namespace nlmt::decoder {
void SentenceOptions::build(const Model& model, const std::vector<std::string_view>& tokens,
                            bool drop_unknown, std::size_t limit, LmStates& states) {
  model_ = &model;
  words_ = tokens.size();
  options_.clear();
  spans_.clear();
  first_span_.assign(1, 0);
  columns_.clear();
  own_.clear();
  new_ids_.clear();
  new_words_.clear();
  by_words_.clear();
  by_forward_.clear();

  std::vector<WordId> ids;
  for (const std::string_view token : tokens) ids.push_back(model.vocabulary().find(token));
  std::vector<std::uint32_t> nodes(model.tables().size());
  for (std::size_t begin = 0; begin < words_; ++begin) {
    std::fill(nodes.begin(), nodes.end(), 0);
    for (std::size_t end = begin + 1; end <= words_; ++end) {
      bool alive = false;
      const std::size_t first = options_.size();
      for (std::size_t t = 0; t < nodes.size(); ++t) {
        if (nodes[t] == PhraseTrie::kNone) continue;
        const WordId word = ids[end - 1];
        nodes[t] = word == kNoWord ? PhraseTrie::kNone
                                   : model.tables()[t]->sources().child(nodes[t], word);
        if (nodes[t] == PhraseTrie::kNone) continue;
        alive = true;
        const auto [from, to] = model.tables()[t]->entries(nodes[t]);
        if (from == to) continue;
        for (const PreparedOption& prepared :
             model.prepared(t, nodes[t], states.workspaces(), own_).options) {
          add_option(prepared, begin, end, states);
        }
      }
      if (end == begin + 1 && options_.size() == first) {
        add_unknown(begin, tokens[begin], drop_unknown, states);
      }
      if (!alive && end > begin + 1) break;
      close_span(first, limit);
      if (!alive) break;
    }
    first_span_.push_back(spans_.size());
  }
  estimate_future();
}

void SentenceOptions::add_option(const PreparedOption& prepared, std::size_t begin, std::size_t end,
                                 LmStates& states) {
  const std::uint32_t lm_phrase = by_words_.number(prepared);
  if (lm_phrase == states.phrases()) states.add_phrase(prepared.lm);
  options_.push_back({&prepared, static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end),
                      lm_phrase, by_forward_.number(prepared)});
}

void SentenceOptions::add_unknown(std::size_t position, std::string_view token, bool drop,
                                  LmStates& states) {
  // Moses keeps a number even where unknown words are dropped.
  const bool keep = !drop || token.find_first_of("0123456789") != std::string_view::npos;
  WordId id = model_->vocabulary().find(token);
  if (id == kNoWord) {
    id = static_cast<WordId>(model_->vocabulary().size() + new_words_.size());
    for (std::size_t i = 0; i < new_words_.size(); ++i) {
      if (new_words_[i] == token) id = static_cast<WordId>(model_->vocabulary().size() + i);
    }
    if (id == model_->vocabulary().size() + new_words_.size()) new_words_.push_back(token);
  }
  new_ids_.push_back(id);
  own_.push_back(model_->unknown_word(token, &new_ids_.back(), keep ? 1 : 0, states.workspaces()));
  add_option(own_.back()->options.front(), position, position + 1, states);
}

void SentenceOptions::close_span(std::size_t first, std::size_t limit) {
  const auto begin = options_.begin() + static_cast<std::ptrdiff_t>(first);
  if (model_->tables().size() > 1) {
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

std::uint32_t SentenceOptions::columns_of(std::size_t begin, std::size_t end, Relation relation) {
  Span& span = spans_[first_span_[begin] + (end - begin - 1)];
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
void SentenceOptions::estimate_future() {
  const std::size_t n = words_;
  future_.assign(n * n, -std::numeric_limits<float>::infinity());
  for (std::size_t begin = n; begin-- > 0;) {
    float* row = future_.data() + begin * n;
    for (std::size_t length = 1; length <= longest(begin); ++length) {
      const Span& span = spans_[first_span_[begin] + length - 1];
      for (std::uint32_t o = span.first; o < span.first + span.count; ++o) {
        row[begin + length - 1] =
            std::max(row[begin + length - 1], options_[o].prepared->future_score());
      }
    }
    // row[join] is final when its turn comes: all its own splits lie to the left.
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
