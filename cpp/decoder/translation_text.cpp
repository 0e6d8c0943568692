#include "translation_text.h"

#include "text.h"

namespace nlmt::decoder {
namespace {

void append_range(std::size_t first, std::size_t last, bool open, std::string& text) {
  text += std::to_string(first);
  if (open) {
    text += '-';
    text += std::to_string(last);
  }
}

void append_features(const Model& model, const float* values, float total, bool labels,
                     std::string& text) {
  for (const Printed& feature : model.printed()) {
    if (labels) {
      text += ' ';
      text += feature.label;
      text += '=';
    }
    for (const std::size_t offset : feature.offsets) {
      text += ' ';
      append_number(values ? values[offset] + 0.0f : 0.0f, text);  // not -0
    }
  }
  text += " ||| ";
  append_number(total + 0.0f, text);
}

void append_phrase(const SentenceOptions& options, const PreparedOption& prepared,
                   std::string& text) {
  for (std::uint32_t i = 0; i < prepared.length; ++i) {
    text += options.spelling(prepared.words[i]);
    text += ' ';
  }
}

// " 0=0 1-2=1-3": source words and target words of each phrase.
void append_segmentation(const Searcher& searcher, const Translation& translation,
                         std::string& text) {
  std::size_t target = 0;
  for (const Translation::Step& step : translation.steps) {
    const Option& option = searcher.options().option(step.option);
    const std::size_t length = option.prepared->length;
    text += ' ';
    append_range(option.begin, option.end - 1, option.end - option.begin > 1, text);
    text += '=';
    append_range(target, target + length - 1, length > 1, text);
    target += length;
  }
}

}  // namespace

void append_words(const Searcher& searcher, const Translation& translation, std::string& text) {
  const SentenceOptions& options = searcher.options();
  for (const Translation::Step& step : translation.steps) {
    append_phrase(options, *options.option(step.option).prepared, text);
  }
}

void append_traced_words(const Searcher& searcher, const Translation& translation,
                         std::string& text) {
  const SentenceOptions& options = searcher.options();
  for (const Translation::Step& step : translation.steps) {
    const Option& option = options.option(step.option);
    append_phrase(options, *option.prepared, text);
    text += '|';
    append_range(option.begin, option.end - 1, true, text);
    text += "| ";
  }
}

std::vector<std::pair<std::size_t, std::size_t>> aligned_words(const Searcher& searcher,
                                                               const Option& option) {
  const PreparedOption& prepared = *option.prepared;
  std::vector<std::pair<std::size_t, std::size_t>> aligned;
  if (prepared.table == PreparedOption::kUnknownWord) {
    if (prepared.length) aligned.emplace_back(0, 0);
    return aligned;
  }
  if (prepared.table == PreparedOption::kMarkup) return aligned;
  const PhraseTable& table = *searcher.model().tables()[prepared.table];
  const TableEntry& entry = table.entry(prepared.entry);
  const AlignmentPoint* points = table.alignment(entry);
  for (int i = 0; i < entry.alignment_points; ++i) {
    aligned.emplace_back(points[i].source, points[i].target);
  }
  return aligned;
}

void append_alignment(const Searcher& searcher, const Translation& translation, std::string& text) {
  const SentenceOptions& options = searcher.options();
  std::size_t target = 0;
  for (const Translation::Step& step : translation.steps) {
    const Option& option = options.option(step.option);
    for (const auto& [from, to] : aligned_words(searcher, option)) {
      append_range(option.begin + from, target + to, true, text);
      text += ' ';
    }
    target += option.prepared->length;
  }
}

void append_nbest_line(const Searcher& searcher, const Translation& translation,
                       std::size_t sentence, const OutputOptions& options, std::string& text) {
  text += std::to_string(sentence);
  text += " ||| ";
  append_words(searcher, translation, text);
  text += " |||";
  append_features(searcher.model(), translation.values.data(), translation.total, options.labels,
                  text);
  if (options.segmentation) {
    text += " |||";
    append_segmentation(searcher, translation, text);
  }
  if (options.alignment) {
    text += " ||| ";
    append_alignment(searcher, translation, text);
  }
  text += '\n';
}

void append_empty_nbest_line(const Model& model, std::size_t sentence, const OutputOptions& options,
                             std::string& text) {
  text += std::to_string(sentence);
  text += " |||  |||";
  append_features(model, nullptr, 0, options.labels, text);
  if (options.segmentation) text += " |||";
  if (options.alignment) text += " ||| ";
  text += '\n';
}

}  // namespace nlmt::decoder
