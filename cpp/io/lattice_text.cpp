#include "lattice_text.h"

#include <charconv>

#include "errors.h"
#include "lattice_graph.h"

namespace nlmt::io {
namespace {

constexpr int kShort = 3;  // decimals of search graphs
constexpr int kLong = 6;   // of the other formats
// No word, in HTK's format and in OpenFst's.
constexpr std::string_view kNull = "!NULL", kEpsilon = "<eps>";

void append_fixed(double number, int decimals, std::string& text) {
  char digits[400];
  const char* end =
      std::to_chars(digits, digits + sizeof(digits), number, std::chars_format::fixed, decimals)
          .ptr;
  const std::string_view written(digits, static_cast<std::size_t>(end - digits));
  // No minus before a zero.
  const bool zero = written.find_first_not_of("-0.") == std::string_view::npos;
  text += zero && written.front() == '-' ? written.substr(1) : written;
}

// The shortest decimals of a weight, of which a small one may be nothing to six decimals.
void append_weight(double weight, std::string& text) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof(digits), weight).ptr);
}

void append_field(std::string_view name, std::int64_t number, std::string& text) {
  text += name;
  text += std::to_string(number);
}

void append_ids(const std::int32_t* begin, const std::int32_t* end, const LatticeMeaning& meaning,
                std::string& text) {
  for (const std::int32_t* id = begin; id != end; ++id) {
    if (id != begin) text += ' ';
    text += meaning.words[*id];
  }
}

std::vector<double> arc_scores(const Lattice& lattice, const LatticeMeaning& meaning) {
  std::vector<double> scores(lattice.arcs(), 0);
  for (std::size_t i = 0; i < lattice.values.size(); ++i) {
    scores[i / lattice.width] += meaning.weights[i % lattice.width] * lattice.values[i];
  }
  return scores;
}

// Calls visit(from, to, word, arc) for each word of each arc, in the order of the arcs; word -1
// means none, arc -1 any word but the arc's first. Returns the number of nodes: those inside
// phrases come before the node to which their phrase leads, so that every link leads upwards.
template <class Visit>
std::int64_t each_word_link(const Lattice& lattice, const Visit& visit) {
  const auto length = [&](std::size_t arc) {
    const std::int32_t phrase = lattice.phrase[arc];
    return lattice.word_offsets[phrase + 1] - lattice.word_offsets[phrase];
  };
  std::vector<std::int64_t> inside(static_cast<std::size_t>(lattice.nodes), 0);
  for (std::size_t a = 0; a < lattice.arcs(); ++a) {
    if (length(a) > 1) inside[lattice.to[a]] += length(a) - 1;
  }
  std::vector<std::int64_t> place, next;  // of each node, and of the next one inside a phrase
  std::int64_t nodes = 0;
  for (const std::int64_t count : inside) {
    next.push_back(nodes);
    nodes += count;
    place.push_back(nodes++);
  }
  for (std::size_t a = 0; a < lattice.arcs(); ++a) {
    const std::int32_t* words = lattice.words.data() + lattice.word_offsets[lattice.phrase[a]];
    auto arc = static_cast<std::int64_t>(a);
    std::int64_t from = place[lattice.from[a]];
    const std::int64_t end = place[lattice.to[a]];
    if (length(a) == 0) visit(from, end, -1, arc);
    for (std::int64_t w = 0; w < length(a); ++w) {
      const std::int64_t to = w + 1 < length(a) ? next[lattice.to[a]]++ : end;
      visit(from, to, words[w], arc);
      from = to;
      arc = -1;
    }
  }
  return nodes;
}

// The word of a link, or the format's mark for none. Throws InputError for a word spelt like it.
std::string_view link_word(const Lattice& lattice, const LatticeMeaning& meaning, std::int32_t word,
                           std::string_view none) {
  if (word < 0) return none;
  if (meaning.words[word] == none) {
    throw InputError("sentence " + std::to_string(lattice.sentence) + " has the word " +
                         std::string(none) + ", which is no word in this format",
                     "", 0, "write another format");
  }
  return meaning.words[word];
}

// The arcs of a lattice as hypotheses: arc n is hypothesis n + 1, and those that lead to one node
// are recombined with the best of them.
struct Hypotheses {
  std::vector<double> scores, forward, backward;
  std::vector<std::int32_t> best_in, best_out;     // by node: arc of the best way, or -1
  std::vector<std::vector<std::int32_t>> arcs_in;  // by node
  std::vector<std::int32_t> covered;               // by node: source words

  Hypotheses(const Lattice& lattice, const LatticeMeaning& meaning)
      : scores(arc_scores(lattice, meaning)) {
    const LatticeArcs arcs{lattice.nodes, lattice.arcs(), lattice.from.data(), lattice.to.data()};
    forward = forward_scores(arcs, scores.data(), PathSum::kBest);
    backward = backward_scores(arcs, scores.data(), PathSum::kBest);
    const auto nodes = static_cast<std::size_t>(lattice.nodes);
    best_in.assign(nodes, -1);
    best_out.assign(nodes, -1);
    arcs_in.resize(nodes);
    covered.assign(nodes, 0);
    for (std::size_t a = 0; a < lattice.arcs(); ++a) {
      const auto arc = static_cast<std::int32_t>(a);
      const std::int32_t from = lattice.from[a], to = lattice.to[a], phrase = lattice.phrase[a];
      if (best_in[to] < 0 || score(lattice, arc) > score(lattice, best_in[to])) best_in[to] = arc;
      const auto rest = [&](std::int32_t x) { return scores[x] + backward[lattice.to[x]]; };
      if (best_out[from] < 0 || rest(arc) > rest(best_out[from])) best_out[from] = arc;
      arcs_in[to].push_back(arc);
      covered[to] = covered[from] + lattice.spans[2 * phrase + 1] - lattice.spans[2 * phrase];
    }
  }

  double score(const Lattice& lattice, std::int32_t arc) const {
    return forward[lattice.from[arc]] + scores[arc];
  }
};

void append_forward(const Hypotheses& all, std::int32_t node, std::string& text) {
  const std::int32_t next = all.best_out[node];
  append_field(" forward=", next < 0 ? -1 : next + 1, text);
  text += " fscore=";
  append_fixed(all.backward[node], kShort, text);
}

void append_hypothesis(const Lattice& lattice, const LatticeMeaning& meaning, const Hypotheses& all,
                       std::int32_t arc, bool extended, std::string& text) {
  const std::int32_t node = lattice.to[arc], phrase = lattice.phrase[arc];
  append_field("", lattice.sentence, text);
  append_field(" hyp=", arc + 1, text);
  append_field(" stack=", all.covered[node], text);
  append_field(" back=", all.best_in[lattice.from[arc]] + 1, text);
  text += " score=";
  append_fixed(all.score(lattice, arc), kShort, text);
  text += " transition=";
  append_fixed(all.scores[arc], kShort, text);
  if (arc != all.best_in[node]) append_field(" recombined=", all.best_in[node] + 1, text);
  append_forward(all, node, text);
  const std::int32_t begin = lattice.spans[2 * phrase], end = lattice.spans[2 * phrase + 1];
  append_field(" covered=", begin, text);
  append_field("-", end - 1, text);
  const std::int32_t* words = lattice.words.data();
  if (extended) {
    text += " scores=\"core=(";
    for (std::size_t i = 0; i < lattice.width; ++i) {
      if (i) text += ',';
      append_fixed(lattice.values[static_cast<std::size_t>(arc) * lattice.width + i], kShort, text);
    }
    text += ") \" out=\"";
    append_ids(lattice.source.data() + begin, lattice.source.data() + end, meaning, text);
    text += '|';
  } else {
    text += " out=";
  }
  append_ids(words + lattice.word_offsets[phrase], words + lattice.word_offsets[phrase + 1],
             meaning, text);
  text += extended ? "\"\n" : "\n";
}

}  // namespace

std::string value_name(const std::string& label, std::size_t number, std::size_t width) {
  return width == 1 ? label : label + "_" + std::to_string(number);
}

void append_search_graph(const Lattice& lattice, const LatticeMeaning& meaning, bool extended,
                         std::string& text) {
  const Hypotheses all(lattice, meaning);
  append_field("", lattice.sentence, text);
  text += " hyp=0 stack=0";
  if (extended) append_forward(all, 0, text);
  text += '\n';
  for (std::int32_t node = 1; node < lattice.nodes; ++node) {
    append_hypothesis(lattice, meaning, all, all.best_in[node], extended, text);
    for (const std::int32_t arc : all.arcs_in[node]) {
      if (arc == all.best_in[node]) continue;
      append_hypothesis(lattice, meaning, all, arc, extended, text);
    }
  }
}

void append_hypergraph(const Lattice& lattice, const LatticeMeaning& meaning, std::string& text) {
  const Hypotheses all(lattice, meaning);
  append_field("# target ||| features ||| source-covered\n", lattice.nodes + 1, text);
  append_field(" ", static_cast<std::int64_t>(lattice.arcs()) + 2, text);  // with <s> and </s>
  text += "\n# node 0\n1\n<s> |||  ||| 0\n";
  for (std::int32_t node = 1; node < lattice.nodes; ++node) {
    append_field("# node ", node, text);
    append_field("\n", static_cast<std::int64_t>(all.arcs_in[node].size()), text);
    text += '\n';
    for (const std::int32_t arc : all.arcs_in[node]) {
      const std::int32_t phrase = lattice.phrase[arc];
      append_field("[", lattice.from[arc], text);
      text += "] ";
      append_ids(lattice.words.data() + lattice.word_offsets[phrase],
                 lattice.words.data() + lattice.word_offsets[phrase + 1], meaning, text);
      text += "  ||| ";
      for (std::size_t i = 0; i < lattice.width; ++i) {
        (text += meaning.names[i]) += '=';
        append_fixed(lattice.values[static_cast<std::size_t>(arc) * lattice.width + i], kLong,
                     text);
        text += ' ';
      }
      append_field(" ||| ", all.covered[node], text);
      text += '\n';
    }
  }
  append_field("# node ", lattice.nodes, text);
  append_field("\n1\n[", lattice.nodes - 1, text);
  append_field("] </s> |||  ||| ", all.covered.back(), text);
  text += '\n';
}

void append_slf(const Lattice& lattice, const LatticeMeaning& meaning, std::string& text) {
  std::string links;
  std::int64_t count = 0;
  const auto append_link = [&](std::int64_t from, std::int64_t to, std::string_view word,
                               std::int64_t arc) {
    append_field("J=", count++, links);
    append_field(" S=", from, links);
    append_field(" E=", to, links);
    links += " W=";
    links += word;
    for (std::size_t i = 0; i < lattice.width && arc >= 0; ++i) {
      append_field(" x", static_cast<std::int64_t>(i) + 1, links);
      links += '=';
      append_fixed(lattice.values[static_cast<std::size_t>(arc) * lattice.width + i], kLong, links);
    }
    links += '\n';
  };
  std::int64_t nodes = each_word_link(
      lattice, [&](std::int64_t from, std::int64_t to, std::int32_t word, std::int64_t arc) {
        append_link(from, to, link_word(lattice, meaning, word, kNull), arc);
      });
  if (nodes == 1) append_link(0, nodes++, kNull, -1);  // the format needs a link
  append_field("UTTERANCE=Sentence_", lattice.sentence, text);
  append_field("\nVERSION=1.1\nbase=2.71828182845905\nNODES=", nodes, text);
  append_field("\nLINKS=", count, text);
  append_field("\nstart=0\nend=", nodes - 1, text);
  text += '\n';
  for (std::size_t i = 0; i < lattice.width; ++i) {
    text += "# " + meaning.names[i];
    append_field("\nx", static_cast<std::int64_t>(i) + 1, text);
    text += "scale=";
    append_weight(meaning.weights[i], text);
    text += '\n';
  }
  for (std::int64_t i = 0; i < nodes; ++i) {
    append_field("I=", i, text);
    text += '\n';
  }
  text += links;
}

void append_openfst(const Lattice& lattice, const LatticeMeaning& meaning, std::string& text,
                    std::string& features) {
  const std::vector<double> scores = arc_scores(lattice, meaning);
  for (const std::string& name : meaning.names) (features += name) += '\t';
  if (!meaning.names.empty()) features.pop_back();
  features += '\n';
  const std::int64_t nodes = each_word_link(
      lattice, [&](std::int64_t from, std::int64_t to, std::int32_t word, std::int64_t arc) {
        append_field("", from, text);
        append_field("\t", to, text);
        text += '\t';
        text += link_word(lattice, meaning, word, kEpsilon);
        text += '\t';
        append_fixed(arc < 0 ? 0 : -scores[arc], kLong, text);
        text += '\n';
        for (std::size_t i = 0; i < lattice.width; ++i) {
          if (i) features += '\t';
          const std::size_t at = static_cast<std::size_t>(arc) * lattice.width + i;
          append_fixed(arc < 0 ? 0 : lattice.values[at], kLong, features);
        }
        features += '\n';
      });
  append_field("", nodes - 1, text);
  text += '\n';
}

}  // namespace nlmt::io
