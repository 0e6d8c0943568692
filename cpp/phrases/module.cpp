// Python bindings of phrase extraction and scoring: nlmt.phrases._phrases.

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bitext.h"
#include "extraction.h"
#include "lexicon.h"
#include "python.h"
#include "tables.h"

namespace nlmt::phrases {
namespace {

// (source begin, source end, target begin, target end, previous, next) of each phrase pair.
using Span = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, int, int>;

std::vector<Span> extract_spans(uint32_t source_length, uint32_t target_length,
                                std::string_view alignment, uint32_t max_length, bool tuples) {
  std::vector<Link> links;
  parse_links(alignment, source_length, target_length, links);
  std::vector<PhrasePair> pairs;
  extract(links, source_length, target_length, {tuples, max_length}, pairs);
  std::vector<Span> spans;
  for (const auto& pair : pairs) {
    spans.emplace_back(pair.source_begin, pair.source_begin + pair.source_length, pair.target_begin,
                       pair.target_begin + pair.target_length, pair.previous, pair.next);
  }
  return spans;
}

TableCounts write_both(const EncodedBitext& bitext, const Lexicon& lexicon, bool tuples,
                       uint32_t max_length, unsigned threads, size_t memory,
                       const std::string& folder, const std::string& phrase_table,
                       const std::string& reordering_table) {
  nb::gil_scoped_release release;
  return write_tables(bitext, lexicon, {tuples, max_length}, threads, memory, folder, phrase_table,
                      reordering_table, poll_signals);
}

}  // namespace
}  // namespace nlmt::phrases

NB_MODULE(_phrases, m) {
  using namespace nlmt;
  using namespace nlmt::phrases;
  nb::register_exception_translator(translate_errors);

  m.attr("LONGEST_PHRASE") = kLongestPhrase;
  m.attr("LONGEST_SENTENCE") = kLongestSentence;

  nb::class_<EncodedBitext>(m, "EncodedBitext")
      .def(nb::init<std::string, size_t>(), "folder"_a, "memory"_a)
      .def("add", &EncodedBitext::add, "source"_a, "target"_a, "alignment"_a)
      .def("finish", &EncodedBitext::finish)
      .def("__len__", &EncodedBitext::sentences);

  nb::class_<Lexicon>(m, "Lexicon")
      .def(
          "__init__",
          [](Lexicon* self, const EncodedBitext& bitext, size_t memory) {
            nb::gil_scoped_release release;
            new (self) Lexicon(bitext, memory, poll_signals);
          },
          "bitext"_a, "memory"_a)
      .def(
          "format",
          [](const Lexicon& self, const EncodedBitext& bitext, bool inverse, size_t first,
             size_t count) {
            const nb::gil_scoped_release release;
            return self.format(bitext, inverse, first, count, poll_signals);
          },
          "bitext"_a, "inverse"_a, "first"_a, "count"_a)
      .def("__len__", &Lexicon::size);

  nb::class_<TableCounts>(m, "TableCounts")
      .def_ro("occurrences", &TableCounts::occurrences)
      .def_ro("phrase_pairs", &TableCounts::phrase_pairs);

  m.def("extract_spans", &extract_spans, "source_length"_a, "target_length"_a, "alignment"_a,
        "max_length"_a, "tuples"_a = false);
  m.def("write_tables", &write_both, "bitext"_a, "lexicon"_a, "tuples"_a, "max_length"_a,
        "threads"_a, "memory"_a, "folder"_a, "phrase_table"_a, "reordering_table"_a);
}
