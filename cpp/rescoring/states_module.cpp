// nlmt.rescoring._states: the bookkeeping of lattice rescoring.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "node_states.h"
#include "python.h"

namespace nlmt::rescoring {
namespace {

using Ids = Array1<std::int32_t>;
using Offsets = Array1<std::int64_t>;

void check(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

void check_lattices(const JoinedLattices& l) {
  const auto rises = [](const std::vector<std::int64_t>& v, std::size_t end) {
    return !v.empty() && v[0] == 0 && v.back() == static_cast<std::int64_t>(end) &&
           std::is_sorted(v.begin(), v.end());
  };
  check(!l.first_node.empty() && rises(l.first_node, l.nodes()), "first nodes must rise from 0");
  check(l.to.size() == l.from.size() && l.phrase.size() == l.from.size() &&
            l.scores.size() == l.from.size(),
        "one end, phrase and score an arc");
  check(rises(l.word_offsets, l.words.size()), "offsets must rise from 0 to the number of words");
  check((l.positions.empty() && l.end_positions.empty()) ||
            (l.positions.size() == l.words.size() &&
             l.end_positions.size() + 1 == l.first_node.size()),
        "a position for each word and lattice, or none");
  const auto phrases = static_cast<std::int64_t>(l.word_offsets.size()) - 1;
  for (std::size_t a = 0; a < l.from.size(); ++a) {
    check(l.from[a] >= 0 && l.from[a] < l.to[a] && l.to[a] < static_cast<std::int64_t>(l.nodes()) &&
              l.phrase[a] >= 0 && l.phrase[a] < phrases && (a == 0 || l.from[a - 1] <= l.from[a]),
          "arcs must lead upwards, sorted by start node");
  }
}

NodeStates make(const Offsets& first_node, const Ids& from, const Ids& to, const Ids& phrase,
                const Array1<double>& scores, const Offsets& word_offsets, const Ids& words,
                const Ids& positions, const Ids& end_positions, std::int32_t end_word,
                std::size_t most, std::int64_t context, bool recombine,
                std::vector<double> weights) {
  JoinedLattices lattices{to_vector(first_node),
                          to_vector(from),
                          to_vector(to),
                          to_vector(phrase),
                          to_vector(scores),
                          to_vector(word_offsets),
                          to_vector(words),
                          to_vector(positions),
                          to_vector(end_positions),
                          end_word};
  check_lattices(lattices);
  const StateOptions options{most, static_cast<std::size_t>(std::max<std::int64_t>(context, 0)),
                             context < 0, recombine, std::move(weights)};
  const nb::gil_scoped_release release;
  return NodeStates(std::move(lattices), options);
}

nb::tuple choose(NodeStates& states, std::size_t level) {
  check(level < states.levels(), "no such level");
  Origins o = without_gil([&] { return states.choose(level, poll_signals); });
  return nb::make_tuple(to_numpy(std::move(o.parents)), to_numpy(std::move(o.offsets)),
                        to_numpy(std::move(o.words)), to_numpy(std::move(o.positions)));
}

void check_range(const NodeStates& states, std::int64_t first, std::int64_t last,
                 std::size_t length) {
  check(0 <= first && first <= last && last <= static_cast<std::int64_t>(states.size()) &&
            length >= 1,
        "no such states");
}

nb::tuple requests(const NodeStates& states, std::int64_t first, std::int64_t last,
                   std::size_t length) {
  check_range(states, first, last, length);
  Requests r = without_gil([&] { return states.requests(first, last, length); });
  return nb::make_tuple(to_numpy(std::move(r.rows)), to_numpy(std::move(r.words)),
                        to_numpy(std::move(r.positions)), to_numpy(std::move(r.inner)),
                        to_numpy(std::move(r.lattices)));
}

// The lattice of each state from number `first` on.
nb::object lattices(const NodeStates& states, std::size_t first) {
  check(first <= states.size(), "no such states");
  std::vector<std::int32_t> of;
  for (std::size_t i = first; i < states.size(); ++i) {
    of.push_back(states.lattice_of(static_cast<std::int64_t>(i)));
  }
  return to_numpy(std::move(of));
}

nb::tuple take_arcs(NodeStates& states) {
  StateArcs arcs = states.take_arcs();
  return nb::make_tuple(to_numpy(std::move(arcs.from)), to_numpy(std::move(arcs.to)),
                        to_numpy(std::move(arcs.arc)), to_numpy(std::move(arcs.scores)));
}

}  // namespace
}  // namespace nlmt::rescoring

NB_MODULE(_states, m) {
  using namespace nlmt;
  using namespace nlmt::rescoring;
  nb::register_exception_translator(translate_errors);
  nb::class_<NodeStates>(m, "NodeStates")
      .def(nb::new_(&make), "first_node"_a, "from_node"_a, "to_node"_a, "phrase"_a, "scores"_a,
           "word_offsets"_a, "words"_a, "positions"_a, "end_positions"_a, "end_word"_a, "most"_a,
           "context"_a, "recombine"_a, "weights"_a)
      .def("__len__", &NodeStates::size)
      .def_prop_ro("levels", &NodeStates::levels)
      .def("last_use", &NodeStates::last_use, "level"_a)
      .def("choose", choose, "level"_a)
      .def("requests", requests, "first"_a, "last"_a, "length"_a)
      .def(
          "set_scores",
          [](NodeStates& states, std::int64_t first, std::int64_t last, std::size_t length,
             const Array2<double>& scores) {
            check_range(states, first, last, length);
            check(scores.size() == states.requested(first, last, length), "one score a request");
            states.set_scores(first, last, length, scores.data());
          },
          "first"_a, "last"_a, "length"_a, "scores"_a)
      .def("forget", &NodeStates::forget, "level"_a)
      .def("lattices", lattices, "first"_a)
      .def("take_arcs", take_arcs);
}
