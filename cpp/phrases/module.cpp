// Python bindings of phrase extraction and scoring: nlmt.phrases._phrases.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <system_error>

#include "bitext.h"
#include "extraction.h"
#include "lexicon.h"
#include "tables.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// (source begin, source end, target begin, target end, previous, next) of each phrase pair.
using Span = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, int, int>;

decltype(&nlmt::phrases::extract) extraction(bool tuples) {
  return tuples ? nlmt::phrases::extract_tuples : nlmt::phrases::extract;
}

std::vector<Span> extract_spans(uint32_t source_length, uint32_t target_length,
                                std::string_view alignment, uint32_t max_length, bool tuples) {
  std::vector<nlmt::Link> links;
  nlmt::parse_links(alignment, source_length, target_length, links);
  std::vector<nlmt::phrases::PhrasePair> pairs;
  extraction(tuples)(links.data(), links.data() + links.size(), source_length, target_length,
                     max_length, pairs);
  std::vector<Span> spans;
  for (const auto& pair : pairs) {
    spans.emplace_back(pair.source_begin, pair.source_begin + pair.source_length, pair.target_begin,
                       pair.target_begin + pair.target_length, pair.previous, pair.next);
  }
  return spans;
}

void check_signals() {
  nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

nlmt::phrases::TableCounts write_tables(const nlmt::phrases::EncodedBitext& bitext,
                                        const nlmt::phrases::Lexicon& lexicon, bool tuples,
                                        uint32_t max_length, unsigned threads, size_t memory,
                                        const std::string& folder, const std::string& phrase_table,
                                        const std::string& reordering_table) {
  nb::gil_scoped_release release;
  return nlmt::phrases::write_tables(bitext, lexicon, {extraction(tuples), max_length}, threads,
                                     memory, folder, phrase_table, reordering_table, check_signals);
}

}  // namespace

NB_MODULE(_phrases, m) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::system_error& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    }
  });

  m.attr("LONGEST_PHRASE") = nlmt::phrases::kLongestPhrase;

  nb::class_<nlmt::phrases::EncodedBitext>(m, "EncodedBitext")
      .def(nb::init<std::string, size_t>(), "folder"_a, "memory"_a)
      .def("add", &nlmt::phrases::EncodedBitext::add, "source"_a, "target"_a, "alignment"_a)
      .def("finish", &nlmt::phrases::EncodedBitext::finish)
      .def("__len__", &nlmt::phrases::EncodedBitext::sentences);

  nb::class_<nlmt::phrases::Lexicon>(m, "Lexicon")
      .def(nb::init<const nlmt::phrases::EncodedBitext&, size_t>(), "bitext"_a, "memory"_a,
           nb::call_guard<nb::gil_scoped_release>())
      .def("format_f2e", &nlmt::phrases::Lexicon::format_f2e, "bitext"_a)
      .def("format_e2f", &nlmt::phrases::Lexicon::format_e2f, "bitext"_a);

  nb::class_<nlmt::phrases::TableCounts>(m, "TableCounts")
      .def_ro("occurrences", &nlmt::phrases::TableCounts::occurrences)
      .def_ro("phrase_pairs", &nlmt::phrases::TableCounts::phrase_pairs)
      .def_ro("sources", &nlmt::phrases::TableCounts::sources)
      .def_ro("targets", &nlmt::phrases::TableCounts::targets);

  m.def("extract_spans", &extract_spans, "source_length"_a, "target_length"_a, "alignment"_a,
        "max_length"_a, "tuples"_a = false);
  m.def("write_tables", &write_tables, "bitext"_a, "lexicon"_a, "tuples"_a, "max_length"_a,
        "threads"_a, "memory"_a, "folder"_a, "phrase_table"_a, "reordering_table"_a);
}
