#include "graph_output.h"

#include <charconv>

#include "edge_scores.h"

namespace nlmt::decoder {
namespace {

constexpr int kShort = 3;  // decimals of search graphs
constexpr int kLong = 6;   // of hypergraphs and lattices

void append_fixed(double number, int decimals, std::string& text) {
  char digits[64];
  const char* end =
      std::to_chars(digits, digits + sizeof(digits), number, std::chars_format::fixed, decimals)
          .ptr;
  const std::string_view written(digits, static_cast<std::size_t>(end - digits));
  // No minus before a zero.
  const bool zero = written.find_first_not_of("-0.") == std::string_view::npos;
  text += zero && written.front() == '-' ? written.substr(1) : written;
}

void append_field(std::string_view name, std::size_t number, std::string& text) {
  text += name;
  text += std::to_string(number);
}

void append_words(const SentenceOptions& options, const PreparedOption& phrase, std::string& text) {
  for (std::uint32_t i = 0; i < phrase.length; ++i) {
    if (i) text += ' ';
    text += options.spelling(phrase.words[i]);
  }
}

std::vector<float> edge_values(const Searcher& searcher, std::uint32_t edge) {
  std::vector<float> values(searcher.model().feature_count() + 1, 0);
  add_edge_scores(searcher, edge, values.data());
  values.pop_back();
  return values;
}

// LM0, or TranslationModel0_2 where a feature has several values; in the model's order.
std::vector<std::string> value_names(const Model& model) {
  std::vector<std::string> names;
  for (const Feature& feature : model.features()) {
    for (std::size_t i = 1; i <= feature.width; ++i) {
      names.push_back(feature.width == 1 ? feature.label : feature.label + "_" + std::to_string(i));
    }
  }
  return names;
}

void append_forward(const ConnectedNode& node, std::string& text) {
  text += " forward=";
  text += node.forward == kNone ? "-1" : std::to_string(node.forward);
  text += " fscore=";
  append_fixed(node.rest, kShort, text);
}

void append_slf_head(const Model& model, std::size_t sentence, std::size_t nodes, std::size_t links,
                     std::string& text) {
  append_field("UTTERANCE=Sentence_", sentence, text);
  append_field("\nVERSION=1.1\nbase=2.71828182845905\nNODES=", nodes, text);
  append_field("\nLINKS=", links, text);
  append_field("\nstart=0\nend=", nodes - 1, text);
  text += '\n';
  const std::vector<std::string> names = value_names(model);
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += "# " + names[i];
    append_field("\nx", i + 1, text);
    text += "scale=";
    append_fixed(model.weights()[i], kLong, text);
    text += '\n';
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    append_field("I=", i, text);
    text += '\n';
  }
}

void append_slf_link(std::size_t number, std::size_t from, std::size_t to, std::string_view word,
                     const std::vector<float>& values, std::string& text) {
  append_field("J=", number, text);
  append_field(" S=", from, text);
  append_field(" E=", to, text);
  text += " W=";
  text += word;
  for (std::size_t i = 0; i < values.size(); ++i) {
    append_field(" x", i + 1, text);
    text += '=';
    append_fixed(values[i], kLong, text);
  }
  text += '\n';
}

}  // namespace

void append_search_graph(const Searcher& searcher, const std::vector<ConnectedNode>& nodes,
                         const std::vector<std::string_view>& tokens, std::size_t sentence,
                         bool extended, std::string& text) {
  const std::vector<Hypothesis>& all = searcher.graph().hypotheses();
  const std::string number = std::to_string(sentence);
  for (const ConnectedNode& node : nodes) {
    if (node.edges.empty()) {
      text += number + " hyp=0 stack=0";
      if (extended) append_forward(node, text);
      text += '\n';
    }
    for (const std::uint32_t edge : node.edges) {
      const Hypothesis& hypothesis = all[edge];
      const Option& option = searcher.options().option(hypothesis.option);
      text += number;
      append_field(" hyp=", edge, text);
      append_field(" stack=", node.covered, text);
      append_field(" back=", hypothesis.previous, text);
      text += " score=";
      append_fixed(hypothesis.score, kShort, text);
      text += " transition=";
      append_fixed(double{hypothesis.score} - all[hypothesis.previous].score, kShort, text);
      if (edge != node.hypothesis) append_field(" recombined=", node.hypothesis, text);
      append_forward(node, text);
      append_field(" covered=", option.begin, text);
      append_field("-", option.end - 1u, text);
      if (extended) {
        text += " scores=\"core=(";
        const std::vector<float> values = edge_values(searcher, edge);
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (i) text += ',';
          append_fixed(values[i], kShort, text);
        }
        text += ") \" out=\"";
        for (std::size_t i = option.begin; i < option.end; ++i) {
          if (i > option.begin) text += ' ';
          text += tokens[i];
        }
        text += '|';
        append_words(searcher.options(), *option.prepared, text);
        text += '"';
      } else {
        text += " out=";
        append_words(searcher.options(), *option.prepared, text);
      }
      text += '\n';
    }
  }
}

void append_empty_search_graph(std::size_t sentence, bool extended, std::string& text) {
  append_field("", sentence, text);
  text += " hyp=0 stack=0";
  if (extended) text += " forward=-1 fscore=0.000";
  text += '\n';
}

void append_hypergraph(const Searcher& searcher, const std::vector<ConnectedNode>& nodes,
                       std::string& text) {
  const std::vector<Hypothesis>& all = searcher.graph().hypotheses();
  const std::vector<std::string> names = value_names(searcher.model());
  std::vector<std::size_t> place(all.size(), 0);
  std::size_t edges = 2;  // <s> and </s>
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    place[nodes[i].hypothesis] = i;
    edges += nodes[i].edges.size();
  }
  append_field("# target ||| features ||| source-covered\n", nodes.size() + 1, text);
  append_field(" ", edges, text);
  text += "\n# node 0\n1\n<s> |||  ||| 0\n";
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    append_field("# node ", i, text);
    append_field("\n", nodes[i].edges.size(), text);
    text += '\n';
    for (const std::uint32_t edge : nodes[i].edges) {
      append_field("[", place[all[edge].previous], text);
      text += "] ";
      append_words(searcher.options(), *searcher.options().option(all[edge].option).prepared, text);
      text += "  ||| ";
      const std::vector<float> values = edge_values(searcher, edge);
      for (std::size_t v = 0; v < values.size(); ++v) {
        text += names[v];
        text += '=';
        append_fixed(values[v], kLong, text);
        text += ' ';
      }
      append_field(" ||| ", nodes[i].covered, text);
      text += '\n';
    }
  }
  append_field("# node ", nodes.size(), text);
  append_field("\n1\n[", nodes.size() - 1, text);
  append_field("] </s> |||  ||| ", nodes.back().covered, text);
  text += '\n';
}

void append_empty_hypergraph(std::string& text) {
  text += "# target ||| features ||| source-covered\n2 2\n";
  text += "# node 0\n1\n<s> |||  ||| 0\n# node 1\n1\n[0] </s> |||  ||| 0\n";
}

void append_slf(const Searcher& searcher, const std::vector<ConnectedNode>& nodes,
                std::size_t sentence, std::string& text) {
  const std::vector<Hypothesis>& all = searcher.graph().hypotheses();
  const SentenceOptions& options = searcher.options();
  // Nodes inside phrases stand before the node that their phrase leads to, so that every link
  // goes up and the last node is the end.
  std::vector<std::size_t> place(all.size(), 0);
  std::string links;
  std::size_t next = 1, link = 0;
  for (const ConnectedNode& node : nodes) {
    if (node.edges.empty()) continue;  // the start: node 0
    std::size_t inside = 0;
    for (const std::uint32_t edge : node.edges) {
      const std::uint32_t length = options.option(all[edge].option).prepared->length;
      inside += length > 1 ? length - 1 : 0;
    }
    const std::size_t end = place[node.hypothesis] = next + inside;
    for (const std::uint32_t edge : node.edges) {
      const PreparedOption& phrase = *options.option(all[edge].option).prepared;
      std::vector<float> values = edge_values(searcher, edge);
      std::size_t from = place[all[edge].previous];
      if (phrase.length == 0) append_slf_link(link++, from, end, "!NULL", values, links);
      for (std::uint32_t i = 0; i < phrase.length; ++i) {
        const std::size_t to = i + 1 < phrase.length ? next++ : end;
        append_slf_link(link++, from, to, options.spelling(phrase.words[i]), values, links);
        values.clear();
        from = to;
      }
    }
    next = end + 1;
  }
  append_slf_head(searcher.model(), sentence, next, link, text);
  text += links;
}

void append_empty_slf(const Model& model, std::size_t sentence, std::string& text) {
  append_slf_head(model, sentence, 2, 1, text);
  append_slf_link(0, 0, 1, "!NULL", {}, text);
}

}  // namespace nlmt::decoder
