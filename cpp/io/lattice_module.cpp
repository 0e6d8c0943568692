// Python bindings of lattices: nlmt.io._lattice.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "lattice_file.h"
#include "lattice_graph.h"
#include "lattice_text.h"
#include "python.h"

namespace nlmt::io {
namespace {

using Ids = Array1<std::int32_t>;
using Offsets = Array1<std::int64_t>;
using Scores = Array1<double>;

LatticeArcs arcs_of(std::int32_t nodes, const Ids& from, const Ids& to) {
  return {nodes, from.size(), from.data(), to.data()};
}

nb::object read_lattice(const LatticeReader& reader, std::size_t number) {
  Lattice lattice = reader.read(number);
  const std::size_t arcs = lattice.arcs(), phrases = lattice.phrases();
  const std::size_t points = lattice.points.size() / 2;
  return nb::make_tuple(
      lattice.sentence, to_numpy(std::move(lattice.source)), lattice.nodes,
      to_numpy(std::move(lattice.from)), to_numpy(std::move(lattice.to)),
      to_numpy(std::move(lattice.phrase)),
      to_numpy(std::move(lattice.values), {arcs, lattice.width}),
      to_numpy(std::move(lattice.word_offsets)), to_numpy(std::move(lattice.words)),
      to_numpy(std::move(lattice.spans), {phrases, 2}), to_numpy(std::move(lattice.point_offsets)),
      to_numpy(std::move(lattice.points), {points, 2}));
}

Lattice make(std::int64_t sentence, const Ids& source, std::int32_t nodes, const Ids& from,
             const Ids& to, const Ids& phrase, const Array2<float>& values,
             const Offsets& word_offsets, const Ids& words, const Array2<std::int32_t>& spans,
             const Offsets& point_offsets, const Array2<std::int32_t>& points) {
  return Lattice{sentence,         to_vector(source), nodes,
                 to_vector(from),  to_vector(to),     to_vector(phrase),
                 values.shape(1),  to_vector(values), to_vector(word_offsets),
                 to_vector(words), to_vector(spans),  to_vector(point_offsets),
                 to_vector(points)};
}

std::vector<std::string> write_text(const Lattice& lattice, const std::vector<std::string>& words,
                                    std::vector<std::string> names, std::vector<double> weights,
                                    const std::string& format) {
  const LatticeMeaning meaning{{words.begin(), words.end()}, std::move(names), std::move(weights)};
  std::vector<std::string> texts(1);
  if (format == "slf") {
    append_slf(lattice, meaning, texts[0]);
  } else if (format == "openfst") {
    texts.emplace_back();
    append_openfst(lattice, meaning, texts[0], texts[1]);
  } else {
    append_search_graph(lattice, meaning, true, texts[0]);
  }
  return texts;
}

void add(LatticeWriter& writer, const LatticeRecord& record,
         const std::vector<std::string>& spelling) {
  writer.add(record, {spelling.begin(), spelling.end()});
}

// Over all paths.
double log_sum(std::int32_t nodes, const Ids& from, const Ids& to, const Scores& scores) {
  return without_gil([&] {
    return forward_scores(arcs_of(nodes, from, to), scores.data(), PathSum::kAll).back();
  });
}

nb::object best(std::int32_t nodes, const Ids& from, const Ids& to, const Scores& scores) {
  return to_numpy(best_path(arcs_of(nodes, from, to), scores.data()));
}

nb::object prune(std::int32_t nodes, const Ids& from, const Ids& to, const Scores& scores,
                 double beam, std::size_t most) {
  const std::vector<bool> kept = prune_arcs(arcs_of(nodes, from, to), scores.data(), beam, most);
  return to_numpy(std::vector<std::uint8_t>(kept.begin(), kept.end()));
}

nb::object arranged(std::int32_t nodes, const Ids& from, const Ids& to, std::int32_t start,
                    std::int32_t end) {
  Arrangement found = without_gil([&] { return arrange(arcs_of(nodes, from, to), start, end); });
  return nb::make_tuple(found.cyclic, to_numpy(std::move(found.nodes)),
                        to_numpy(std::move(found.arcs)), found.count);
}

nb::object paths(std::int32_t nodes, const Ids& from, const Ids& to, const Scores& scores,
                 std::size_t count, bool distinct, const Ids& phrase, const Offsets& word_offsets,
                 const Ids& words) {
  const ArcWords arc_words{phrase.data(), word_offsets.data(), words.data()};
  Paths found = without_gil([&] {
    return best_paths(arcs_of(nodes, from, to), scores.data(), count,
                      distinct ? &arc_words : nullptr, poll_signals);
  });
  return nb::make_tuple(to_numpy(std::move(found.offsets)), to_numpy(std::move(found.arcs)),
                        to_numpy(std::move(found.scores)));
}

}  // namespace
}  // namespace nlmt::io

NB_MODULE(_lattice, m) {
  using namespace nlmt;
  using namespace nlmt::io;
  nb::register_exception_translator(translate_errors);
  nb::class_<LatticeRecord>(m, "LatticeRecord").def_ro("words", &LatticeRecord::words);
  nb::class_<LatticeWriter>(m, "LatticeWriter")
      .def(nb::init<std::string, const std::vector<LatticeFeature>&>(), "path"_a, "features"_a)
      .def("add", add, "record"_a, "spelling"_a)
      .def("close", &LatticeWriter::close);
  nb::class_<LatticeReader>(m, "LatticeReader")
      .def(nb::init<std::string>(), "path"_a)
      .def_prop_ro("features", &LatticeReader::features)
      .def_prop_ro("words", &LatticeReader::words)
      .def("__len__", &LatticeReader::size)
      .def("read", read_lattice, "number"_a);
  nb::class_<Lattice>(m, "Arrays");
  m.def("make", make, "sentence"_a, "source"_a, "nodes"_a, "from_node"_a, "to_node"_a, "phrase"_a,
        "values"_a, "word_offsets"_a, "words"_a, "spans"_a, "point_offsets"_a, "points"_a);
  m.def("pack", &pack_lattice, "lattice"_a, nb::call_guard<nb::gil_scoped_release>());
  m.def("text", write_text, "lattice"_a, "words"_a, "names"_a, "weights"_a, "format"_a);
  m.def("log_sum", log_sum, "nodes"_a, "from_node"_a, "to_node"_a, "scores"_a);
  m.def("best_path", best, "nodes"_a, "from_node"_a, "to_node"_a, "scores"_a);
  m.def("prune", prune, "nodes"_a, "from_node"_a, "to_node"_a, "scores"_a, "beam"_a, "most"_a);
  m.def("arrange", arranged, "nodes"_a, "from_node"_a, "to_node"_a, "start"_a, "end"_a);
  m.def("best_paths", paths, "nodes"_a, "from_node"_a, "to_node"_a, "scores"_a, "count"_a,
        "distinct"_a, "phrase"_a, "word_offsets"_a, "words"_a);
}
